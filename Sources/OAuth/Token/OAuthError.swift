/// Why an OAuth operation failed.
///
/// Holds no byte of a token. Only `serverError` and `serverDescription` keep text of the server, which is checked and
/// cleaned before.
package struct OAuthError: Error, Hashable, Sendable {
  package var code: Code
  /// Which endpoint, member or claim this is about, in our own words: "the token endpoint".
  package var subject: String
  /// The `error` value of the answer, when it is at most 64 characters of RFC 6749 section 5.2.
  package var serverError: String?
  /// The server's description, cleaned for a terminal, at most 200 characters: the `error_description`, a media type,
  /// the target of a redirect; or that its host name was not found.
  package var serverDescription: String?
  /// By what the server's operators find the request, at most 64 letters, digits and "-".
  package var correlationID: String?
  package var httpStatus: Int?
  /// The advice for this server, in our own words.
  package var advice: String?
  /// How long the server asked us to wait, at most 300.
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

  /// A failure of the transport while talking to `subject`.
  package init(_ failure: HTTPFailure, _ subject: String) {
    self.init(Code(failure.code), failure.code == .proxy ? "the proxy" : subject)
    lostAnswer = failure.requestMayHaveArrived && !failure.responseStarted
    answerBegan = failure.responseStarted
    serverDescription =
      failure.code == .resolve ? "host name not found" : failure.redirectOrigin.map { "it leads to \($0)" }
  }

  /// The ``correlationID``, where the description does not tell it.
  package var untoldCorrelationID: String? {
    let words = (serverDescription ?? "").utf8.split(separator: UInt8(ascii: " "))
    return correlationID.flatMap { id in words.contains { $0.elementsEqual(id.utf8) } ? nil : id }
  }

  /// One sentence, lower case, without a full stop.
  package var message: String {
    var text = code.sentence(about: subject)
    if code == .accessDenied, let serverDescription, !serverDescription.isEmpty {
      return "\(text) (server: \(serverDescription))"
    }
    if let serverError { text += " (\(serverError))" } else if let httpStatus { text += " (HTTP status \(httpStatus))" }
    if let serverDescription, !serverDescription.isEmpty { text += ": \(serverDescription)" }
    if let untoldCorrelationID { text += " (correlation id \(untoldCorrelationID))" }
    return text
  }
}
