/// A base64 alphabet (RFC 4648 sections 4 and 5), without padding or whitespace.
struct Base64Alphabet {
  /// The character for 62.
  private let plus: UInt8
  /// The character for 63.
  private let slash: UInt8
  /// Each byte's value, or ``Base64Alphabet/none`` outside the alphabet.
  private let values: [UInt8]

  private static let none: UInt8 = 0xFF

  private init(plus: UInt8, slash: UInt8) {
    self.plus = plus
    self.slash = slash
    values = (0...255).map { Self.value(of: $0, plus: plus, slash: slash) ?? Self.none }
  }

  static let standard = Base64Alphabet(plus: UInt8(ascii: "+"), slash: UInt8(ascii: "/"))
  static let urlSafe = Base64Alphabet(plus: UInt8(ascii: "-"), slash: UInt8(ascii: "_"))

  func append<S: ByteSink & ~Copyable>(_ bytes: Span<UInt8>, to sink: inout S) {
    var index = 0
    while index + 3 <= bytes.count {
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
      append(group, characters: 4, to: &sink)
      index += 3
    }
    switch bytes.count - index {
    case 1: append(UInt32(bytes[index]) << 16, characters: 2, to: &sink)
    case 2: append(UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8, characters: 3, to: &sink)
    default: break
    }
  }

  /// Decodes the first `count` characters of `text`. Not for secrets.
  func decode(_ text: Span<UInt8>, count: Int) throws(Base64URLError) -> [UInt8] {
    guard count % 4 != 1 else { throw .impossibleLength }
    let whole = count / 4
    var bytes = [UInt8](repeating: 0, count: whole * 3)
    guard decodeWhole(text, groups: whole, to: &bytes) else { throw invalidCharacter(in: text, count: count) }
    try decode(text.extracting(whole * 4..<count), count: count - whole * 4, at: whole * 4, to: &bytes)
    return bytes
  }

  /// Decodes groups of four characters. Returns false if a character is invalid.
  private func decodeWhole(_ text: Span<UInt8>, groups: Int, to bytes: inout [UInt8]) -> Bool {
    precondition(groups * 4 <= text.count && groups * 3 <= bytes.count && values.count == 256)
    // The precondition keeps all indices in bounds.
    return unsafe values.withUnsafeBufferPointer { values in
      unsafe text.withUnsafeBufferPointer { text in
        unsafe bytes.withUnsafeMutableBufferPointer { target in
          for group in 0..<groups {
            let (from, to) = (group * 4, group * 3)
            let first = unsafe values[Int(text[from])]
            let second = unsafe values[Int(text[from + 1])]
            let third = unsafe values[Int(text[from + 2])]
            let fourth = unsafe values[Int(text[from + 3])]
            if first | second | third | fourth == Self.none { return false }
            unsafe target[to] = first << 2 | second >> 4
            unsafe target[to + 1] = second << 4 | third >> 2
            unsafe target[to + 2] = third << 6 | fourth
          }
          return true
        }
      }
    }
  }

  private func invalidCharacter(in text: Span<UInt8>, count: Int) -> Base64URLError {
    for index in 0..<count where values[Int(text[index])] == Self.none { return .invalidCharacter(offset: index) }
    return .nonCanonical
  }

  /// Decodes the first `count` characters of `text`, which begins at `offset` of the complete text. May write some
  /// bytes before throwing.
  func decode<S: ByteSink & ~Copyable>(
    _ text: Span<UInt8>, count: Int, at offset: Int = 0, to sink: inout S
  ) throws(Base64URLError) {
    guard count % 4 != 1 else { throw .impossibleLength }
    var group: UInt32 = 0
    for index in 0..<count {
      let value = values[Int(text[index])]
      guard value != Self.none else { throw .invalidCharacter(offset: offset + index) }
      group = group << 6 | UInt32(value)
      if index % 4 == 3 {
        sink.append(UInt8(truncatingIfNeeded: group >> 16))
        sink.append(UInt8(truncatingIfNeeded: group >> 8))
        sink.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
    }
    try appendRest(group, characters: count % 4, to: &sink)
  }

  /// Writes an incomplete final group.
  private func appendRest<S: ByteSink & ~Copyable>(
    _ group: UInt32, characters: Int, to sink: inout S
  ) throws(Base64URLError) {
    switch characters {
    case 2:
      guard group & 0xF == 0 else { throw .nonCanonical }
      sink.append(UInt8(truncatingIfNeeded: group >> 4))
    case 3:
      guard group & 0x3 == 0 else { throw .nonCanonical }
      sink.append(UInt8(truncatingIfNeeded: group >> 10))
      sink.append(UInt8(truncatingIfNeeded: group >> 2))
    default: break
    }
  }

  /// Writes the first `characters` characters of `group`'s low 24 bits.
  private func append<S: ByteSink & ~Copyable>(_ group: UInt32, characters: Int, to sink: inout S) {
    for index in 0..<characters {
      sink.append(character(for: UInt8(truncatingIfNeeded: group >> UInt32(18 - 6 * index)) & 63))
    }
  }

  private func character(for value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + (value - 26)
    case 52..<62: UInt8(ascii: "0") + (value - 52)
    case 62: plus
    default: slash
    }
  }

  private static func value(of character: UInt8, plus: UInt8, slash: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case plus: 62
    case slash: 63
    default: nil
    }
  }
}
