/// The nonces that one role of the server takes now (RFC 9449 section 8.1).
struct DPoPNonces: Sendable {
  /// The one that is handed out.
  private(set) var current: OpaqueKey
  /// The one before, for requests that crossed its replacement.
  private var previous: OpaqueKey?

  init(_ current: OpaqueKey) { self.current = current }

  func takes(_ text: String?) -> Bool {
    guard let key = text.flatMap(OpaqueKey.init(text:)) else { return false }
    return key == current || key == previous
  }

  /// Hands out another one from now on.
  mutating func rotate(to next: OpaqueKey) {
    previous = current
    current = next
  }

  /// Takes none of those that were handed out.
  mutating func replace(by next: OpaqueKey) {
    previous = nil
    current = next
  }
}
