/// The limits of a JSON text (RFC 8259 section 9 lets a parser set them).
package struct JSONLimits: Sendable {
  /// The deepest nesting any caller can allow, because values are built by recursion.
  package static let deepest = 256
  /// The longest text any caller can allow, because offsets are kept in 32 bits.
  static let longest = 1 << 30

  /// Bytes of the whole text.
  package var bytes: Int
  /// Arrays and objects inside each other; more than ``deepest`` counts as that.
  package var depth: Int
  /// Members of one object.
  package var members: Int
  /// Values in the whole text, the outermost included.
  package var elements: Int
  /// Bytes between the quotes of one string or name, escapes counted as written.
  package var stringBytes: Int
  /// Bytes of one number.
  package var numberBytes: Int
  /// Takes what the grammar of RFC 8259 allows and readers disagree on: duplicate names, and lone surrogates, which
  /// are read as U+FFFD.
  package var isLenient = false

  /// Makes a set of limits; each one that is left out has its standard value.
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

  /// The limits for everything that comes from a server or a peer, unless a caller sets others.
  package static let standard = JSONLimits()

  /// The limits for reading one member of a text whose other members may be of any kind. Every text of up to
  /// 256 KiB that the grammar allows is read, up to a nesting of 64 and 65,536 values.
  package static let lenient = lenient(bytes: 1 << 18, depth: 64)

  /// The limits for a text that is passed on or kept as it is: every one up to this size that the grammar allows is read.
  package static func lenient(bytes: Int, depth: Int = deepest, elements: Int = 65_536) -> JSONLimits {
    var limits = JSONLimits(
      bytes: bytes, depth: depth, members: bytes, elements: elements, stringBytes: bytes, numberBytes: bytes)
    limits.isLenient = true
    return limits
  }
}
