import Platform
import TestSupport
import Testing

/// The manual page agent(1) and those of the commands, as committed.
struct Manual {
  /// A line of an example, and its purpose according to the page.
  struct Example: Sendable, Hashable {
    let purpose: String
    let line: String
  }

  /// The package's directory.
  static let top = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")

  /// The lines of each page, that of the program first.
  private let pages: [(name: String, lines: ArraySlice<Substring>)]

  init() throws {
    let names = try ProcessRunner.shell("cd '\(Self.top)/man' && echo agent.1 agent-*.1").outputText
    pages = try names.split { $0 == " " || $0 == "\n" }.map { name in
      (String(name.dropLast(2)), try Self.file("man/\(name)").split(separator: "\n")[...])
    }
  }

  /// A text file of the package.
  static func file(_ path: String) throws -> String {
    let bytes = try FileDescriptor(opening: "\(top)/\(path)", for: .reading).readToEnd(limit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The description of a command on its page or in its section, on one line.
  func text(on command: String) -> String? {
    let page = pages.first { $0.name == "agent-\(command)" }
    let sections = page.map { page in
      ["DESCRIPTION", "DETAILS", "OPTIONS"].map { Self.section("Sh", $0, in: page.lines) }
    }
    // Options that several commands of a page share are described separately.
    let parts =
      sections
      ?? pages.lazy.compactMap { page in
        Self.section("Ss", command, in: page.lines).map { [$0, Self.section("Sh", "OPTIONS", in: page.lines)] }
      }.first
    return parts?.compactMap { $0 }.joined().map(Self.plain).joined(separator: " ")
  }

  /// The exit statuses in the list, and those that only the following paragraph names.
  func exitStatuses() throws -> (listed: [Int32], exec: [Int32]) {
    let part = try #require(Self.section("Sh", "EXIT STATUS", in: pages[0].lines))
    let listed = part.filter { $0.hasPrefix(".It Li ") }.compactMap { Int32($0.dropFirst(7)) }
    let end = try #require(part.firstIndex(of: ".El"))
    let words = part[end...].flatMap { $0.split { !$0.isNumber } }
    return (listed, words.compactMap { Int32($0) })
  }

  func examples() throws -> [Example] {
    var examples: [Example] = []
    var purpose: [String] = []
    for line in pages.flatMap({ Self.section("Sh", "EXAMPLES", in: $0.lines) ?? [] }) {
      if line == ".Pp" { continue }
      if line.hasPrefix(".Dl ") {
        examples.append(Example(purpose: purpose.joined(separator: " "), line: Self.plain(line.dropFirst(4))))
        purpose = []
      } else {
        purpose.append(Self.plain(line))
      }
    }
    return examples
  }

  /// The programs among the examples of a page, each as its lines.
  static func programs(in page: String) throws -> [[String]] {
    programs(in: try file("man/\(page)").split(separator: "\n").drop { $0 != ".Sh EXAMPLES" })
  }

  /// The recipes of agent-recipes(7), each as its lines, by name.
  static func recipes() throws -> [String: [String]] {
    let parts = try file("man/agent-recipes.7").split(separator: "\n.Ss ").dropFirst()
    let recipes = try parts.map { part in
      let lines = part.split(separator: "\n")[...]
      return (String(lines[0]), try #require(programs(in: lines).first, "\(lines[0]) has no lines"))
    }
    return try Dictionary(recipes) { _, _ in throw Duplicate() }
  }

  private struct Duplicate: Error {}

  private static func programs(in lines: ArraySlice<Substring>) -> [[String]] {
    var programs: [[String]] = []
    var isInside = false
    for line in lines {
      if line.hasPrefix(".Bd ") { programs.append([]) }
      if isInside, line != ".Ed" { programs[programs.count - 1].append(plain(line)) }
      isInside = line.hasPrefix(".Bd ") || isInside && line != ".Ed"
    }
    return programs
  }

  /// The lines of a section, up to the next one.
  private static func section(
    _ request: String, _ title: String, in lines: ArraySlice<Substring>
  ) -> ArraySlice<Substring>? {
    guard let start = lines.firstIndex(where: { $0 == ".\(request) \(title)" }) else { return nil }
    let rest = lines[(start + 1)...]
    let end = rest.firstIndex { $0.hasPrefix(".Sh ") || $0.hasPrefix(".\(request) ") }
    return rest[..<(end ?? rest.endIndex)]
  }

  /// A line without the mdoc(7) escapes that the page uses.
  private static func plain(_ line: Substring) -> String {
    let escapes: [(String, String)] = [
      ("\\-", "-"), ("\\(aq", "'"), ("\\(dq", "\""), ("\\(ga", "`"), ("\\(ti", "~"), ("\\(ha", "^"), ("\\&", ""),
      ("\\fB", ""), ("\\fP", ""), ("\\e", "\\"),
    ]
    var text = ""
    var rest = line
    while let first = rest.first {
      if let (escape, meaning) = escapes.first(where: { rest.hasPrefix($0.0) }) {
        text += meaning
        rest = rest.dropFirst(escape.count)
      } else {
        text.append(first)
        rest = rest.dropFirst()
      }
    }
    return text
  }
}
