internal import AgentSocket

extension SecretText {
  /// Lends an empty text to `body` and overwrites it afterwards, also when `body` throws.
  static func with<Result, Failure: Error>(
    capacity: Int, _ body: (inout SecretText) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var text = SecretText(capacity: capacity)
    defer { text.overwrite() }
    return try body(&text)
  }
}
