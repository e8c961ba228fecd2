internal import OAuth
internal import Vocabulary
internal import Wire

extension Phrase {
  /// An error's message with its values apart.
  init(_ error: OAuthError) {
    let subject = Phrase(subjectOf: error)
    // A sentence about a place is the sentence's template.
    let template = error.code.sentence(about: "%1$s")
    let namesSubject = template != error.code.sentence(about: "")
    let sentence = Phrase(template: template, values: namesSubject ? [.phrase(subject)] : [])
    if error.code == .accessDenied, let description = error.serverDescription, !description.isEmpty {
      self = Phrase("\(sentence) (server: \(description))")
      return
    }
    let told: Phrase =
      error.serverError.map { "\(sentence) (\($0))" } ?? error.httpStatus.map { "\(sentence) (HTTP status \($0))" }
      ?? sentence
    self = told
    let description = error.serverDescription ?? ""
    if !description.isEmpty { self = "\(told): \(description)" }
    if let seconds = error.waitedSeconds { self = Phrase("\(self): timed out after \(seconds) s") }
    if let problem = error.problem { self = Phrase("\(self): \(Phrase(stringLiteral: problem.title))") }
    if let id = error.untoldCorrelationID { self = Phrase("\(self) (correlation id \(id))") }
  }

  /// Translatable subjects of errors. Other subjects are names, addresses or terms of a standard.
  static let ownSubjects: [String: Phrase] = {
    let subjects: [Phrase] = [
      "the token endpoint", "the device authorization endpoint", "the pushed authorization request endpoint",
      "the authorization endpoint", "the revocation endpoint", "the introspection endpoint", "the UserInfo endpoint",
      "the client registration endpoint", "the metadata endpoint", "the JWK Set endpoint", "the server",
      "the resource", "the issuer", "the URL", "the scope", "the client id", "the sign-in", "the request",
      "the audience", "the proxy", "the configured one", "the authorization server", "the account's DPoP key",
      "the one that was asked for", "the client's key", "the key set", "the server, for this resource,",
    ]
    return Dictionary(subjects.map { ($0.english, $0) }, uniquingKeysWith: { one, _ in one })
  }()
}
