package import Encoding
package import Platform

/// An object in a handwritten JSON file. Errors contain file, line and column.
package struct FileObject: Sendable {
  static let maximumBytes = 1 << 16

  /// Why a file is ignored.
  package struct Problem: Error, Hashable, Sendable {
    package let path: String
    package let cause: Cause

    package enum Cause: Hashable, Sendable {
      case unreadable(DirectoryError)
      /// Includes file, line and column.
      case invalid(Phrase)
    }

    package var text: Phrase {
      switch cause {
      case .unreadable(let error): Phrase(error)
      case .invalid(let text): text
      }
    }

    package var remedy: String? { if case .unreadable(let error) = cause { error.remedy } else { nil } }
  }

  package let path: String
  private let bytes: [UInt8]
  private let node: JSONLayout.Node

  /// Throws if the text is not a JSON object.
  init(_ path: String, _ bytes: [UInt8]) throws(Problem) {
    let root: JSONLayout.Node
    do throws(JSONError) { root = try JSONLayout(parsing: bytes).root } catch {
      let position = TextPosition(error.offset, in: bytes)
      throw Problem(path: path, cause: .invalid(Phrase(error.code).located(in: path, at: position)))
    }
    self.init(path, bytes, root)
    guard root.kind == .object else { throw problem(Phrase("expected an object")) }
  }

  private init(_ path: String, _ bytes: [UInt8], _ node: JSONLayout.Node) {
    (self.path, self.bytes, self.node) = (path, bytes, node)
  }

  package var names: [String] { node.members.map(\.name) }

  /// The problem of a member, or of the object itself.
  package func problem(_ text: Phrase, of name: String? = nil) -> Problem {
    let offset = (name.flatMap { node[$0] } ?? node).range.lowerBound
    return Problem(path: path, cause: .invalid(text.located(in: path, at: TextPosition(offset, in: bytes))))
  }

  package func wrongValue(_ name: String, _ expected: Phrase) -> Problem {
    problem(Phrase("\(TerminalText.clean(name, limit: 64)) must be \(expected)"), of: name)
  }

  /// The problem of an unknown member, suggesting a similar one.
  package func unknownMember(_ name: String, among known: [String]) -> Problem {
    let text = Phrase("unknown member \(TerminalText.clean(name, limit: 64))")
    guard let suggestion = Phrase.didYouMean(name, among: known) else { return problem(text, of: name) }
    return problem(Phrase("\(text); \(suggestion)"), of: name)
  }

  /// All members. Throws if one is unknown.
  func members<Member: RawRepresentable<String> & CaseIterable>(_: Member.Type) throws(Problem) -> [Member] {
    var members: [Member] = []
    for name in names {
      guard let member = Member(rawValue: name) else {
        throw unknownMember(name, among: Member.allCases.map(\.rawValue))
      }
      members.append(member)
    }
    return members
  }

  package func value(_ name: String) -> JSON? { node[name]?.value(in: bytes.span) }

  /// A member's nonempty, printable string; nil if absent.
  func text(_ name: String) throws(Problem) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string, Self.isText(text) else {
      throw wrongValue(name, Phrase(.text(maximumBytes: Self.maximumTextBytes)))
    }
    return text
  }

  /// A member's Boolean; false if absent.
  func flag(_ name: String) throws(Problem) -> Bool {
    guard let value = value(name) else { return false }
    guard let flag = value.bool else { throw wrongValue(name, Phrase(.flag)) }
    return flag
  }

  /// A member's list of strings; empty if absent.
  func texts(_ name: String) throws(Problem) -> [String] {
    guard let value = value(name) else { return [] }
    let texts = value.array?.map { $0.string ?? "" }
    guard let texts, texts.count <= AccountSetting.maximumListCount, texts.allSatisfy(Self.isText) else {
      throw wrongValue(name, Phrase(.list(maximumTexts: AccountSetting.maximumListCount)))
    }
    return texts
  }

  func object(_ name: String) throws(Problem) -> FileObject? {
    guard let member = node[name] else { return nil }
    guard member.kind == .object else { throw wrongValue(name, Phrase("an object")) }
    return FileObject(path, bytes, member)
  }

  /// A member's list of objects; empty if absent.
  func objects(_ name: String) throws(Problem) -> [FileObject] {
    guard let member = node[name] else { return [] }
    guard member.kind == .array, member.elements.allSatisfy({ $0.kind == .object }) else {
      throw wrongValue(name, Phrase("a list of objects"))
    }
    return member.elements.map { FileObject(path, bytes, $0) }
  }

  /// The strings in a member's object, by name; empty if absent.
  func stringTable(_ name: String) throws(Problem) -> [(name: String, text: String)] {
    guard let object = try object(name) else { return [] }
    return try object.names.map { (name) throws(Problem) in (name, try object.text(name) ?? "") }
  }

  private static let maximumTextBytes = AccountSetting.maximumTextBytes

  private static func isText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumTextBytes && TerminalText.clean(text, limit: maximumTextBytes) == text
  }
}
