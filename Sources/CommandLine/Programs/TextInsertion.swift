internal import Encoding

/// An addition to a program's file that `setup` can remove without changing other bytes.
enum SetupAddition: Sendable, Hashable {
  /// Text that occurs once, directly after `prefix` on its line. `prefix` may be empty.
  case text(String, prefix: String)
  /// A JSON member. `addedObjects` is the number of enclosing objects added with it.
  case member(path: [String], value: JSON, addedObjects: Int)

  /// Returns the content without the addition, and how many added objects remain for other members. Nil if the addition
  /// was changed.
  func removed(from bytes: [UInt8]) -> (bytes: [UInt8], left: Int)? {
    switch self {
    case .text(let text, let prefix):
      let offsets = bytes.offsets(of: Array((prefix + text).utf8))
      guard offsets.count == 1, !text.isEmpty else { return nil }
      let start = offsets[0] + prefix.utf8.count
      return (Array(bytes[..<start] + bytes[(start + text.utf8.count)...]), 0)
    case .member(let path, let value, let addedObjects):
      return JSONMembers.removing(path, value, addedObjects, from: bytes)
    }
  }

  func isIn(_ bytes: [UInt8]) -> Bool { removed(from: bytes) != nil }

  /// Whether the first line of the text is left, or the member with any value.
  func hasTrace(in bytes: [UInt8]) -> Bool {
    switch self {
    case .text(let text, let prefix):
      let line = (prefix + text).utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.first ?? []
      return !bytes.offsets(of: Array(line)).isEmpty
    case .member(let path, _, _): return JSONMembers.has(path, in: bytes)
    }
  }

  /// The content of a new file before the addition.
  var emptyFile: [UInt8] {
    switch self {
    case .text: []
    case .member: JSONMembers.empty
    }
  }

  /// A copy with at least `count` added objects. Nil unless this is a member of the same object as that at `path`.
  func withAddedObjects(atLeast count: Int, around path: [String]) -> SetupAddition? {
    guard case .member(let own, let value, let addedObjects) = self, own.dropLast().elementsEqual(path.dropLast())
    else {
      return nil
    }
    return .member(path: own, value: value, addedObjects: max(addedObjects, count))
  }

  var addedLines: [String] {
    switch self {
    case .text(let text, let prefix):
      return (prefix + text).utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        .map { String(decoding: $0, as: UTF8.self) }
    case .member(let path, let value, _):
      return JSON.object(JSONMembers.nested(path, value)).indented.utf8.split(separator: UInt8(ascii: "\n"))
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }
}

enum Insertion: Sendable, Hashable {
  /// The new content, and the addition to it.
  case inserted([UInt8], SetupAddition)
  /// The named key already has another value.
  case exists(String)
  /// The addition is already there.
  case present
  /// Setup cannot safely change this content.
  case refused

  /// Adds a member and missing enclosing objects. Throws if the text is not strict JSON.
  static func member(_ path: [String], _ value: JSON, in bytes: [UInt8]) throws(JSONError) -> Insertion {
    var node = try JSONMembers.root(of: bytes)
    for (index, name) in path.enumerated() {
      // Parsers differ on duplicate members.
      guard node.kind == .object, node.members(named: name).count < 2 else { return .refused }
      if let member = node[name] {
        if index == path.count - 1 {
          return member.value(in: bytes.span) == value ? .present : .exists(path.joined(separator: "."))
        }
        node = member
        continue
      }
      let addedObjects = path.count - 1 - index
      let added = JSONMembers.inserting(JSONMembers.nested(Array(path[index...]), value), in: node, of: bytes)
      return .inserted(added, .member(path: path, value: value, addedObjects: addedObjects))
    }
    return .refused
  }
}

/// The lines of a configuration file: INI, TOML, git or `go env`.
struct ConfigurationText {
  let bytes: [UInt8]
  /// Byte ranges without line feeds.
  let lines: [Range<Int>]
  /// The first line's ending, used for added lines.
  let lineEnd: String
  /// For TOML: each line's end before a comment, and whether the line begins inside a value.
  private let values: [(end: Int, isInside: Bool)]?

  /// `isTOML`: comments may follow values, values may span lines, and keys are case-sensitive.
  init(_ bytes: [UInt8], isTOML: Bool = false) {
    self.bytes = bytes
    var lines: [Range<Int>] = []
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      lines.append(start..<index)
      start = index + 1
    }
    if start < bytes.count { lines.append(start..<bytes.count) }
    self.lines = lines
    let isCRLF = lines.first.map { $0.upperBound < bytes.count && bytes[$0].last == UInt8(ascii: "\r") } ?? false
    lineEnd = isCRLF ? "\r\n" : "\n"
    values = isTOML ? Self.values(of: bytes, in: lines) : nil
  }

  private static func values(of bytes: [UInt8], in lines: [Range<Int>]) -> [(end: Int, isInside: Bool)] {
    var depth = 0
    return lines.map { line in
      let isInside = depth > 0
      var (quote, isEscaped): (UInt8?, Bool) = (nil, false)
      for index in line {
        switch (bytes[index], quote) {
        case (_, UInt8(ascii: "\"")?) where isEscaped: isEscaped = false
        case (UInt8(ascii: "\\"), UInt8(ascii: "\"")?): isEscaped = true
        case (let byte, let open?): if byte == open { quote = nil }
        case (UInt8(ascii: "#"), nil): return (index, isInside)
        case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = bytes[index]
        case (UInt8(ascii: "["), nil), (UInt8(ascii: "{"), nil): depth += 1
        case (UInt8(ascii: "]"), nil), (UInt8(ascii: "}"), nil): depth = max(depth - 1, 0)
        default: break
        }
      }
      return (line.upperBound, isInside)
    }
  }

  func trimmedLine(_ line: Int) -> String {
    let trimmed = bytes[lines[line]].drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
    return String(decoding: trimmed, as: UTF8.self)
  }

  /// Without blanks, quotes and TOML comments, for comparisons.
  func unquotedLine(_ line: Int) -> String {
    let content = bytes[lines[line].lowerBound..<(values?[line].end ?? lines[line].upperBound)]
    return String(
      decoding: content.filter { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }, as: UTF8.self)
  }

  func indentation(_ line: Int) -> String {
    String(decoding: bytes[lines[line]].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }, as: UTF8.self)
  }

  /// The name, without blanks and quotes; nil unless a section header.
  func sectionName(_ line: Int) -> String? {
    let text = unquotedLine(line).utf8
    guard values?[line].isInside != true, text.first == UInt8(ascii: "["),
      let end = text.firstIndex(of: UInt8(ascii: "]"))
    else { return nil }
    return String(decoding: text[..<end].dropFirst(), as: UTF8.self)
  }

  /// The index of a section's header line.
  func header(_ name: String) -> Int? {
    lines.indices.first { sectionName($0).map { $0.hasSameBytes(as: name) } ?? false }
  }

  /// The lines after a section's header, or before the first section if nil.
  func section(_ header: Int?) -> Range<Int> {
    let start = header.map { $0 + 1 } ?? 0
    return start..<(lines.indices.first { $0 >= start && sectionName($0) != nil } ?? lines.count)
  }

  /// The first line that is not empty or a comment.
  func firstKey(in section: Range<Int>) -> Int? {
    section.first { line in unquotedLine(line).utf8.first.map { !"#;".utf8.contains($0) } ?? false }
  }

  /// A key's value, without quotes and blanks. `key` is in lower case, with dashes for underscores.
  func value(_ key: String, in section: Range<Int>) -> String? {
    for line in section where values?[line].isInside != true {
      let text = unquotedLine(line).utf8
      guard let end = text.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else { continue }
      let written = String(decoding: text[..<end], as: UTF8.self)
      let name = (values == nil ? written.lowercased() : written).utf8.map {
        $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0
      }
      if name.elementsEqual(key.utf8) { return String(decoding: text[end...].dropFirst(), as: UTF8.self) }
    }
    return nil
  }

  func contains(_ text: String) -> Bool { !bytes.offsets(of: Array(text.utf8)).isEmpty }

  /// Multi-line TOML strings may contain text like a header.
  var hasLongStrings: Bool { contains("\"\"\"") || contains("'''") }

  // MARK: Changes

  enum Position: Sendable, Hashable {
    case start, end
    case after(line: Int)
  }

  /// Adds lines between two marker comments with `name`.
  func adding(_ added: [String], named name: String, at position: Position) -> Insertion {
    let marked = [Self.mark("begin", name)] + added + [Self.mark("end", name)]
    let offset =
      switch position {
      case .start: 0
      case .end: bytes.count
      case .after(let line): min(lines[line].upperBound + 1, bytes.count)
      }
    var text = marked.joined(separator: lineEnd)
    if offset > 0, bytes[offset - 1] != UInt8(ascii: "\n") { text = lineEnd + text } else { text += lineEnd }
    return .inserted(bytes[..<offset] + Array(text.utf8) + bytes[offset...], .text(text, prefix: ""))
  }

  /// Inserts text after `start` on the first line that begins with it; refused if none does.
  func adding(_ added: String, after start: String) -> Insertion {
    guard let line = lines.first(where: { bytes[$0].starts(with: start.utf8) }) else { return .refused }
    let offset = line.lowerBound + start.utf8.count
    return .inserted(bytes[..<offset] + Array(added.utf8) + bytes[offset...], .text(added, prefix: start))
  }

  private static func mark(_ word: String, _ name: String) -> String { "# agent setup: \(word) \(name)" }
}

extension [UInt8] {
  fileprivate func offsets(of text: [UInt8]) -> [Int] {
    guard let first = text.first, count >= text.count else { return [] }
    return (0...(count - text.count)).filter { self[$0] == first && self[$0..<($0 + text.count)].elementsEqual(text) }
  }
}
