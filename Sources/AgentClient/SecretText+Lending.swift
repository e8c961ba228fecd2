internal import Wire

extension SecretText {
  /// Always overwrites the text after `body`.
  static func with<Result: ~Copyable, Failure: Error>(
    capacity: Int, _ body: (inout SecretText) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var text = SecretText(capacity: capacity)
    defer { text.overwrite() }
    return try body(&text)
  }
}
