package import Crypto
internal import Encoding
package import OAuth
package import Platform
internal import Vocabulary

extension SignIn {
  /// A sign-in that waits for a person.
  package enum Waiting: Sendable {
    case device(Device)
    case browser(Browser)

    package var prepared: Prepared {
      switch self {
      case .device(let waiting): waiting.prepared
      case .browser(let waiting): waiting.prepared
      }
    }
  }
}

extension SignIn.Waiting {
  /// By the device authorization grant (RFC 8628): ``poll(approved:)`` as often as ``DevicePolling`` says.
  package struct Device: Sendable {
    package let prepared: SignIn.Prepared
    package let authorization: DeviceAuthorizationResponse
    /// Taken before the device authorization request was sent.
    package let startedAt: Instant
    package let startedAtUnixSeconds: Int

    /// Asks for a device code. Blocking.
    package init(_ prepared: SignIn.Prepared) throws(SessionError) {
      if prepared.configuration.profile == .fapi2 { throw .oauth(OAuthError(.notByCode)) }
      self.prepared = prepared
      startedAt = prepared.services.time.now()
      startedAtUnixSeconds = prepared.services.time.wallSeconds()
      authorization = try oauth { () throws(OAuthError) in
        try prepared.server.authorizeDevice(
          scope: prepared.scope, target: try prepared.configuration.target(), extras: prepared.extras,
          cancellation: prepared.cancellation)
      }
    }
  }

  /// The result of a poll.
  package enum Poll: Sendable {
    /// The person has not decided, as far as is known.
    case undecided(DevicePollOutcome)
    case signedIn(SignIn.Outcome)
  }
}

extension SignIn.Waiting.Device {
  /// Asks once whether the person has decided. If so, verifies the answer and stores the session at once, as
  /// ``SignIn/Prepared/finish(_:receivedAfter:demands:needsIDToken:)``: until then the account's level is not locked,
  /// since a server gives the tokens only once. Blocking.
  ///
  /// An ID Token may be missing: this grant is none of OpenID Connect's (OpenID Connect Core, section 3), and some
  /// servers issue none in it.
  ///
  /// - Parameters:
  ///   - approved: Called when the tokens have come, before anything is done with them; returns whether they are still
  ///     wanted.
  ///   - endsSession: Whether tokens that are not wanted are revoked though the account has a session, which ends too.
  /// - Throws: A vault error `locked`, before the server is asked, when the level is locked already; that it was
  ///   cancelled, when the tokens are not wanted any more, which are revoked then.
  package func poll(approved: () -> Bool, endsSession: () -> Bool = { false }) throws(SessionError)
    -> SignIn.Waiting.Poll
  {
    do {
      return try ask(approved: approved, endsSession: endsSession)
    } catch  where error.isBusy {
      // Another process keeps a lock. The approval can wait for that as long as the code lives.
      return .undecided(.pending)
    }
  }

  private func ask(approved: () -> Bool, endsSession: () -> Bool) throws(SessionError) -> SignIn.Waiting.Poll {
    try prepared.keepingOpen(waitsLong: false) { (sentAt) throws(SessionError) in
      let outcome = try oauth { () throws(OAuthError) in
        try prepared.server.pollDevice(
          authorization.deviceCode, scope: prepared.scope, cancellation: prepared.cancellation)
      }
      guard case .token(let answer) = outcome else { return .undecided(outcome) }
      guard approved() else {
        prepared.refuse(answer, endsSession: endsSession(), prepared.cancellation)
        throw .oauth(OAuthError(.cancelled, .endpoint(.token)))
      }
      return .signedIn(try prepared.finish(answer, receivedAfter: sentAt, needsIDToken: false))
    }
  }
}

extension SignIn.Waiting {
  /// By authorization code and PKCE (RFC 6749 section 4.1, RFC 7636): a judgement of each answer, which does not block,
  /// then ``finish(_:)``.
  package struct Browser: Sendable {
    /// How long a person may take, in seconds.
    package static let patience = 600

    package let prepared: SignIn.Prepared
    package let request: AuthorizationRequest
    package let url: AuthorizationServer.AuthorizationURL
    /// Taken before anything was sent.
    package let startedAt: Instant
    package let startedAtUnixSeconds: Int

    /// Makes the URL to open; a request is pushed first where the server takes one (RFC 9126). Blocking.
    package init(
      _ prepared: SignIn.Prepared, redirectURI: String, options: AuthorizationOptions = .init()
    ) throws(SessionError) {
      self.prepared = prepared
      startedAt = prepared.services.time.now()
      startedAtUnixSeconds = prepared.services.time.wallSeconds()
      var options = prepared.configuration.adding(to: options)
      options.extras = prepared.extras
      options.needsAnnouncedPKCE = prepared.request.needsAnnouncedPKCE
      let asked = options
      (request, url) = try oauth { () throws(OAuthError) in
        let request = try prepared.server.beginAuthorization(
          scope: prepared.scope, redirectURI: redirectURI, options: asked)
        return (request, try prepared.server.authorizationURL(for: request, cancellation: prepared.cancellation))
      }
    }

    /// Exchanges the code and stores the session. The code goes to the server that the person was sent to, and to
    /// no other (RFC 9700 section 4.4). Blocking.
    package func finish(_ code: SharedSecret) throws(SessionError) -> SignIn.Outcome {
      try exchange(code) { (answer, sentAt, demands) throws(SessionError) in
        try prepared.finish(answer, receivedAfter: sentAt, demands: demands)
      }
    }

    /// Exchanges the code and verifies the answer, but stores nothing of it: a person says first whether they are the
    /// one who signed in. Blocking.
    package func finishUnconfirmed(_ code: SharedSecret) throws(SessionError) -> SignIn.Unconfirmed {
      try exchange(code) { (answer, sentAt, demands) throws(SessionError) in
        do throws(SessionError) {
          let verified = try prepared.verify(answer, demands)
          return SignIn.Unconfirmed(
            prepared: prepared, answer: answer, verified: verified, sentAt: sentAt, demands: demands)
        } catch {
          let isRevoked = prepared.refuse(answer, prepared.cancellation)
          guard case .oauth(let problem) = error, problem.followsSuccess else { throw error }
          throw .grantNotKept(because: error, isRevoked: isRevoked)
        }
      }
    }

    private func exchange<Result>(
      _ code: SharedSecret,
      _ next: (TokenEndpointAnswer, Instant, IDTokenDemands) throws(SessionError) -> Result
    ) throws(SessionError) -> Result {
      try prepared.keepingOpen { (sentAt) throws(SessionError) in
        let answer = try oauth { () throws(OAuthError) in
          try prepared.server.exchange(code, of: request, cancellation: prepared.cancellation)
        }
        var demands = request.demands
        demands.code = code
        return try next(answer, sentAt, demands)
      }
    }
  }
}

extension SignIn {
  /// A sign-in whose tokens have come, and that a person must confirm: it may be another user's. Nothing is stored.
  package struct Unconfirmed: Sendable {
    let prepared: Prepared
    let answer: TokenEndpointAnswer
    let verified: Prepared.Verified
    let sentAt: Instant
    let demands: IDTokenDemands

    /// The person who signed in, by the ID Token; nil without one.
    package var subject: String? { verified.token?.identity.subject }
    /// The same for people, where the ID Token says it (OpenID Connect Core, section 5.1).
    package var name: String? {
      ["preferred_username", "email", "name"].lazy.compactMap { verified.token?.claims[$0]?.string }.first
    }

    /// Stores the session. Blocking.
    package func store() throws(SessionError) -> Outcome {
      do {
        return try prepared.keepingOpen { (_) throws(SessionError) in
          try prepared.finish(answer, receivedAfter: sentAt, demands: demands, verified: verified)
        }
      } catch {
        switch error {
        case .signInKept, .grantNotKept: break
        default: refuse(prepared.cancellation)
        }
        throw error
      }
    }

    /// Ends the grant at the server, as far as that can be done. Blocking.
    ///
    /// - Parameter cancellation: Ends the request. That of a sign-in that was given up would end it at once.
    package func refuse(_ cancellation: Cancellation) { prepared.refuse(answer, cancellation) }
  }
}
