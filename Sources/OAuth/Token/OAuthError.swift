/// Why an OAuth operation failed, and what can be done about it.
///
/// Holds no byte of a token. What the server said is kept only in `serverError` and `serverDescription`,
/// which are checked and cleaned before they get here.
package struct OAuthError: Error, Hashable, Sendable {
  /// What helps. Sessions and the command line act on this alone.
  package enum Remedy: Sendable { case signInAgain, tryLater, fixConfiguration, none }

  package var code: Code
  package var remedy: Remedy
  /// Which endpoint, member or claim this is about, in our own words: "the token endpoint".
  package var subject: String
  /// The `error` value of the answer, when it is at most 64 characters of RFC 6749 section 5.2.
  package var serverError: String?
  /// What the answer says of it, cleaned for a terminal, at most 200 characters: the `error_description`, a media type,
  /// where a redirect leads.
  package var serverDescription: String?
  package var httpStatus: Int?
  /// What helps at this server, in our own words.
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
  /// The request itself succeeded, and the refresh token that it brought is kept; this is wrong with the rest of the
  /// answer, or came of a later request, which had no secret. Another try of the first would spend what it brought.
  package var followsSuccess = false

  package init(_ code: Code, _ subject: String, httpStatus: Int? = nil) {
    self.code = code
    self.remedy = code.usualRemedy
    self.subject = subject
    self.httpStatus = httpStatus
  }

  /// A failure of the transport while talking to `subject`.
  package init(_ failure: HTTPFailure, _ subject: String) {
    self.init(Code(failure.code), failure.code == .proxy ? "the proxy" : subject)
    lostAnswer = failure.requestMayHaveArrived && !failure.responseStarted
    answerBegan = failure.responseStarted
    serverDescription = failure.redirectOrigin.map { "it leads to \($0)" }
  }

  /// One sentence, lower case, without a full stop.
  package var message: String {
    var text = code.sentence(about: subject)
    if let serverError { text += " (\(serverError))" } else if let httpStatus { text += " (HTTP status \(httpStatus))" }
    if let serverDescription, !serverDescription.isEmpty { text += ": \(serverDescription)" }
    return text
  }
}
