package import Crypto
internal import Encoding

/// The failure of an OAuth operation.
///
/// Never contains any part of a token. Only `serverError` and `serverDescription` are the server's text, validated and
/// without control characters.
package struct OAuthError: Error, Hashable, Sendable {
  package var code: Code
  /// The part of the protocol, setting or value that the error is about.
  package var subject: Subject
  /// The `error` value of the response, at most 64 characters allowed by RFC 6749 section 5.2.
  package var serverError: String?
  /// The server's description, at most 200 characters, without control characters: the `error_description`, a media
  /// type or a redirect target.
  package var serverDescription: String?
  /// The reason for a failed connection.
  package var problem: ConnectionProblem?
  /// The addresses of name servers that did not respond, separated by commas.
  package var nameServers: String?
  /// The duration of a timeout, in whole seconds.
  package var waitedSeconds: Int?
  /// How many seconds this machine's clock is ahead of the server's, if a token's times were rejected.
  package var clockError: Int?
  /// The ID for the server's operators to find the request: at most 64 letters, digits and "-".
  package var correlationID: String?
  package var httpStatus: Int?
  /// Advice for users about this error, for example specific to a provider.
  package var advice: Phrase?
  /// Whether the advice is to provide a client secret.
  package var needsSecret = false
  /// Whether the device grant is forbidden, but the server supports signing in with a browser.
  package var needsBrowser = false
  /// The issuer that was probably intended. It differs only by a trailing slash.
  package var intendedIssuer: String?
  /// The claims that a sign-in must request.
  package var claims: RequestedClaims?
  /// The wait before a retry, in seconds: as the server asked (at most 300), or until its keys may be fetched again (at
  /// most 3600).
  package var retryAfterSeconds: Int?
  /// Whether the request may have been carried out without a response. The sent refresh token may have been replaced by
  /// an unknown one.
  package var lostAnswer = false
  /// Whether a response began but is incomplete.
  package var answerBegan = false
  /// Whether the request may have been carried out with an unusable response. The sent refresh token may have been
  /// replaced by one in it.
  package var brokenAnswer = false
  /// Whether the request succeeded and its new refresh token is stored. The error is about the rest of the response, or
  /// a later request without a secret.
  package var followsSuccess = false

  package init(_ code: Code, _ subject: Subject, httpStatus: Int? = nil) {
    self.code = code
    self.subject = subject
    self.httpStatus = httpStatus
  }

  /// Converts an error of signing with a key.
  package init(signing error: CryptoError, _ subject: Subject) {
    let code: Code =
      switch error.code {
      case .unreachable: .keyUnavailable
      case .foreignKey: .keyForeign
      default: .cryptoFailure
      }
    self.init(code, subject)
  }

  /// Converts an error of the HTTP client.
  ///
  /// - Parameter proxy: The URL of the connection's proxy, if any.
  package init(_ failure: HTTPFailure, _ role: EndpointRole, at endpoint: Endpoint, proxy: String?) {
    let code = Code(failure)
    let peer = code == .proxyFailed ? proxy.flatMap { try? URI($0) } : endpoint.uri
    let isAboutKey = code == .keyUnavailable || code == .keyForeign
    let subject: Subject =
      isAboutKey ? .clientKey : role == .resource ? .name(endpoint.uri.origin) : .endpoint(role)
    self.init(code, code.isAboutHost ? peer.map { .host($0.authority) } ?? .proxy : subject)
    // The messages about certificates already describe these problems.
    let isTold = [.certificateExpired, .certificateNotYetValid, .certificateOfOtherHost].contains(failure.problem)
    problem = isTold ? nil : failure.problem
    nameServers = failure.nameServers
    waitedSeconds = failure.waitedSeconds
    lostAnswer = failure.requestMayHaveArrived && !failure.responseStarted
    answerBegan = failure.responseStarted
    serverDescription = failure.redirectOrigin.map { "it leads to \($0)" }
  }

  /// Converts an error of the HTTP client for this request.
  init(_ failure: HTTPFailure, _ request: borrowing HTTPRequest) {
    self.init(failure, request.role, at: request.endpoint, proxy: request.transport.proxy?.url)
  }

  /// The connection problem: the one that the code describes, otherwise ``problem``.
  package var connectionProblem: ConnectionProblem? {
    switch code {
    case .certificateExpired: .certificateExpired
    case .certificateNotYetValid: .certificateNotYetValid
    case .certificateOfOtherHost: .certificateOfOtherHost
    case .timeout: .timedOut
    default: problem
    }
  }

  /// The ``correlationID``, unless the description contains it.
  package var unmentionedCorrelationID: String? {
    let words = (serverDescription ?? "").utf8.split(separator: UInt8(ascii: " "))
    return correlationID.flatMap { id in words.contains { $0.elementsEqual(id.utf8) } ? nil : id }
  }

  /// The message for users, in lowercase and without a full stop.
  package var phrase: Phrase {
    let sentence = code.row(about: subjectPhrase).sentence
    let description = serverDescription ?? ""
    if code == .accessDenied, !description.isEmpty { return Phrase("\(sentence) (server: \(description))") }
    var text =
      serverError.map { Phrase("\(sentence) (\($0))") } ?? httpStatus.map { Phrase("\(sentence) (HTTP status \($0))") }
      ?? sentence
    if !description.isEmpty { text = Phrase("\(text): \(description)") }
    if let waitedSeconds { text = Phrase("\(text): timed out after \(waitedSeconds) s") }
    if problem == .nameServerSilent, let nameServers {
      text = Phrase("\(text): no answer from the name server \(nameServers)")
    } else if let problem {
      text = Phrase("\(text): \(Phrase(stringLiteral: problem.title))")
    }
    if let unmentionedCorrelationID { text = Phrase("\(text) (correlation id \(unmentionedCorrelationID))") }
    return text
  }

  private var subjectPhrase: Phrase {
    guard let clockError else { return subject.phrase }
    return clockError > 0
      ? Phrase("\(subject.phrase); this machine's clock is \(clockError.magnitude) seconds ahead of the server's")
      : Phrase("\(subject.phrase); this machine's clock is \(clockError.magnitude) seconds behind the server's")
  }

  /// The message for users in English.
  package var message: String { phrase.english }
}
