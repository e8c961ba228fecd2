package import OAuth
package import Platform
package import Vault

/// A sign-in by the device authorization grant (RFC 8628), in three blocking steps for worker
/// threads: ``prepare(_:)``, ``poll()`` as often as ``DevicePolling`` says, ``finish(_:)``.
package struct DeviceSignIn: Sendable {
  package let signIn: SignIn
  package let authorization: DeviceAuthorizationResponse
  /// Taken before the device authorization request was sent.
  package let startedAt: Instant
  package let startedAtUnixSeconds: Int

  /// Fetches the metadata anew, chooses client authentication and scope, and asks for a device code.
  package static func prepare(_ request: SignIn.Preparation) throws(SessionError) -> DeviceSignIn {
    try start(SignIn(request))
  }

  /// Asks for a device code.
  package static func start(_ signIn: SignIn) throws(SessionError) -> DeviceSignIn {
    let startedAt = signIn.services.time.now()
    let wallSeconds = signIn.services.time.wallSeconds()
    let authorization = try oauth { () throws(OAuthError) in
      try signIn.server.authorizeDevice(
        scope: signIn.scope, target: try signIn.configuration.target(), cancellation: signIn.cancellation)
    }
    return DeviceSignIn(
      signIn: signIn, authorization: authorization, startedAt: startedAt, startedAtUnixSeconds: wallSeconds)
  }

  package var account: AccountName { signIn.account }
  package var configuration: AccountConfiguration { signIn.configuration }
  package var scope: Scope? { signIn.scope }

  /// Asks once whether the person has decided.
  package func poll() throws(SessionError) -> DevicePollOutcome {
    try oauth { () throws(OAuthError) in
      try signIn.server.pollDevice(authorization.deviceCode, cancellation: signIn.cancellation)
    }
  }

  /// Verifies the answer and stores the session, as ``SignIn/finish(_:receivedAfter:demands:needsIDToken:)``. An ID
  /// Token may be missing: this grant is none of OpenID Connect's (OpenID Connect Core, section 3), and some servers
  /// issue none in it.
  package func finish(
    _ response: TokenResponse, receivedAfter sentAt: Instant
  ) throws(SessionError) -> SignIn.Outcome {
    try signIn.finish(response, receivedAfter: sentAt, needsIDToken: false)
  }
}
