internal import Platform

/// The committed manual pages: agent(1) and those of the commands.
package struct Manual {
  package struct Example: Sendable, Hashable {
    package let purpose: String
    package let line: String
    /// The line as shown, maybe continued after a backslash.
    package let shown: String

    init(_ purpose: [String], _ shown: [String]) {
      self.purpose = purpose.joined(separator: " ")
      self.shown = shown.joined(separator: "\n")
      line = shown.dropFirst().reduce(into: shown.first ?? "") { line, next in
        line = String(line.dropLast() + next.drop { $0 == " " })
      }
    }
  }

  /// The lines of each page, starting with agent(1).
  private let pages: [(name: String, lines: ArraySlice<Substring>)]

  package init() throws {
    let names = try ProcessRunner.shell(
      "cd '\(PackageFiles.path("man"))' && echo agent.1 agent-*.1 agent-client.7 agent-workload.7"
    ).outputText
    pages = try names.split { $0 == " " || $0 == "\n" }.map { name in
      (String(name.dropLast(2)), try PackageFiles.text("man/\(name)").split(separator: "\n")[...])
    }
  }

  /// A command's description, in its page or section, as one line.
  package func text(on command: String) -> String? {
    let page = pages.first { $0.name == "agent-\(command)" }
    let sections = page.map { page in
      [page.lines.drop { $0 != ".Sh DESCRIPTION" }.dropFirst().prefix { $0 != ".Sh EXAMPLES" && $0 != ".Sh SEE ALSO" }]
    }
    // Options shared by several commands of a page are described separately.
    let parts =
      sections
      ?? pages.lazy.compactMap { page in
        Self.section("Ss", command, in: page.lines).map { own in
          [own] + [Self.section("Sh", "OPTIONS", in: page.lines)].compactMap { $0 }
        }
      }.first
    return parts?.joined().map(Self.plain).joined(separator: " ")
  }

  /// The exit statuses in the list, and those only in the paragraph after it.
  package func exitStatuses() throws -> (listed: [Int32], exec: [Int32]) {
    let part = Self.section("Sh", "EXIT STATUS", in: pages[0].lines) ?? []
    let listed = Self.terms("Li", in: part).compactMap { Int32($0) }
    guard let end = part.firstIndex(of: ".El") else { throw Missing(text: "list of exit statuses") }
    let words = part[end...].flatMap { $0.split { !$0.isNumber } }
    return (listed, words.compactMap { Int32($0) })
  }

  package func examples(of page: String? = nil) -> [Example] {
    pages.filter { page == nil || $0.name == page }.flatMap { page in
      Self.examples(in: Self.section("Sh", "EXAMPLES", in: page.lines) ?? [])
    }
  }

  private static func examples(in lines: ArraySlice<Substring>) -> [Example] {
    var examples: [Example] = []
    var purpose: [String] = []
    var shown: [String]?
    for line in lines where line != ".Pp" {
      if line.hasPrefix(".Bd ") {
        shown = []
      } else if line.hasPrefix(".Dl ") || line == ".Ed" {
        examples.append(Example(purpose, shown ?? [plain(line.dropFirst(4))]))
        (purpose, shown) = ([], nil)
      } else if shown != nil {
        shown?.append(plain(line))
      } else {
        purpose.append(plain(line))
      }
    }
    return examples
  }

  /// The programs in a page's examples, each as its lines.
  package static func programs(in page: String) throws -> [[String]] {
    programs(in: try PackageFiles.text("man/\(page)").split(separator: "\n").drop { $0 != ".Sh EXAMPLES" })
  }

  /// The recipes of agent-recipes(7) by name, each as its literal blocks.
  package static func recipes() throws -> [String: [[String]]] {
    let parts = try PackageFiles.text("man/agent-recipes.7").split(separator: "\n.Ss ").dropFirst()
    let recipes = try parts.map { part in
      let lines = part.split(separator: "\n")[...]
      let blocks = programs(in: lines)
      guard !blocks.isEmpty else { throw Missing(text: "lines of \(lines[0])") }
      return (plain(lines[0]), blocks)
    }
    return try Dictionary(recipes) { _, _ in throw Missing(text: "distinct name of a recipe") }
  }

  private struct Missing: Error {
    let text: String
  }

  /// The lines of a section or subsection of a page.
  package static func section(_ title: String, of page: String) throws -> ArraySlice<Substring> {
    let lines = try PackageFiles.text("man/\(page)").split(separator: "\n")[...]
    guard let section = section("Sh", title, in: lines) ?? section("Ss", title, in: lines) else {
      throw Missing(text: "\(title) in \(page)")
    }
    return section
  }

  /// The terms of lists with this mdoc(7) macro.
  package static func terms(_ macro: String, in lines: ArraySlice<Substring>) -> [String] {
    lines.filter { $0.hasPrefix(".It \(macro) ") }.map { line in
      plain(line.dropFirst(5 + macro.count)).split(separator: " Ta ")[0].filter { $0 != "\"" }
    }
  }

  package static func headings(in lines: ArraySlice<Substring>) -> [String] {
    lines.filter { $0.hasPrefix(".Ss ") }.map { plain($0.dropFirst(4)) }
  }

  /// The literal blocks among lines, such as programs, each as its lines.
  package static func programs(in lines: ArraySlice<Substring>) -> [[String]] {
    var programs: [[String]] = []
    var isInside = false
    for line in lines {
      if line.hasPrefix(".Bd ") { programs.append([]) }
      if isInside, line != ".Ed" { programs[programs.count - 1].append(plain(line)) }
      isInside = line.hasPrefix(".Bd ") || isInside && line != ".Ed"
    }
    return programs
  }

  private static func section(
    _ request: String, _ title: String, in lines: ArraySlice<Substring>
  ) -> ArraySlice<Substring>? {
    guard let start = lines.firstIndex(where: { $0 == ".\(request) \(title)" }) else { return nil }
    let rest = lines[(start + 1)...]
    let end = rest.firstIndex { $0.hasPrefix(".Sh ") || $0.hasPrefix(".\(request) ") }
    return rest[..<(end ?? rest.endIndex)]
  }

  /// A line without mdoc(7) escapes.
  package static func plain(_ line: Substring) -> String {
    let escapes: [(String, String)] = [
      ("\\-", "-"), ("\\(aq", "'"), ("\\(dq", "\""), ("\\(ga", "`"), ("\\(ti", "~"), ("\\(ha", "^"), ("\\&", ""),
      ("\\~", ""),
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
