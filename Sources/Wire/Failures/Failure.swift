package import Encoding
// The errors of the modules below are made of these.
@_exported public import enum Vocabulary.ExitStatus
@_exported public import enum Vocabulary.FailureCode
@_exported public import struct Vocabulary.Correction
@_exported public import struct Vocabulary.Phrase

/// The failure of a request, for the protocol and for people.
package struct Failure: Error, Sendable {
  /// The code that scripts branch on.
  package var code: FailureCode

  /// The message: one sentence, lower case, no full stop, safe for a terminal.
  package var text: Phrase

  /// The hint, mostly a command, if there is one.
  package var advice: Phrase?

  /// The name of the account that does not exist.
  package var subject: String?

  /// It is the secret of the client that is missing; its id is known.
  package var needsClientSecret = false

  /// The variables that the caller may hand over, after which the same request can succeed.
  package var variables: [String] = []

  /// No text is printed for it, because the reader of standard output has gone. It is not part of the wire format.
  package var isUntold = false

  /// ``text`` in English.
  package var message: String { text.english }

  /// ``advice`` in English.
  package var hint: String? { advice?.english }

  package init(_ code: FailureCode, _ text: Phrase, hint: Phrase? = nil) {
    self.code = code
    self.text = text
    advice = hint
  }

  /// For a hint that is a command, which has no translation; a literal makes a ``Phrase``.
  @_disfavoredOverload
  package init(_ code: FailureCode, _ text: Phrase, hint: String?) {
    self.init(code, text, hint: hint.map { .command($0) })
  }

  /// For composed texts, which have no translation.
  package init(_ code: FailureCode, verbatim message: String, hint: String? = nil) {
    self.init(code, Phrase(verbatim: message), hint: hint)
  }

  /// `{"code","message","hint"}`, the hint's command, the templates of texts with values, `subject`,
  /// `client_secret_needed` and `variables`.
  package var json: JSON {
    var object = JSONObject([("code", .string(code.rawValue))])
    text.addMembers(to: &object, as: "message")
    advice?.addMembers(to: &object, as: "hint")
    object["subject"] = subject.map { .string($0) }
    if needsClientSecret { object["client_secret_needed"] = true }
    if !variables.isEmpty { object["variables"] = .array(variables.map(JSON.string)) }
    return .object(object)
  }

  /// Reads what ``json`` writes; an unknown code, from a newer daemon, becomes `internal_error`.
  package init?(json: JSON) {
    guard let code = json["code"]?.string, let message = Phrase(json, "message") else { return nil }
    self.init(FailureCode(rawValue: code) ?? .internalError, message, hint: Phrase(json, "hint"))
    subject = json["subject"]?.string
    needsClientSecret = json["client_secret_needed"]?.bool ?? false
    variables = json["variables"]?.array?.compactMap(\.string) ?? []
  }
}

/// Failures are equal if they have the same code and are about the same subject, in whatever words.
extension Failure: Hashable {
  package static func == (one: Failure, other: Failure) -> Bool {
    one.code == other.code && one.subject == other.subject
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(subject)
  }
}

extension Failure {
  /// The daemon takes no notice of a request, or of a connection.
  package static let noAnswerInTime = Failure(.timeout, "the daemon did not answer in time")
  /// As many callers wait for the daemon to accept them as may.
  package static let queueFull = Failure(
    .tooBusy, "too many programs wait for the daemon to take notice of them", hint: "agent doctor")
  /// The time of a lease is over.
  package static let leaseTimeOver = Failure(.leaseEnded, "the time of the lease is over")
  /// The daemon does not know a request.
  package static let unknownRequest = Failure(.unknownRequest, "unknown request")
  /// A lease has no uses left.
  package static let leaseUsedUp = Failure(.leaseEnded, "the lease was used as often as it may be")

  /// No account has the name.
  package static func noAccount(named name: String, hint: Phrase) -> Failure {
    let shown = TerminalText.clean(name, limit: 64)
    var failure = Failure(.noAccount, "there is no account named \(shown)", hint: hint)
    failure.subject = shown
    return failure
  }

  /// The failure of a request for an ID Token that the account does not have.
  package static func missingIDToken(of account: String) -> Failure {
    Failure(
      .missingValue, "\(account) has no ID Token: none was asked for, or the server gave none",
      hint: idTokenHint(account: account))
  }

  /// The failure of a request for an ID Token that has too little time left, after a refresh has brought no other.
  package static func spentIDToken(of account: String) -> Failure {
    Failure(.interactionRequired, spentIDTokenText(of: account), hint: .command("agent login \(account)"))
  }

  package static func spentIDTokenText(of account: String) -> Phrase {
    Phrase("the ID Token of \(account) has expired, and the server gives no new one")
  }

  /// The hint for an account that has no ID Token.
  package static func idTokenHint(account: String) -> Phrase {
    Phrase("sign in again, with openid among the scopes: agent login \(account)").running("agent login \(account)")
  }
}
