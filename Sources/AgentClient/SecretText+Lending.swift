internal import AgentSocket

extension SecretText {
  /// Passes an empty text to `body` and overwrites it afterwards, even if `body` throws.
  static func with<Result: ~Copyable, Failure: Error>(
    capacity: Int, _ body: (inout SecretText) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var text = SecretText(capacity: capacity)
    defer { text.overwrite() }
    return try body(&text)
  }
}
