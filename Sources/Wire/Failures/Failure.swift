package import Encoding
// Requests, answers and failures consist of its types.
@_exported public import Vocabulary

/// An error of the daemon or a client.
package struct Failure: Error, Sendable, Hashable {
  package var code: FailureCode

  /// In lowercase without a full stop, safe for a terminal.
  package var text: Phrase

  /// What to do, usually a command.
  package var advice: Phrase?

  /// The missing account, for `no_account`.
  package var subject: String?

  /// Whether only the client secret is missing.
  package var needsClientSecret = false

  /// Environment variables that the daemon needs from the caller.
  package var variables: [String] = []

  /// Whether to print nothing because standard output is closed. Not in the protocol.
  package var isSilent = false

  package var message: String { text.english }

  package var hint: String? { advice?.english }

  package init(_ code: FailureCode, _ text: Phrase, hint: Phrase? = nil) {
    self.code = code
    self.text = text
    advice = hint
  }

  /// `hint` is a command. A literal becomes a ``Phrase`` instead.
  @_disfavoredOverload
  package init(_ code: FailureCode, _ text: Phrase, hint: String?) {
    self.init(code, text, hint: hint.map { .command($0) })
  }

  /// `message` is not translated.
  package init(_ code: FailureCode, verbatim message: String, hint: String? = nil) {
    self.init(code, Phrase(verbatim: message), hint: hint)
  }

  /// Includes templates for translation.
  package var json: JSON {
    var object = JSONObject([("code", .string(code.rawValue))])
    text.addMembers(to: &object, as: "message")
    advice?.addMembers(to: &object, as: "hint")
    object["subject"] = subject.map { .string($0) }
    if needsClientSecret { object["client_secret_needed"] = true }
    if !variables.isEmpty { object["variables"] = .array(variables.map(JSON.string)) }
    return .object(object)
  }

  /// Reads an unknown code, from a newer daemon, as `internal_error`.
  package init?(json: JSON) {
    guard let code = json["code"]?.string, let message = Phrase(json, "message") else { return nil }
    self.init(FailureCode(rawValue: code) ?? .internalError, message, hint: Phrase(json, "hint"))
    subject = json["subject"]?.string
    needsClientSecret = json["client_secret_needed"]?.bool ?? false
    variables = json["variables"]?.array?.compactMap(\.string) ?? []
  }

  // Ignores messages and hints.

  package static func == (one: Failure, other: Failure) -> Bool {
    one.code == other.code && one.subject == other.subject
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(subject)
  }

  package static let noAnswerInTime = Failure(.timeout, "the daemon did not answer in time")
  package static let queueFull = Failure(
    .tooBusy, "too many programs are waiting for the daemon", hint: "agent doctor")
  package static let leaseExpired = Failure(.leaseEnded, "the lease has expired")
  package static let unknownRequest = Failure(.unknownRequest, "unknown request")
  package static let notPermittedByLease = Failure(.notPermitted, "the lease does not permit this request")
  package static let leaseEnded = Failure(.leaseEnded, "the lease has ended")
  package static let leaseUsedUp = Failure(.leaseEnded, "the lease has reached its maximum number of uses")

  package static let directoryNeeded = Failure(
    .directoryNeeded, "the account depends on the working directory, which no longer exists",
    hint: "name the account, or change to another directory")

  package static func noAccount(named name: String, hint: Phrase) -> Failure {
    let shown = TerminalText.word(name)
    var failure = Failure(.noAccount, "no account is called \(shown)", hint: hint)
    failure.subject = shown
    return failure
  }

  package static func missingIDToken(of account: String) -> Failure {
    Failure(
      .missingValue, "\(account) has no ID Token: it was not requested, or the server issued none",
      hint: idTokenHint(account: account))
  }

  /// The ID Token expires too soon, and a refresh brought none.
  package static func expiringIDToken(of account: String) -> Failure {
    Failure(.interactionRequired, expiringIDTokenText(of: account), hint: .command("agent login \(account)"))
  }

  package static func expiringIDTokenText(of account: String) -> Phrase {
    Phrase("the ID Token of \(account) has expired, and the server issues no new one")
  }

  package static func idTokenHint(account: String) -> Phrase {
    Phrase("sign in again with the scope openid: agent login \(account)").withCommandAtEnd("agent login \(account)")
  }

  package init(_ problem: AdministratorFiles.Problem) {
    self.init(.invalidConfiguration, problem.text, hint: problem.remedy.map { .command($0) })
  }

  /// For a provider neither built in nor defined by a valid file.
  package static func unknownProvider(_ name: String) -> Failure {
    if let problem = AdministratorFiles.current.problem(of: name) { return Failure(problem) }
    return Failure(
      .invalidRequest, "unknown provider \"\(TerminalText.clean(name, limit: 64))\"",
      hint: Phrase.didYouMean(name, among: Provider.names) ?? "agent help providers")
  }
}
