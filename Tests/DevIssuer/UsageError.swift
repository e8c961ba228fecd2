/// A command line that cannot be obeyed.
struct UsageError: Error, Hashable, Sendable {
  /// One sentence, lower case, no full stop.
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
