internal import Crypto
internal import Encoding

/// The kind of a request; some answers have a meaning only for one kind.
enum RequestKind: Sendable { case refresh, exchange, assertion, clientAssertion, devicePoll, code, registration, other }

extension OAuthError {
  /// The error that a response stands for.
  ///
  /// The `error` value decides first and the HTTP status second. A 5xx with an OAuth error is still a server
  /// in trouble, unless the error is about the grant or the client itself. A refresh that is refused with an error wants
  /// a sign-in, unless the error is about the client, this request alone, or passing. A refusal without one may come
  /// from somebody between.
  static func answered(
    _ response: HTTPResponse, _ answer: ErrorAnswer?, _ subject: Subject, kind: RequestKind = .other,
    sent: [SharedSecret], shape: AnswerShape = .init()
  ) -> OAuthError {
    var error = status(of: response, subject, sent: sent)
    let words = answer?.description ?? ErrorAnswer.words(of: response, sent: sent)
    let isRefusal = (400..<500).contains(response.status) && !isPassing(response.status)
    if let answer {
      error.serverError = answer.error
      error.serverDescription = words.flatMap { $0 == answer.error ? nil : $0 }
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
      if kind == .refresh, isRefusal || response.status == 200 {
        error.code = error.code.ofRefresh(answer, shape, status: response.status)
      }
    } else if isRefusal {
      if ErrorAnswer.isForeign(response) {
        error = notJSON(response, subject, sent: sent)
      } else if kind == .refresh {
        // Glewlwyd answers a dead refresh token with an empty 400, and a proxy may answer so for any server. Only a new
        // sign-in is sure to help, but only `invalid_grant` ends a grant.
        error.code = response.status == 400 && response.body.count == 0 ? .refreshRefused : .refreshBlocked
      }
      if kind == .refresh, shape.isAboutRefreshToken(nil, description: words) { error.code = .interactionRequired }
      error.serverDescription = words ?? error.serverDescription
    }
    error.noteWait(response.headers)
    return error
  }

  /// The error that a status alone stands for. A redirect's target is not told if it repeats one of the secrets that
  /// were sent.
  static func status(of response: HTTPResponse, _ subject: Subject, sent: [SharedSecret] = []) -> OAuthError {
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
  ///
  /// - Parameter isObject: The body is a JSON object all the same, so it is the server's own.
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

  /// Whether a refresh was refused by an answer that is not the protocol's: by a server that does not say why, or by
  /// somebody between.
  package var isRefusalOutsideProtocol: Bool {
    code == .refreshBlocked || code == .notJSON && (httpStatus.map { (400..<500).contains($0) } ?? false)
  }

  /// Whether the server named an error that OAuth, or one of its servers, has.
  package var namesKnownError: Bool { serverError.map(Code.isKnown) ?? false }

  /// Whether two refusals are the same, whatever the words are: these may have the number of the request.
  package func isSameRefusal(as other: OAuthError) -> Bool {
    code == other.code && httpStatus == other.httpStatus && serverError == other.serverError
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
    guard let code = Self.named(serverError, in: kind) else { return nil }
    if status >= 500, code.meaning != .grantEnded, code != .invalidClient { return nil }
    self = code
  }

  /// The code as a refusal of a refresh.
  fileprivate func ofRefresh(_ answer: ErrorAnswer, _ shape: AnswerShape, status: Int) -> Self {
    if shape.isAboutRefreshToken(answer.error, description: answer.description) { return .interactionRequired }
    return switch self {
    case .invalidGrant, .interactionRequired, .serverUnavailable, .rateLimited: self
    // The client, and this request alone.
    case .invalidClient where answer.standardError.flatMap({ Self.named($0) }) == .invalidClient: self
    case .invalidScopeAnswer, .invalidTargetAnswer, .unsupportedGrantType, .proofRejected: self
    // RFC 6749 section 5.2: 401 is for failed client authentication, for which Keycloak has this name.
    case .unauthorizedClient where status == 401: self
    // Of a request that was good before only the refresh token can be the matter, which the description then names.
    case .invalidRequest where answer.description?.hasPart("refresh_token") != true: self
    default: answer.isText ? .interactionRequired : status >= 400 ? .refreshBlocked : self
    }
  }
}
