package import Crypto
internal import Encoding
package import OAuth
package import Platform

extension SignIn {
  /// A sign-in that waits for the user's approval.
  package indirect enum PendingApproval: Sendable {
    case device(Device)
    case browser(Browser)

    package var prepared: Prepared {
      switch self {
      case .device(let waiting): waiting.prepared
      case .browser(let waiting): waiting.prepared
      }
    }

    /// The device authorization grant (RFC 8628). Call ``poll(isWanted:mayEndSession:)`` as scheduled by
    /// ``DevicePolling``.
    package struct Device: Sendable {
      package let prepared: SignIn.Prepared
      package let authorization: DeviceAuthorizationResponse
      package let startedAt: Instant
      package let startedAtUnixSeconds: Int

      /// Requests a device code. Blocking.
      package init(_ prepared: SignIn.Prepared) throws(SessionError) {
        if prepared.configuration.profile == .fapi2 { throw .oauth(OAuthError(.noCodeGrant)) }
        var allowed = prepared
        allowed.request.isDeviceGrantRefused = false
        self.prepared = allowed
        startedAt = prepared.services.time.now()
        startedAtUnixSeconds = prepared.services.time.wallSeconds()
        authorization = try mapOAuthError(
          prepared.server.requestDeviceAuthorization(
            scope: prepared.scope, target: try prepared.configuration.target(), extras: prepared.extras,
            cancellation: prepared.cancellation))
      }
    }

    package indirect enum Poll: Sendable {
      /// The user has not decided, as far as known.
      case undecided(DevicePollOutcome)
      case signedIn(SignIn.Outcome)
    }

    /// The authorization code grant with PKCE (RFC 6749 section 4.1, RFC 7636). Check each redirect, then call
    /// ``finish(_:)``.
    package struct Browser: Sendable {
      package let prepared: SignIn.Prepared
      package let request: AuthorizationRequest
      package let url: AuthorizationServer.AuthorizationURL
      package let startedAt: Instant
      package let startedAtUnixSeconds: Int

      /// Creates the URL to open, with a pushed request if supported (RFC 9126). Blocking.
      package init(
        _ prepared: SignIn.Prepared, redirectURI: String, options: AuthorizationOptions = .init()
      ) throws(SessionError) {
        self.prepared = prepared
        startedAt = prepared.services.time.now()
        startedAtUnixSeconds = prepared.services.time.wallSeconds()
        var options = prepared.configuration.adding(to: options)
        options.extras = prepared.extras
        options.needsAnnouncedPKCE = prepared.request.beganAtResource
        let request = try mapOAuthError(
          prepared.server.makeAuthorizationRequest(scope: prepared.scope, redirectURI: redirectURI, options: options))
        url = try mapOAuthError(
          prepared.server.requestAuthorizationURL(for: request, cancellation: prepared.cancellation))
        self.request = request
      }

      /// Exchanges the code at the server whose URL was opened (RFC 9700 section 4.4), and stores the session.
      /// Blocking.
      package func finish(_ code: SharedSecret) throws(SessionError) -> SignIn.Outcome {
        try exchange(code) { (answer, sentAt, reserve, requirements) throws(SessionError) in
          try prepared.finish(answer, receivedAfter: sentAt, in: reserve, requirements: requirements)
        }
      }

      /// Exchanges the code and verifies the response, for the user to confirm. Blocking.
      package func finishUnconfirmed(_ code: SharedSecret) throws(SessionError) -> SignIn.Unconfirmed {
        try exchange(code) { (answer, sentAt, reserve, requirements) throws(SessionError) in
          do throws(SessionError) {
            let verified = try prepared.verify(answer, requirements)
            return SignIn.Unconfirmed(
              prepared: prepared, answer: answer, verified: verified, sentAt: sentAt, reserve: reserve,
              requirements: requirements)
          } catch {
            let isRevoked = prepared.revokeUnwanted(answer, prepared.cancellation)
            guard case .oauth(let problem) = error, problem.followsSuccess else { throw error }
            throw .grantNotStored(because: error, isRevoked: isRevoked)
          }
        }
      }

      private func exchange<Result>(
        _ code: SharedSecret,
        _ next: (TokenEndpointResponse, Instant, WriteReserve?, IDTokenRequirements) throws(SessionError) -> Result
      ) throws(SessionError) -> Result {
        try prepared.withUnlockedVault { (sentAt, reserve) throws(SessionError) in
          let answer = try mapOAuthError(
            prepared.server.exchange(code, of: request, cancellation: prepared.cancellation))
          var requirements = request.requirements
          requirements.code = code
          return try next(answer, sentAt, reserve, requirements)
        }
      }
    }
  }

  /// A sign-in to store once confirmed, since another user may have signed in.
  package struct Unconfirmed: Sendable {
    let prepared: Prepared
    let answer: TokenEndpointResponse
    let verified: Prepared.Verified
    let sentAt: Instant
    let reserve: WriteReserve?
    let requirements: IDTokenRequirements

    /// According to the ID Token.
    package var subject: String? { verified.token?.identity.subject }
    /// From the ID Token (OpenID Connect Core section 5.1).
    package var name: String? {
      ["preferred_username", "email", "name"].lazy.compactMap { verified.token?.claims[$0]?.string }.first
    }

    /// Revokes the grant if storing fails.
    package func store() throws(SessionError) -> Outcome {
      do {
        return try prepared.withUnlockedVault(in: reserve) { (_, reserve) throws(SessionError) in
          try prepared.finish(
            answer, receivedAfter: sentAt, in: reserve, requirements: requirements, verified: verified)
        }
      } catch {
        switch error {
        case .onlyRefreshTokenStored, .grantNotStored: break
        default: revoke(prepared.cancellation)
        }
        throw error
      }
    }

    /// Revokes the grant if possible. Blocking. `cancellation` is not the sign-in's own, which may have been cancelled.
    package func revoke(_ cancellation: Cancellation) { prepared.revokeUnwanted(answer, cancellation) }
  }
}

extension SignIn.PendingApproval.Device {
  /// Polls once. Stores an approved session like
  /// ``SignIn/Prepared/finish(_:receivedAfter:in:requirements:needsIDToken:verified:)``, but an ID Token is optional,
  /// since OpenID Connect Core does not define this grant. Blocking. Throws the vault error `locked` before contacting
  /// the server. If approved but no longer wanted, revokes the tokens and throws a cancellation.
  ///
  /// - Parameter mayEndSession: Whether to revoke unwanted tokens even if that ends an existing session.
  package func poll(isWanted: () -> Bool, mayEndSession: () -> Bool = { false }) throws(SessionError)
    -> SignIn.PendingApproval.Poll
  {
    do {
      return try ask(isWanted: isWanted, mayEndSession: mayEndSession)
    } catch  where error.isBusy {
      // Another process holds a lock. The code remains valid.
      return .undecided(.pending)
    }
  }

  private func ask(isWanted: () -> Bool, mayEndSession: () -> Bool) throws(SessionError) -> SignIn.PendingApproval.Poll
  {
    try prepared.withUnlockedVault(waitsLong: false) { (sentAt, reserve) throws(SessionError) in
      let outcome = try mapOAuthError(
        prepared.server.pollDevice(
          authorization.deviceCode, scope: prepared.scope,
          resources: prepared.request.beganAtResource ? prepared.configuration.resources : [],
          cancellation: prepared.cancellation))
      guard case .token(let answer) = outcome else { return .undecided(outcome) }
      guard isWanted() else {
        prepared.revokeUnwanted(answer, mayEndSession: mayEndSession(), prepared.cancellation)
        throw .oauth(OAuthError(.cancelled, .endpoint(.token)))
      }
      return .signedIn(try prepared.finish(answer, receivedAfter: sentAt, in: reserve, needsIDToken: false))
    }
  }
}
