internal import Encoding
internal import Platform

/// The program's name: `agent`, or its file's name. Replaces `agent` in text for users, except in the names of
/// directories, the socket and `agentd`.
package struct ProgramName: Sendable, Hashable {
  package let text: String

  /// The name that ``renaming(_:)`` replaces.
  package static let standard = ProgramName(known: "agent")

  private init(known text: String) { self.text = text }

  /// Nil unless 1 to 32 letters, digits, dashes and underscores, starting with a letter.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard (1...32).contains(bytes.count), let first = bytes.first, first.isASCIILetter,
      bytes.allSatisfy({ Self.isWordByte($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.text = text
  }

  /// Set before other threads exist.
  nonisolated(unsafe) private static var isAdopted = false

  /// Sets ``current`` to the name that started this process.
  static func adopt() { unsafe isAdopted = true }

  /// The name that started this process; ``standard`` if invalid, or before ``adopt()``.
  static var current: ProgramName {
    guard unsafe isAdopted, let path = Processes.arguments.first else { return standard }
    // A helper's name cannot run commands.
    return named(HelperProtocolName.parse(path) == nil ? path : Machine.executablePath())
  }

  private static func named(_ path: String) -> ProgramName {
    let name = HelperProtocolName.parse(path)?.rest ?? path.split(separator: "/").last.map { String($0) } ?? ""
    return ProgramName(name) ?? standard
  }

  var identifier: String { text.replacing(each: "-", with: "_") }

  // MARK: - Texts

  /// Replaces the word `agent` in `text`, but not in `agentd`, paths such as `/agent/agent.sock`, or other words.
  func renaming(_ text: String) -> String { renaming(text, where: { _ in true }) }

  /// Like ``renaming(_:)``, but only before a command's name, since an account may be called `agent`.
  func renaming(hint text: String) -> String {
    let commands = CommandName.firstWords.map { Array(" \($0)".utf8) }
    return renaming(text) { rest in commands.contains { rest.starts(with: $0) } }
  }

  /// `isName` returns whether the word is the program's name, given the text after it.
  private func renaming(_ text: String, where isName: (ArraySlice<UInt8>) -> Bool) -> String {
    guard self != .standard else { return text }
    let bytes = Array(text.utf8)
    let word = Array(Self.standard.text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      let after = rest.dropFirst(word.count)
      if rest.starts(with: word), Self.canFollow(bytes[..<index]), Self.canPrecede(after), isName(after) {
        result.append(contentsOf: self.text.utf8)
        index += word.count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let helperMark = Array("-credential-".utf8)

  /// Whether the program's name may follow this text.
  private static func canFollow(_ before: ArraySlice<UInt8>) -> Bool {
    guard let last = before.last else { return true }
    if before.suffix(helperMark.count).elementsEqual(helperMark) { return true }
    return !isWordByte(last) && !"./-$%@".utf8.contains(last)
  }

  /// The manual pages named `agent-…`, without that prefix.
  private static let pageSuffixes = (CommandName.pageNames + CommandName.otherPages.map(\.0))
    .filter { $0.hasPrefix("\(standard.text)-") }.map { String($0.dropFirst(standard.text.count + 1)) }

  private static let unitSuffixes = [".service", ".socket", "-refresh.service", "-refresh.timer"].map {
    Array($0.utf8)
  }

  /// Whether the program's name may precede this text.
  private static func canPrecede(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first else { return true }
    if unitSuffixes.contains(where: { rest.starts(with: $0) }) { return true }
    switch first {
    case UInt8(ascii: "/"), UInt8(ascii: "@"): return false
    // The end of a sentence, not `agent.sock`.
    case UInt8(ascii: "."): return rest.dropFirst().first.map { !isWordByte($0) } ?? true
    // A page such as agent-config(5).
    case UInt8(ascii: "-"): return pageSuffixes.contains { rest.starts(with: "-\($0)".utf8) }
    default: return !isWordByte(first)
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") }
}
