/// The only JSON parser, with the rules of ``JSONLayout/init(parsing:limits:)``. Parses in one pass without recursion.
/// Copies only names, since the text may be a secret.
struct JSONParser {
  private let limits: JSONLimits
  private(set) var entries: [JSONEntry] = []
  /// All members' unescaped names, concatenated.
  private(set) var names: [UInt8] = []
  private var position = 0
  private var depth = 0
  /// The index of the innermost open container, or -1.
  private var container = -1
  /// The name of the next value, if a member's.
  private var name = JSONEntry.Name()

  init(limits: JSONLimits) {
    self.limits = limits
  }

  /// Adds at least one entry, or throws.
  mutating func parse(_ bytes: Span<UInt8>) throws(JSONError) {
    let longest = min(limits.bytes, JSONLimits.maximumTextBytes)
    guard bytes.count <= longest else { throw JSONError(code: .tooLarge, offset: max(longest, 0)) }
    entries.reserveCapacity(min(bytes.count / 16 + 4, 128))
    names.reserveCapacity(min(bytes.count / 4, 256))
    skipWhiteSpace(bytes)
    try parseValue(bytes)
    while container >= 0 {
      try parseNext(bytes)
    }
    skipWhiteSpace(bytes)
    guard position == bytes.count else { throw JSONError(code: .trailingBytes, offset: position) }
  }

  // MARK: Structure

  /// Closes the innermost open container, or parses its next value.
  private mutating func parseNext(_ bytes: Span<UInt8>) throws(JSONError) {
    skipWhiteSpace(bytes)
    let byte = try current(bytes)
    let isObject = entries[container].kind == .object
    if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      closeContainer()
      return
    }
    if entries[container].count > 0 {
      try expect(UInt8(ascii: ","), bytes)
      skipWhiteSpace(bytes)
    }
    if isObject {
      try parseName(bytes)
    }
    try parseValue(bytes)
  }

  private mutating func parseValue(_ bytes: Span<UInt8>) throws(JSONError) {
    let byte = try current(bytes)
    guard entries.count < limits.elements else { throw JSONError(code: .tooManyElements, offset: position) }
    switch byte {
    case UInt8(ascii: "\""):
      let string = try scanString(bytes)
      add(.string, from: string.start, to: string.end, hasEscapes: string.hasEscapes)
    case UInt8(ascii: "{"): try openContainer(.object)
    case UInt8(ascii: "["): try openContainer(.array)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber(bytes)
    case UInt8(ascii: "t"): try parseLiteral("true", .bool, bytes)
    case UInt8(ascii: "f"): try parseLiteral("false", .bool, bytes)
    case UInt8(ascii: "n"): try parseLiteral("null", .null, bytes)
    default: throw JSONError(code: .unexpectedByte, offset: position)
    }
  }

  private mutating func openContainer(_ kind: JSONKind) throws(JSONError) {
    guard depth < min(limits.depth, JSONLimits.maximumDepth) else { throw JSONError(code: .tooDeep, offset: position) }
    let index = entries.count
    add(kind, from: position, to: position)
    container = index
    depth += 1
    position += 1
  }

  private mutating func closeContainer() {
    position += 1
    entries[container].end = Int32(position)
    entries[container].next = Int32(entries.count)
    container = Int(entries[container].parent)
    depth -= 1
  }

  private mutating func add(
    _ kind: JSONKind, from start: Int, to end: Int, hasEscapes: Bool = false
  ) {
    if container >= 0 {
      entries[container].count += 1
    }
    entries.append(
      JSONEntry(
        kind: kind, hasEscapes: hasEscapes, start: Int32(start), end: Int32(end),
        parent: Int32(container), next: Int32(entries.count + 1), name: name))
    name = JSONEntry.Name()
  }

  // MARK: Names

  /// Parses the colon too (RFC 8259 section 4).
  private mutating func parseName(_ bytes: Span<UInt8>) throws(JSONError) {
    let quote = position
    guard try current(bytes) == UInt8(ascii: "\"") else { throw JSONError(code: .unexpectedByte, offset: quote) }
    guard entries[container].count < limits.members else { throw JSONError(code: .tooManyMembers, offset: quote) }
    let string = try scanString(bytes)
    let found = storeName(string, bytes)
    guard limits.isLenient || !containerHas(found) else { throw JSONError(code: .duplicateMember, offset: quote) }
    skipWhiteSpace(bytes)
    try expect(UInt8(ascii: ":"), bytes)
    skipWhiteSpace(bytes)
    name = found
  }

  private mutating func storeName(_ string: JSONStringRange, _ bytes: Span<UInt8>) -> JSONEntry.Name {
    let raw = bytes.extracting(string.start..<string.end)
    let start = names.count
    if string.hasEscapes {
      JSONEscape.decode(raw, to: &names)
    } else {
      names.append(contentsOf: raw)
    }
    var hash: UInt32 = 2_166_136_261
    for index in start..<names.count {
      hash = (hash ^ UInt32(names[index])) &* 16_777_619
    }
    return JSONEntry.Name(start: Int32(start), count: Int32(names.count - start), hash: hash)
  }

  /// Compares unescaped names byte by byte (RFC 8259 section 8.3).
  private func containerHas(_ name: JSONEntry.Name) -> Bool {
    var index = container + 1
    while index < entries.count {
      let other = entries[index].name
      if other.hash == name.hash, other.count == name.count, sameBytes(other, name) { return true }
      index = Int(entries[index].next)
    }
    return false
  }

  private func sameBytes(_ one: JSONEntry.Name, _ other: JSONEntry.Name) -> Bool {
    for offset in 0..<Int(one.count) where names[Int(one.start) + offset] != names[Int(other.start) + offset] {
      return false
    }
    return true
  }

  // MARK: Strings

  private mutating func scanString(_ bytes: Span<UInt8>) throws(JSONError) -> JSONStringRange {
    let string = try JSONStringRange(
      bytes, quote: position, limit: limits.stringBytes, allowsLoneSurrogates: limits.isLenient)
    position = string.end + 1
    return string
  }

  // MARK: Numbers and literals

  /// Parses a number (RFC 8259 section 6) without evaluating it.
  private mutating func parseNumber(_ bytes: Span<UInt8>) throws(JSONError) {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let firstDigit = position
    try skipDigits(bytes, of: start)
    if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
      throw JSONError(code: .invalidNumber, offset: start)
    }
    if isAt(UInt8(ascii: "."), bytes) {
      position += 1
      try skipDigits(bytes, of: start)
    }
    if isAt(UInt8(ascii: "e"), bytes) || isAt(UInt8(ascii: "E"), bytes) {
      position += 1
      if isAt(UInt8(ascii: "+"), bytes) || isAt(UInt8(ascii: "-"), bytes) { position += 1 }
      try skipDigits(bytes, of: start)
    }
    guard position - start <= limits.numberBytes else { throw JSONError(code: .numberTooLong, offset: start) }
    add(.number, from: start, to: position)
  }

  /// Skips one or more digits. `start` is the number's offset, for the error.
  private mutating func skipDigits(_ bytes: Span<UInt8>, of start: Int) throws(JSONError) {
    let first = position
    while position < bytes.count, bytes[position] >= UInt8(ascii: "0"), bytes[position] <= UInt8(ascii: "9") {
      position += 1
    }
    guard position == first else { return }
    _ = try current(bytes)
    throw JSONError(code: .invalidNumber, offset: start)
  }

  private mutating func parseLiteral(
    _ text: String, _ kind: JSONKind, _ bytes: Span<UInt8>
  ) throws(JSONError) {
    let start = position
    for byte in text.utf8 {
      try expect(byte, bytes)
    }
    add(kind, from: start, to: position)
  }

  // MARK: Bytes

  private mutating func skipWhiteSpace(_ bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  /// The next byte. Throws at the text's end.
  private func current(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw JSONError(code: .unexpectedEnd, offset: position) }
    return bytes[position]
  }

  private func isAt(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
    position < bytes.count && bytes[position] == byte
  }

  /// Moves past `byte`, or throws.
  private mutating func expect(_ byte: UInt8, _ bytes: Span<UInt8>) throws(JSONError) {
    guard try current(bytes) == byte else { throw JSONError(code: .unexpectedByte, offset: position) }
    position += 1
  }
}
