internal import Encoding

/// Adds and removes JSON members without changing other bytes.
enum JSONMembers {
  /// Claude Code's settings file has reached 100 MiB.
  static let maximumBytes = 1 << 27

  /// Lenient, since most of the file is another program's.
  private static let limits = JSONLimits.lenient(bytes: maximumBytes, elements: 1 << 22)

  static let empty = Array("{\n}\n".utf8)

  /// The top-level value. Throws unless strict JSON, without comments.
  static func root(of bytes: [UInt8]) throws(JSONError) -> JSONLayout.Node {
    try JSONLayout(parsing: bytes, limits: limits).root
  }

  /// Encloses a value in nested objects named by `path`.
  static func nested(_ path: [String], _ value: JSON) -> JSONObject {
    JSONObject([(path[0], path.count == 1 ? value : .object(nested(Array(path[1...]), value)))])
  }

  /// Appends the single member of `member` to an object, in the style of its other members.
  static func inserting(_ member: JSONObject, in object: JSONLayout.Node, of bytes: [UInt8]) -> [UInt8] {
    var text = Array(spaced(.object(member)).dropFirst().dropLast())
    let members = object.members
    let offset: Int
    if let last = members.last?.value.range.upperBound {
      let name = nameStart(members.count - 1, of: object, in: bytes)
      let space = bytes[..<name].reversed().prefix(while: isBlank).reversed()
      text = [UInt8(ascii: ",")] + space + text
      offset = last
    } else {
      offset = object.range.lowerBound + 1
      let blanks = bytes[offset..<(object.range.upperBound - 1)]
      if let line = blanks.lastIndex(of: UInt8(ascii: "\n")) {
        text = Array("\n".utf8) + blanks[(line + 1)...] + Array("  ".utf8) + text
      }
    }
    return Array(bytes[..<offset] + text + bytes[offset...])
  }

  /// Removes the member at `path` if it has this value, and up to `addedObjects` enclosing objects that become empty.
  /// Returns the text and the number of added objects left; nil without such a member.
  static func removing(
    _ path: [String], _ value: JSON, _ addedObjects: Int, from bytes: [UInt8]
  ) -> (bytes: [UInt8], left: Int)? {
    guard let found = try? node(path, of: bytes), found.value(in: bytes.span) == value else { return nil }
    var (bytes, path, left) = (bytes, path, addedObjects)
    while let shorter = try? removing(path, from: bytes) {
      bytes = shorter
      path.removeLast()
      guard left > 0, !path.isEmpty, let parent = try? node(path, of: bytes), parent.members.isEmpty else { break }
      left -= 1
    }
    return (bytes, left)
  }

  static func has(_ path: [String], in bytes: [UInt8]) -> Bool {
    (try? node(path, of: bytes)) != nil
  }

  private static func node(_ path: [String], of bytes: [UInt8]) throws(JSONError) -> JSONLayout.Node? {
    let root: JSONLayout.Node? = try root(of: bytes)
    return path.reduce(root) { $0?[$1] }
  }

  /// Also removes the member's comma. Nil if the member does not exist.
  private static func removing(_ path: [String], from bytes: [UInt8]) throws(JSONError) -> [UInt8]? {
    guard let name = path.last, let object = try node(path.dropLast(), of: bytes) else { return nil }
    let members = object.members
    guard let index = members.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
    let end = members[index].value.range.upperBound
    let range =
      if index > 0 {
        members[index - 1].value.range.upperBound..<end
      } else if members.count > 1 {
        nameStart(0, of: object, in: bytes)..<nameStart(1, of: object, in: bytes)
      } else {
        (object.range.lowerBound + 1)..<end
      }
    return Array(bytes[..<range.lowerBound] + bytes[range.upperBound...])
  }

  /// The offset of a name's opening quote.
  private static func nameStart(_ index: Int, of object: JSONLayout.Node, in bytes: [UInt8]) -> Int {
    let start = index == 0 ? object.range.lowerBound + 1 : object.members[index - 1].value.range.upperBound
    return bytes[start...].firstIndex(of: UInt8(ascii: "\"")) ?? start
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

  /// On one line, with spaces after colons and commas.
  private static func spaced(_ value: JSON) -> [UInt8] {
    guard case .object(let object) = value else { return value.serialized() }
    let members = object.names.map { name in
      JSON.string(name).serialized() + Array(": ".utf8) + spaced(object[name] ?? .null)
    }
    return Array("{".utf8) + Array(members.joined(separator: Array(", ".utf8))) + Array("}".utf8)
  }
}
