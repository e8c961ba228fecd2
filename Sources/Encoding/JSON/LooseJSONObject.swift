/// Finds the end and string members of a JSON object in text that may violate RFC 8259, for example with comments.
/// Reads the text once, in pieces.
package struct LooseJSONObject: Sendable {
  /// How much of an object has been read.
  package enum Extent: Sendable {
    /// Only whitespace or a byte order mark.
    case none
    /// Something other than an object.
    case other
    /// An object's beginning.
    case open
    /// A complete object.
    case whole
  }

  /// The context of the next byte. `between`: outside strings and comments. `slash`, `commentStar`: after a possible
  /// begin or end of a comment.
  private enum State {
    case between, string, escape, slash, lineComment, comment, commentStar
  }

  package private(set) var extent = Extent.none
  private var state = State.between
  private var depth = 0
  private var offset = 0
  private var stringStart = 0
  /// The range, with quotes, of a member's name if a colon is next.
  private var last: Range<Int>?
  /// The name of the next value, if a member's.
  private var name: Range<Int>?
  /// The index after the object.
  private var end: Int?
  /// The ranges, with quotes, of the string members.
  private var found: [(name: Range<Int>, value: Range<Int>)] = []
  private let collectsMembers: Bool

  /// - Parameter collectsMembers: Whether to record string members.
  package init(collectsMembers: Bool = false) { self.collectsMembers = collectsMembers }

  /// Reads the next bytes. Ignores everything after the object.
  package mutating func read(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      if extent == .whole || extent == .other { return }
      read(bytes[index])
      offset += 1
    }
  }

  private mutating func read(_ byte: UInt8) {
    switch state {
    case .string:
      if byte == UInt8(ascii: "\\") { state = .escape }
      if byte == UInt8(ascii: "\"") { endString() }
    case .escape: state = .string
    case .lineComment: if byte == 0x0A { state = .between }
    case .comment: if byte == UInt8(ascii: "*") { state = .commentStar }
    case .commentStar:
      if byte == UInt8(ascii: "/") { state = .between } else if byte != UInt8(ascii: "*") { state = .comment }
    case .slash:
      switch byte {
      case UInt8(ascii: "/"): state = .lineComment
      case UInt8(ascii: "*"): state = .comment
      default:
        state = .between
        readBetween(byte)
      }
    case .between: readBetween(byte)
    }
  }

  private mutating func endString() {
    state = .between
    guard depth == 1 else { return }
    let range = stringStart..<(offset + 1)
    if let name {
      if collectsMembers { found.append((name, range)) }
      self.name = nil
    } else {
      last = range
    }
  }

  private mutating func readBetween(_ byte: UInt8) {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: return
    // A byte order mark.
    case 0xEF, 0xBB,
      0xBF where extent == .none:
      return
    case UInt8(ascii: "{") where extent == .none:
      extent = .open
      depth = 1
      return
    default: break
    }
    guard extent == .open else { return extent = .other }
    switch byte {
    case UInt8(ascii: "/"):
      state = .slash
      return
    case UInt8(ascii: "\""):
      state = .string
      stringStart = offset
      return
    case UInt8(ascii: ":") where depth == 1: name = last
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      name = nil
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      name = nil
      if depth == 0 {
        extent = .whole
        end = offset + 1
      }
    default: name = nil
    }
    last = nil
  }

  /// The range, with quotes, of the value of the only string member `name` in the text's only object, otherwise nil.
  /// Text may precede the object, which may be truncated after the member.
  package static func onlyString(named name: String, in bytes: Span<UInt8>) -> Range<Int>? {
    guard let start = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: "{") }) else { return nil }
    var object = LooseJSONObject(collectsMembers: true)
    let text = bytes.extracting(start...)
    object.read(text)
    let wanted = "\"\(name)\""
    let rest = text.extracting((object.end ?? text.count)...)
    guard !rest.indices.contains(where: { rest[$0] == UInt8(ascii: "{") }) else { return nil }
    let values = object.found.filter { member in
      member.name.count == wanted.utf8.count && text.extracting(member.name).hasPart(wanted)
    }
    guard values.count == 1 else { return nil }
    return (start + values[0].value.lowerBound)..<(start + values[0].value.upperBound)
  }
}
