/// Limits of JSON text (RFC 8259 section 9).
package struct JSONLimits: Sendable {
  /// The maximum ``depth``, because values are built recursively.
  package static let maximumDepth = 256
  /// The maximum of ``bytes``, because offsets are stored in 32 bits.
  static let maximumTextBytes = 1 << 30

  package var bytes: Int
  /// The nesting of arrays and objects, at most ``maximumDepth``.
  package var depth: Int
  /// The number of members in an object.
  package var members: Int
  /// The number of values, including the outermost.
  package var elements: Int
  /// The size of a string or name as written, without quotes.
  package var stringBytes: Int
  package var numberBytes: Int
  /// Whether to accept duplicate names and lone surrogates, which decode as U+FFFD.
  package var isLenient = false

  package init(
    bytes: Int = 1 << 20, depth: Int = 16, members: Int = 512, elements: Int = 65_536,
    stringBytes: Int = 65_536, numberBytes: Int = 32
  ) {
    self.bytes = bytes
    self.depth = depth
    self.members = members
    self.elements = elements
    self.stringBytes = stringBytes
    self.numberBytes = numberBytes
  }

  /// For everything from a server or peer.
  package static let standard = JSONLimits()

  /// For reading one member among arbitrary others: up to 256 KiB, nesting 64, 65,536 values.
  package static let lenient = lenient(bytes: 1 << 18, depth: 64)

  /// For JSON forwarded or stored unchanged: any grammatical text up to this size.
  package static func lenient(bytes: Int, depth: Int = maximumDepth, elements: Int = 65_536) -> JSONLimits {
    var limits = JSONLimits(
      bytes: bytes, depth: depth, members: bytes, elements: elements, stringBytes: bytes, numberBytes: bytes)
    limits.isLenient = true
    return limits
  }
}
