package import OAuth
package import Platform
internal import Vault
package import Vocabulary

/// A sign-in by the device authorization grant (RFC 8628), in two blocking steps for worker
/// threads: ``prepare(_:)``, and ``poll(approved:)`` as often as ``DevicePolling`` says.
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

  /// The result of a poll.
  package enum Poll: Sendable {
    /// The person has not decided, as far as is known.
    case undecided(DevicePollOutcome)
    case signedIn(SignIn.Outcome)
  }

  /// Asks once whether the person has decided. If so, verifies the answer and stores the session at once, as
  /// ``SignIn/finish(_:receivedAfter:demands:needsIDToken:)``: until then the account's level is not locked, since a
  /// server gives the tokens only once.
  ///
  /// An ID Token may be missing: this grant is none of OpenID Connect's (OpenID Connect Core, section 3), and some
  /// servers issue none in it.
  ///
  /// - Parameter approved: Called when the tokens have come, before anything is done with them; returns whether they
  ///   are still wanted.
  /// - Throws: A vault error `locked`, before the server is asked, when the level is locked already; that it was
  ///   cancelled, when the tokens are not wanted any more.
  package func poll(approved: () -> Bool) throws(SessionError) -> Poll {
    try signIn.keepingOpen { () throws(SessionError) in
      let sentAt = signIn.services.time.now()
      let outcome = try oauth { () throws(OAuthError) in
        try signIn.server.pollDevice(authorization.deviceCode, cancellation: signIn.cancellation)
      }
      guard case .token(let answer) = outcome else { return .undecided(outcome) }
      guard approved() else { throw .oauth(OAuthError(.cancelled, EndpointRole.token.subject)) }
      return .signedIn(try signIn.finish(answer, receivedAfter: sentAt, needsIDToken: false))
    }
  }
}
