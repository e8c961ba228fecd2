internal import Wire

extension SecretText {
  /// Passes an empty text to `body`, then overwrites the text, even if `body` throws.
  static func with<Result: ~Copyable, Failure: Error>(
    capacity: Int, _ body: (inout SecretText) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var text = SecretText(capacity: capacity)
    defer { text.overwrite() }
    return try body(&text)
  }
}
