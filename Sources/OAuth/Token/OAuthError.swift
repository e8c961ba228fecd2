package import Crypto
internal import Encoding
package import Vocabulary

/// Why an OAuth operation failed.
///
/// Holds no byte of a token. Only `serverError` and `serverDescription` keep text of the server, which is checked and
/// cleaned before.
package struct OAuthError: Error, Hashable, Sendable {
  package var code: Code
  /// The endpoint, member or claim that this is about, in our own words: "the token endpoint"; for a connection that
  /// could not be made or broke, the host, with its port if that is not the scheme's.
  package var subject: String
  /// The `error` value of the answer, when it is at most 64 characters of RFC 6749 section 5.2.
  package var serverError: String?
  /// The server's description, cleaned for a terminal, at most 200 characters: the `error_description`, a media type,
  /// the target of a redirect.
  package var serverDescription: String?
  /// Why no connection came about.
  package var problem: ConnectionProblem?
  /// For a timeout: how long was waited, in whole seconds.
  package var waitedSeconds: Int?
  /// For a token out of its time: how far this machine's clock is ahead of the server's, in seconds.
  package var clockError: Int?
  /// By what the server's operators find the request, at most 64 letters, digits and "-".
  package var correlationID: String?
  package var httpStatus: Int?
  /// The advice for this server, in our own words.
  package var advice: String?
  /// The issuer that was probably meant: the same but for a slash at the end.
  package var issuerMeant: String?
  /// The claims that a sign-in must ask for.
  package var claims: RequestedClaims?
  /// How the account's security profile was broken.
  package var breach: ProfileBreach?
  /// How long the server asked us to wait, at most 300; or the time until its keys may be fetched again, at most 3600.
  package var retryAfterSeconds: Int?
  /// The request may have been carried out, and no byte of an answer was seen. A refresh token that was
  /// sent may have been replaced by one that we never got.
  package var lostAnswer = false
  /// An answer began and did not get here.
  package var answerBegan = false
  /// The request may have been carried out, and nothing of its answer could be used. A refresh token that was sent may
  /// have been replaced by one that was in it.
  package var brokenAnswer = false
  /// The request itself succeeded, and its new refresh token is kept; the error is in the rest of the answer, or in a
  /// later request without a secret. A repetition of the first request would spend the new token.
  package var followsSuccess = false

  package init(_ code: Code, _ subject: String, httpStatus: Int? = nil) {
    self.code = code
    self.subject = subject
    self.httpStatus = httpStatus
  }

  /// The client's private key, as a subject.
  package static let clientKey = "the client's key"

  /// A failure to sign with a key.
  package init(signing error: CryptoError, _ subject: String) {
    let code: Code =
      switch error.code {
      case .unreachable: .keyUnavailable
      case .foreignKey: .keyForeign
      default: .cryptoFailure
      }
    self.init(code, subject)
  }

  /// A failure of the transport.
  ///
  /// - Parameter proxy: The URL of the proxy of the connection, if any.
  package init(_ failure: HTTPFailure, _ role: EndpointRole, at endpoint: Endpoint, proxy: String?) {
    let code = Code(failure)
    let peer = code == .proxyFailed ? proxy.flatMap { try? URI($0) } : endpoint.uri
    let isAboutKey = code == .keyUnavailable || code == .keyForeign
    let place = isAboutKey ? Self.clientKey : role == .resource ? endpoint.uri.origin : role.subject
    self.init(code, code.isAboutHost ? peer?.authority ?? "the proxy" : place)
    // The sentences about certificates tell these themselves.
    let isTold = [.certificateExpired, .certificateNotYetValid, .certificateOfOtherHost].contains(failure.problem)
    problem = isTold ? nil : failure.problem
    waitedSeconds = failure.waitedSeconds
    lostAnswer = failure.requestMayHaveArrived && !failure.responseStarted
    answerBegan = failure.responseStarted
    serverDescription = failure.redirectOrigin.map { "it leads to \($0)" }
  }

  /// A failure of the transport while it sent this request.
  init(_ failure: HTTPFailure, _ request: borrowing HTTPRequest) {
    self.init(failure, request.role, at: request.endpoint, proxy: request.transport.proxy?.url)
  }

  /// As ``problem``, and where the sentence itself tells it.
  package var connectionProblem: ConnectionProblem? {
    switch code {
    case .certificateExpired: .certificateExpired
    case .certificateNotYetValid: .certificateNotYetValid
    case .certificateOfOtherHost: .certificateOfOtherHost
    case .timeout: .timedOut
    default: problem
    }
  }

  /// The ``correlationID``, where the description does not tell it.
  package var untoldCorrelationID: String? {
    let words = (serverDescription ?? "").utf8.split(separator: UInt8(ascii: " "))
    return correlationID.flatMap { id in words.contains { $0.elementsEqual(id.utf8) } ? nil : id }
  }

  /// One sentence, lower case, without a full stop.
  package var message: String {
    var text = code.sentence(about: subject)
    if let clockError {
      let direction = clockError > 0 ? "ahead of" : "behind"
      text += "; this machine's clock is \(clockError.magnitude) seconds \(direction) the server's"
    }
    if code == .accessDenied, let serverDescription, !serverDescription.isEmpty {
      return "\(text) (server: \(serverDescription))"
    }
    if let serverError { text += " (\(serverError))" } else if let httpStatus { text += " (HTTP status \(httpStatus))" }
    if let serverDescription, !serverDescription.isEmpty { text += ": \(serverDescription)" }
    if let problem { text += ": \(problem.title)" }
    if let waitedSeconds { text += ": timed out after \(waitedSeconds) s" }
    if let untoldCorrelationID { text += " (correlation id \(untoldCorrelationID))" }
    return text
  }
}
