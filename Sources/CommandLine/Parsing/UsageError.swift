internal import Wire

/// A command line that cannot be run.
struct UsageError: Error, Hashable {
  /// What is wrong, for people: the code is always `invalid_request`.
  var failure: Failure

  /// The command that was named before the fault was found; how a failure is told may depend on it.
  var commandName: String?

  init(_ message: String, hint: String, commandName: String?) {
    failure = Failure(.invalidRequest, message, hint: hint)
    self.commandName = commandName
  }
}
