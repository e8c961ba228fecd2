internal import Crypto
internal import Encoding

/// The kind of a request.
enum RequestKind: Sendable { case refresh, exchange, assertion, clientAssertion, devicePoll, code, registration, other }

extension OAuthError {
  /// The error for a response. The `error` value overrides the HTTP status, but a 5xx is a server problem unless the
  /// error is about the grant or client. After an OAuth error, a refresh requires a sign-in, unless the error is
  /// temporary or about client or request.
  static func forResponse(
    _ response: HTTPResponse, _ answer: ErrorResponse?, _ subject: Subject, kind: RequestKind = .other,
    sent: [SharedSecret], format: ResponseFormat = .init()
  ) -> OAuthError {
    var error = status(of: response, subject, sent: sent)
    let words = answer?.description ?? ErrorResponse.message(of: response, sent: sent)
    let isRefusal = (400..<500).contains(response.status) && !isTemporary(response.status)
    if let answer {
      error.serverError = answer.error
      error.serverDescription = words.flatMap { $0 == answer.error ? nil : $0 }
      error.correlationID = answer.correlationID
      if let value = answer.standardError {
        error.code = Code(serverError: value, kind: kind, status: response.status) ?? error.code
        // For `invalid_grant` (RFC 7521 section 4.1.1), some servers send `invalid_request`.
        let isOfAssertion =
          kind == .assertion && [.invalidGrant, .invalidRequest].contains(error.code)
          || kind == .clientAssertion && [.invalidClient, .invalidGrant, .invalidRequest].contains(error.code)
        if isOfAssertion { error.code = .assertionRejected }
      }
      // A sign-in with these claims restores the grant.
      let wantsPerson = [.invalidGrant, .interactionRequired].contains(error.code)
      if wantsPerson, [.refresh, .exchange].contains(kind), let claims = answer.claims {
        error.code = .interactionRequired
        error.claims = claims
      }
      if error.code == .malformedResponse, answer.error != nil { error.code = .otherServerError }
      if answer.error == nil, error.code == .otherServerError { error.code = .malformedResponse }
      if kind == .refresh, isRefusal || response.status == 200 {
        error.code = error.code.forFailedRefresh(answer, format, status: response.status)
      }
    } else if isRefusal {
      if ErrorResponse.mayBeFromIntermediary(response) {
        error = notJSON(response, subject, sent: sent)
      } else if kind == .refresh {
        error.code = .refreshBlocked
      }
      if kind == .refresh {
        if format.meansInvalidRefreshToken(nil, description: words) { error.code = .interactionRequired }
        if response.status == 400, format.omitsErrorForInvalidToken { error.code = .refreshRefused }
      }
      error.serverDescription = words ?? error.serverDescription
    }
    error.addRequestedWait(response.headers)
    return error
  }

  /// The error for a status, with a redirect's target unless it repeats a secret.
  static func status(of response: HTTPResponse, _ subject: Subject, sent: [SharedSecret] = []) -> OAuthError {
    var error = OAuthError(Code(status: response.status), subject, httpStatus: response.status)
    if error.code == .redirectRefused, let target = response.headers.location.flatMap({ try? URI($0) }) {
      error.serverDescription = SecretEcho(target.origin).repeats(sent) ? nil : "it leads to \(target.origin)"
    }
    error.addRequestedWait(response.headers)
    return error
  }

  /// Sets the description to the received issuer.
  func addingIssuer(_ issuer: String?) -> OAuthError {
    guard let issuer, (try? URI(issuer)) != nil else { return self }
    var error = self
    error.serverDescription = TerminalText.clean(issuer)
    return error
  }

  /// The error for an unexpected media type, perhaps of a captive portal. `isObject` if the body is a JSON object.
  static func notJSON(
    _ response: HTTPResponse, _ subject: Subject, sent: [SharedSecret], isObject: Bool = false
  ) -> OAuthError {
    var error = OAuthError(isObject ? .malformedResponse : .notJSON, subject, httpStatus: response.status)
    error.serverDescription = response.headers.mediaType.flatMap { type in
      let shown = TerminalText.clean(type, limit: 64)
      return SecretEcho(shown).repeats(sent) ? nil : shown
    }
    return error
  }

  package var isRefusalOutsideProtocol: Bool {
    code == .refreshBlocked || code == .notJSON && (httpStatus.map { (400..<500).contains($0) } ?? false)
  }

  package var namesKnownError: Bool { serverError.map(Code.isKnown) ?? false }

  /// Ignores descriptions, which may contain a request ID.
  package func isSameRefusal(as other: OAuthError) -> Bool {
    code == other.code && httpStatus == other.httpStatus && serverError == other.serverError
  }

  static func isTemporary(_ status: Int) -> Bool { Code(status: status).effect == .temporary }

  /// Adds the wait that the server requests, by its clock.
  private mutating func addRequestedWait(_ headers: HTTPHeaders) {
    retryAfterSeconds = code.effect == .temporary ? headers.retryAfterSeconds(now: headers.date) : nil
  }
}

extension OAuthError.Code {
  fileprivate init(status: Int) {
    self =
      switch status {
      case 200..<300: .malformedResponse
      case 300..<400: .redirectRefused
      // Failed client authentication (RFC 6749 section 5.2).
      case 401: .invalidClient
      case 429: .rateLimited
      case 408, 425, 500...: .serverUnavailable
      default: .otherServerError
      }
  }

  /// Nil if unknown, or if the HTTP status indicates a server problem.
  fileprivate init?(serverError: String, kind: RequestKind, status: Int) {
    guard let code = Self.named(serverError, in: kind) else { return nil }
    if status >= 500, code.effect != .grantEnded, code != .invalidClient { return nil }
    self = code
  }

  /// The code if the failed request was a refresh.
  fileprivate func forFailedRefresh(_ answer: ErrorResponse, _ format: ResponseFormat, status: Int) -> Self {
    if format.meansInvalidRefreshToken(answer.error, description: answer.description) { return .interactionRequired }
    return switch self {
    case .invalidGrant, .interactionRequired, .serverUnavailable, .rateLimited: self
    case .invalidClient where answer.standardError.flatMap({ Self.named($0) }) == .invalidClient: self
    case .invalidScopeAnswer, .invalidTargetAnswer, .unsupportedGrantType, .proofRejected: self
    // Keycloak reports failed client authentication (RFC 6749 section 5.2) so.
    case .unauthorizedClient where status == 401: self
    // The request worked before, so the description must mention the token.
    case .invalidRequest where answer.description.map(Self.mentionsRefreshToken) != true: self
    default: answer.isText ? .interactionRequired : status >= 400 ? .refreshBlocked : self
    }
  }

  /// Finds "refresh token" in any spelling.
  private static func mentionsRefreshToken(_ text: String) -> Bool {
    let text = text.lowercased()
    return ["refresh_token", "refresh token", "refresh-token", "refreshtoken"].contains { text.hasPart($0) }
  }
}
