package import Crypto
internal import Encoding

/// Contains no part of a token. `serverError` and `serverDescription` are the server's text, without control
/// characters.
package struct OAuthError: Error, Hashable, Sendable {
  package var code: Code
  package var subject: Subject
  /// The `error`, at most 64 characters (RFC 6749 section 5.2).
  package var serverError: String?
  /// `error_description`, media type or redirect target: at most 200 characters.
  package var serverDescription: String?
  package var problem: ConnectionProblem?
  /// Name servers that did not respond, separated by commas.
  package var nameServers: String?
  /// The timeout, in whole seconds.
  package var waitedSeconds: Int?
  /// Seconds that this machine's clock is ahead of the server's, if a token's times were rejected.
  package var clockAheadSeconds: Int?
  /// For the server's operators: at most 64 letters, digits and "-".
  package var correlationID: String?
  package var httpStatus: Int?
  package var advice: Phrase?
  /// Whether the advice is to provide a client secret.
  package var needsSecret = false
  /// Whether the device grant is forbidden, but not a sign-in with a browser.
  package var needsBrowser = false
  /// The issuer probably intended; differs only by a trailing slash or the scheme.
  package var intendedIssuer: String?
  /// Claims that a sign-in must request.
  package var claims: RequestedClaims?
  /// Requested by the server (at most 300), or until its keys may be fetched again (at most 3600).
  package var retryAfterSeconds: Int?
  /// Whether the request may have succeeded without a response. The refresh token may be replaced.
  package var isResponseLost = false
  /// Whether a response began, but is incomplete.
  package var hasResponseBegun = false
  /// Whether the request may have succeeded, but the response, perhaps with a new refresh token, is unusable.
  package var isResponseUnusable = false
  /// Whether the new refresh token is stored. The error is about the rest of the response, or a later request.
  package var followsSuccess = false

  package init(_ code: Code, _ subject: Subject, httpStatus: Int? = nil) {
    self.code = code
    self.subject = subject
    self.httpStatus = httpStatus
  }

  package init(signing error: CryptoError, _ subject: Subject) {
    let code: Code =
      switch error.code {
      case .unreachable: .keyUnavailable
      case .foreignKey: .keyForeign
      default: .cryptoFailure
      }
    self.init(code, subject)
  }

  package init(_ failure: HTTPFailure, _ role: EndpointRole, at endpoint: Endpoint, proxy: String?) {
    let code = Code(failure)
    let peer = code == .proxyFailed ? proxy.flatMap { try? URI($0) } : endpoint.uri
    let isAboutKey = code == .keyUnavailable || code == .keyForeign
    let subject: Subject =
      isAboutKey ? .clientKey : role == .resource ? .name(endpoint.uri.origin) : .endpoint(role)
    self.init(code, code.isAboutHost ? peer.map { .host($0.authority) } ?? .proxy : subject)
    // Certificate messages describe these.
    let isTold = [.certificateExpired, .certificateNotYetValid, .certificateOfOtherHost].contains(failure.problem)
    problem = isTold ? nil : failure.problem
    nameServers = failure.nameServers
    waitedSeconds = failure.waitedSeconds
    isResponseLost = failure.requestMayHaveArrived && !failure.responseStarted
    hasResponseBegun = failure.responseStarted
    serverDescription = failure.redirectOrigin.map { "it leads to \($0)" }
  }

  init(_ failure: HTTPFailure, _ request: borrowing HTTPRequest) {
    self.init(failure, request.role, at: request.endpoint, proxy: request.transport.proxy?.url)
  }

  /// The problem implied by ``code``, else ``problem``.
  package var connectionProblem: ConnectionProblem? {
    switch code {
    case .certificateExpired: .certificateExpired
    case .certificateNotYetValid: .certificateNotYetValid
    case .certificateOfOtherHost: .certificateOfOtherHost
    case .timeout: .timedOut
    default: problem
    }
  }

  /// Nil if ``serverDescription`` contains it.
  package var unmentionedCorrelationID: String? {
    let words = (serverDescription ?? "").utf8.split(separator: UInt8(ascii: " "))
    return correlationID.flatMap { id in words.contains { $0.elementsEqual(id.utf8) } ? nil : id }
  }

  /// For users, in lowercase without full stop.
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
    guard let clockAheadSeconds else { return subject.phrase }
    return clockAheadSeconds > 0
      ? Phrase(
        "\(subject.phrase); this machine's clock is \(clockAheadSeconds.magnitude) seconds ahead of the server's")
      : Phrase("\(subject.phrase); this machine's clock is \(clockAheadSeconds.magnitude) seconds behind the server's")
  }

  package var message: String { phrase.english }

  init(insecure uri: URI, _ subject: Subject) {
    self.init(.insecureURL, subject)
    if !uri.isHTTPLoopback { advice = "use https" }
  }

  package init(_ breach: ProfileBreach) {
    self.init(.profileBroken, .breach(breach))
  }
}
