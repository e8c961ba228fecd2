internal import Crypto
internal import Encoding

/// The kind of a request; some answers have a meaning only for one kind.
enum RequestKind: Sendable { case refresh, exchange, assertion, clientAssertion, devicePoll, code, registration, other }

extension OAuthError {
  /// The error that a response stands for.
  ///
  /// The `error` value decides first and the HTTP status second. A 5xx with an OAuth error is still a server
  /// in trouble, unless the error is about the grant or the client itself.
  static func answered(
    _ response: HTTPResponse, _ answer: ErrorAnswer?, _ subject: String, kind: RequestKind = .other,
    sent: [SharedSecret]
  ) -> OAuthError {
    var error = status(of: response, subject, sent: sent)
    if let answer {
      error.serverError = answer.error
      error.serverDescription = answer.description
      error.correlationID = answer.correlationID
      if let value = answer.standardError {
        error.code = Code(serverError: value, kind: kind, status: response.status) ?? error.code
        // RFC 7521 section 4.1.1 names `invalid_grant`; some servers find that the request is not valid.
        let isOfAssertion =
          kind == .assertion && [.invalidGrant, .invalidRequest].contains(error.code)
          || kind == .clientAssertion && [.invalidClient, .invalidGrant, .invalidRequest].contains(error.code)
        if isOfAssertion { error.code = .assertionRejected }
      }
      // A grant for which the server names the claims that it wants is good again after a sign-in with them.
      let wantsPerson = [.invalidGrant, .interactionRequired].contains(error.code)
      if wantsPerson, [.refresh, .exchange].contains(kind), let claims = answer.claims {
        error.code = .interactionRequired
        error.claims = claims
      }
      // A success status with an error that we do not know is neither a success nor a known failure.
      if error.code == .malformedResponse, answer.error != nil { error.code = .otherServerError }
      // RFC 6749 section 5.2: `error` is a string of certain characters.
      if answer.error == nil, error.code == .otherServerError { error.code = .malformedResponse }
    } else if kind == .refresh, response.status == 400, response.body.count == 0 {
      // Glewlwyd answers a dead refresh token so, and a proxy may answer so for any server. Only a new sign-in is sure
      // to help, but only `invalid_grant` ends a grant.
      error.code = .refreshRefused
    }
    error.noteWait(response.headers)
    return error
  }

  /// The error that a status alone stands for. A redirect's target is not told if it repeats one of the secrets that
  /// were sent.
  static func status(of response: HTTPResponse, _ subject: String, sent: [SharedSecret] = []) -> OAuthError {
    var error = OAuthError(Code(status: response.status), subject, httpStatus: response.status)
    if error.code == .redirectRefused, let target = response.headers.location.flatMap({ try? URI($0) }) {
      error.serverDescription = SecretEcho(target.origin).repeats(sent) ? nil : "it leads to \(target.origin)"
    }
    error.noteWait(response.headers)
    return error
  }

  /// With the issuer that came in place of the right one, which a person may know.
  func naming(_ issuer: String?) -> OAuthError {
    guard let issuer, (try? URI(issuer)) != nil else { return self }
    var error = self
    error.serverDescription = TerminalText.clean(issuer)
    return error
  }

  /// An answer of a media type that the endpoint never has, so it may come from elsewhere: a proxy, or the sign-in page
  /// of a network.
  static func notJSON(_ response: HTTPResponse, _ subject: String, sent: [SharedSecret]) -> OAuthError {
    var error = OAuthError(.notJSON, subject, httpStatus: response.status)
    error.serverDescription = response.headers.mediaType.flatMap { type in
      let shown = TerminalText.clean(type, limit: 64)
      return SecretEcho(shown).repeats(sent) ? nil : shown
    }
    return error
  }

  /// Whether a status tells of a server in trouble, whatever the body says.
  static func isPassing(_ status: Int) -> Bool { Code(status: status).meaning == .passing }

  /// Both times are the server's, so its clock may be wrong.
  private mutating func noteWait(_ headers: HTTPHeaders) {
    retryAfterSeconds = code.meaning == .passing ? headers.retryAfterSeconds(now: headers.date) : nil
  }
}

extension OAuthError.Code {
  fileprivate init(status: Int) {
    self =
      switch status {
      case 200..<300: .malformedResponse
      case 300..<400: .redirectRefused
      // RFC 6749 section 5.2: 401 is for failed client authentication.
      case 401: .invalidClient
      case 429: .rateLimited
      case 408, 425, 500...: .serverUnavailable
      default: .otherServerError
      }
  }

  /// nil for a value that we do not know, and for one that a server in trouble gives no weight.
  fileprivate init?(serverError: String, kind: RequestKind, status: Int) {
    guard let code = Self.named(serverError, in: kind) ?? Self.named(serverError) else { return nil }
    if status >= 500, code.meaning != .grantEnded, code != .invalidClient { return nil }
    self = code
  }

  static func named(_ serverError: String) -> OAuthError.Code? {
    switch serverError {
    case "invalid_grant": .invalidGrant
    case "invalid_client", "incorrect_client_credentials": .invalidClient
    case "unauthorized_client", "device_flow_disabled": .unauthorizedClient
    case "invalid_request": .invalidRequest
    case "unsupported_grant_type": .unsupportedGrantType
    case "invalid_scope": .invalidScopeAnswer
    // RFC 8707 section 2, RFC 9396 section 5.
    case "invalid_target", "invalid_authorization_details": .invalidTargetAnswer
    case "access_denied", "authorization_declined": .accessDenied
    case "expired_token", "token_expired": .expiredToken
    case "server_error", "temporarily_unavailable": .serverUnavailable
    case "slow_down", "rate_limit_exceeded": .rateLimited
    case "unsupported_token_type": .unsupportedTokenRevocation
    case "invalid_token": .invalidToken
    case "insufficient_scope": .insufficientScope
    case "use_dpop_nonce", "invalid_dpop_proof": .proofRejected
    default: nil
    }
  }

  /// Values that mean something else for one kind of request. GitHub, Entra and Glewlwyd have names of their own for
  /// `invalid_grant`. For a refresh UAA and Spring Security answer `invalid_token` where the refresh token has expired,
  /// and Auth0 `access_denied` where a rule turns the person away; neither says that the grant has ended.
  private static func named(_ serverError: String, in kind: RequestKind) -> OAuthError.Code? {
    switch (kind, serverError) {
    // RFC 7591 section 3.2.2, and RFC 6750 section 3.1 for the initial access token.
    case (.registration, "invalid_redirect_uri"), (.registration, "invalid_client_metadata"),
      (.registration, "invalid_software_statement"), (.registration, "unapproved_software_statement"),
      (.registration, "access_denied"):
      .registrationRejected
    case (.refresh, "bad_refresh_token"): .invalidGrant
    case (.refresh, "invalid_token"), (.refresh, "access_denied"): .interactionRequired
    // OpenID Connect Core 1.0 section 3.1.2.6: the grant may be good again after the person did what is wanted.
    case (.refresh, "interaction_required"), (.refresh, "login_required"), (.refresh, "consent_required"),
      (.refresh, "account_selection_required"), (.exchange, "interaction_required"), (.exchange, "login_required"),
      (.exchange, "consent_required"), (.exchange, "account_selection_required"):
      .interactionRequired
    case (.devicePoll, "incorrect_device_code"), (.devicePoll, "bad_verification_code"),
      (.devicePoll, "invalid_code"), (.code, "bad_verification_code"), (.code, "invalid_code"):
      .invalidGrant
    default: nil
    }
  }
}
