package import Encoding
// The errors of lower modules consist of these.
@_exported public import enum Vocabulary.ExitStatus
@_exported public import enum Vocabulary.FailureCode
@_exported public import struct Vocabulary.Correction
@_exported public import struct Vocabulary.Phrase

/// The failure of a request, for the protocol and for users.
package struct Failure: Error, Sendable {
  /// The code for scripts.
  package var code: FailureCode

  /// The message: one sentence in lowercase without a full stop, safe for a terminal.
  package var text: Phrase

  /// The hint, if there is one: usually a command.
  package var advice: Phrase?

  /// The name of the account that does not exist.
  package var subject: String?

  /// Whether the client secret is missing while the client ID is known.
  package var needsClientSecret = false

  /// The variables that the caller can pass, after which the same request may succeed.
  package var variables: [String] = []

  /// Whether to print no message, because the reader of standard output has closed it. Not part of the protocol.
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

  /// For a hint that is a command, which has no translation. A literal creates a ``Phrase``.
  @_disfavoredOverload
  package init(_ code: FailureCode, _ text: Phrase, hint: String?) {
    self.init(code, text, hint: hint.map { .command($0) })
  }

  /// For composed messages, which have no translation.
  package init(_ code: FailureCode, verbatim message: String, hint: String? = nil) {
    self.init(code, Phrase(verbatim: message), hint: hint)
  }

  /// `{"code","message","hint"}`, the hint's command, the templates of messages with values, `subject`,
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

  /// Parses ``json``. An unknown code, from a newer daemon, becomes `internal_error`.
  package init?(json: JSON) {
    guard let code = json["code"]?.string, let message = Phrase(json, "message") else { return nil }
    self.init(FailureCode(rawValue: code) ?? .internalError, message, hint: Phrase(json, "hint"))
    subject = json["subject"]?.string
    needsClientSecret = json["client_secret_needed"]?.bool ?? false
    variables = json["variables"]?.array?.compactMap(\.string) ?? []
  }
}

/// Failures are equal if they have the same code and subject, whatever the message.
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
  /// The daemon does not respond to a request or connection.
  package static let noAnswerInTime = Failure(.timeout, "the daemon did not answer in time")
  /// Too many callers wait for the daemon to accept them.
  package static let queueFull = Failure(
    .tooBusy, "too many programs are waiting for the daemon", hint: "agent doctor")
  package static let leaseTimeOver = Failure(.leaseEnded, "the lease has expired")
  /// The daemon does not know a request.
  package static let unknownRequest = Failure(.unknownRequest, "unknown request")
  /// A lease does not permit a request; the same for those that the daemon knows and does not know.
  package static let notLent = Failure(.notPermitted, "the lease does not permit this request")
  /// A lease has ended, whatever the reason.
  package static let leaseOver = Failure(.leaseEnded, "the lease has ended")
  /// A lease has no uses left.
  package static let leaseUsedUp = Failure(.leaseEnded, "the lease has reached its maximum number of uses")

  /// The account depends on the caller's directory, which is unknown.
  package static let directoryNeeded = Failure(
    .directoryNeeded, "the account depends on the working directory, which no longer exists",
    hint: "name the account, or change to another directory")

  package static func noAccount(named name: String, hint: Phrase) -> Failure {
    let shown = TerminalText.clean(name, limit: 64)
    var failure = Failure(.noAccount, "no account is called \(shown)", hint: hint)
    failure.subject = shown
    return failure
  }

  /// The failure of a request for an ID Token that the account does not have.
  package static func missingIDToken(of account: String) -> Failure {
    Failure(
      .missingValue, "\(account) has no ID Token: it was not requested, or the server issued none",
      hint: idTokenHint(account: account))
  }

  /// The failure of a request for an ID Token that expires too soon, after a refresh has returned no other.
  package static func spentIDToken(of account: String) -> Failure {
    Failure(.interactionRequired, spentIDTokenText(of: account), hint: .command("agent login \(account)"))
  }

  package static func spentIDTokenText(of account: String) -> Phrase {
    Phrase("the ID Token of \(account) has expired, and the server issues no new one")
  }

  package static func idTokenHint(account: String) -> Phrase {
    Phrase("sign in again with the scope openid: agent login \(account)").running("agent login \(account)")
  }
}
