package import Encoding

/// The position of a member in the settings file.
package struct SettingsLine: Sendable, Hashable {
  package let file: String
  package let position: TextPosition
  /// Whether the member is missing from the object at this position.
  package var isMissing = false
  /// The syntax error, if the file is not valid JSON.
  package var syntax: JSONError.Code?

  init(_ offset: Int, in bytes: [UInt8], of file: String) {
    self.file = file
    position = TextPosition(offset, in: bytes)
  }
}

extension Settings {
  /// Adds the line and column to an error.
  static func locate(_ error: inout ConfigurationError, in bytes: [UInt8], of file: String) {
    var line: SettingsLine
    do throws(JSONError) {
      let layout = try JSONLayout(parsing: bytes, limits: limits)
      let (offset, isMissing) = find(error.path, in: layout.root)
      line = SettingsLine(offset, in: bytes, of: file)
      line.isMissing = isMissing
    } catch {
      line = SettingsLine(error.offset, in: bytes, of: file)
      line.syntax = error.code
    }
    error.line = line
  }

  /// The offset of a member such as `accounts.work.issuer` or `on[0].run`, or of the innermost object lacking it.
  private static func find(_ path: String, in root: JSONLayout.Node) -> (offset: Int, isMissing: Bool) {
    var (node, rest) = (root, Substring(path))
    if path.hasSameBytes(as: wholeFile) { rest = "" }
    while !rest.isEmpty {
      if rest.utf8.first == UInt8(ascii: "."), node.kind == .object { rest.removeFirst() }
      if let (next, length) = member(of: node, named: rest) ?? element(of: node, numbered: rest) {
        node = next
        rest = rest.dropFirst(length)
      } else {
        return (node.range.lowerBound, true)
      }
    }
    return (node.range.lowerBound, false)
  }

  /// The member at the start of `text`, and its name's length. Prefers the longest name: account names may contain
  /// dots.
  private static func member(
    of node: JSONLayout.Node, named text: Substring
  ) -> (JSONLayout.Node, Int)? {
    node.members.filter { member in
      guard text.hasPrefix(member.name) else { return false }
      let next = text.dropFirst(member.name.count).first
      return next == nil || next == "." || next == "["
    }.max { $0.name.utf8.count < $1.name.utf8.count }.map { ($0.value, $0.name.count) }
  }

  /// Like ``member(of:named:)``, for an index in brackets.
  private static func element(of node: JSONLayout.Node, numbered text: Substring) -> (JSONLayout.Node, Int)? {
    guard text.first == "[", let end = text.firstIndex(of: "]"),
      let number = Int(text[text.index(after: text.startIndex)..<end]), node.elements.indices.contains(number)
    else { return nil }
    return (node.elements[number], text.distance(from: text.startIndex, to: end) + 1)
  }
}

package struct UnknownSetting: Sendable, Hashable {
  package let line: SettingsLine
  package let name: String
  /// Nil for the top level.
  package let account: String?
  /// A similar known name.
  package let suggestion: String?

  /// At most 20. Empty for an invalid file.
  static func all(in bytes: [UInt8], of file: String) -> [UnknownSetting] {
    guard let root = try? JSONLayout(parsing: bytes, limits: Settings.limits).root else { return [] }
    let isCurrent = root["version"]?.value(in: bytes.span).int == Settings.version
    var found = unknownMembers(in: root, of: nil, known: Settings.members)
    for (name, account) in isCurrent ? root["accounts"]?.members ?? [] : [] {
      found += unknownMembers(in: account, of: name, known: AccountSetting.all.map(\.name) + [Settings.neverSignedIn])
    }
    return found.prefix(20).map { offset, name, account, suggestion in
      UnknownSetting(
        line: SettingsLine(offset, in: bytes, of: file), name: name, account: account, suggestion: suggestion)
    }
  }

  /// The offset, name, account and suggestion of each unknown member.
  private static func unknownMembers(
    in object: JSONLayout.Node, of account: String?, known: [String]
  ) -> [(Int, String, String?, String?)] {
    object.members.filter { member in !known.contains { $0.hasSameBytes(as: member.name) } }.map { member in
      let suggestion = Suggestion.candidates(for: member.name, among: known.filter { $0 != Settings.neverSignedIn })
        .first
      return (member.value.range.lowerBound, member.name, account, suggestion)
    }
  }
}
