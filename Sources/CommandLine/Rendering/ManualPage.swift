/// A page of the manual: what is in it, and where it is found.
struct ManualPage: Sendable {
  /// Written with the program's usual name.
  let name: String
  let section: Int

  /// All sections, in the mdoc(7) language.
  let body: @Sendable () -> String

  static let agent = ManualPage(name: "agent", section: 1, body: ManualWriter.body)
  static let daemon = ManualPage(name: "agentd", section: 8) { Mdoc.page(ManualDaemon.sections) }
  static let configuration = ManualPage(name: "agent-config", section: 5) { Mdoc.page(ManualConfiguration.sections) }

  static let all = [agent, configuration, daemon]

  /// `agent.1`, for a program of this name.
  func fileName(for program: ProgramName) -> String { "\(program.applied(to: name)).\(section)" }

  /// The whole page.
  func text(for program: ProgramName = .standard) -> String {
    """
    .\\" Generated from the command table by "generate"; do not edit.
    .Dd \(Manual.date)
    .Dt \(program.applied(to: name).uppercased()) \(section)
    .Os

    """ + program.applied(to: body())
  }
}

/// A section of a page: a title and what stands below it.
struct ManualSection: Sendable {
  let title: String
  let blocks: [ManualBlock]

  init(_ title: String, _ blocks: [ManualBlock]) {
    self.title = title
    self.blocks = blocks
  }
}

/// A part of a section. Texts are in the notation of ``Prose``.
enum ManualBlock: Sendable {
  case text(String)
  case heading(String)
  /// Terms and what they mean; each term is set by this macro of mdoc(7).
  case list([Manual.Item], macro: String)
  /// Members of a JSON object.
  case members([Manual.Member])
  /// Lines that are typed or printed exactly so.
  case code([String])
  /// Lines in the mdoc(7) language.
  case raw(String)
  /// Other pages.
  case seeAlso([(name: String, section: Int)])
}

extension Manual {
  /// A member of a JSON object.
  struct Member: Sendable, Hashable {
    let name: String
    /// What its value is: `text`, `number`.
    let type: String
    let meaning: String

    init(_ name: String, _ type: String, _ meaning: String) {
      self.name = name
      self.type = type
      self.meaning = meaning
    }
  }
}
