package import Crypto
internal import Encoding
package import Vocabulary

/// Why an OAuth operation failed.
///
/// Holds no byte of a token. Only `serverError` and `serverDescription` keep text of the server, which is checked and
/// cleaned before.
package struct OAuthError: Error, Hashable, Sendable {
  package var code: Code
  package var subject: Subject
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
  /// The advice for this server.
  package var advice: Phrase?
  /// The advice is to give the client's secret.
  package var needsSecret = false
  /// The device grant is forbidden, and the server takes sign-ins by browser.
  package var needsBrowser = false
  /// The issuer that was probably meant: the same but for a slash at the end.
  package var issuerMeant: String?
  /// The claims that a sign-in must ask for.
  package var claims: RequestedClaims?
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

  package init(_ code: Code, _ subject: Subject, httpStatus: Int? = nil) {
    self.code = code
    self.subject = subject
    self.httpStatus = httpStatus
  }

  /// A failure to sign with a key.
  package init(signing error: CryptoError, _ subject: Subject) {
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
    let place: Subject =
      isAboutKey ? .clientKey : role == .resource ? .name(endpoint.uri.origin) : .endpoint(role)
    self.init(code, code.isAboutHost ? peer.map { .host($0.authority) } ?? .proxy : place)
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
  package var phrase: Phrase {
    let sentence = code.row(about: subjectPhrase).sentence
    let description = serverDescription ?? ""
    if code == .accessDenied, !description.isEmpty { return Phrase("\(sentence) (server: \(description))") }
    var text =
      serverError.map { Phrase("\(sentence) (\($0))") } ?? httpStatus.map { Phrase("\(sentence) (HTTP status \($0))") }
      ?? sentence
    if !description.isEmpty { text = Phrase("\(text): \(description)") }
    if let waitedSeconds { text = Phrase("\(text): timed out after \(waitedSeconds) s") }
    if let problem { text = Phrase("\(text): \(Phrase(stringLiteral: problem.title))") }
    if let untoldCorrelationID { text = Phrase("\(text) (correlation id \(untoldCorrelationID))") }
    return text
  }

  private var subjectPhrase: Phrase {
    guard let clockError else { return subject.phrase }
    return clockError > 0
      ? Phrase("\(subject.phrase); this machine's clock is \(clockError.magnitude) seconds ahead of the server's")
      : Phrase("\(subject.phrase); this machine's clock is \(clockError.magnitude) seconds behind the server's")
  }

  /// ``phrase`` in English.
  package var message: String { phrase.english }
}
