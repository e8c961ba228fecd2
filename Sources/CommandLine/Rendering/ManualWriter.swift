internal import Vocabulary
internal import Wire

/// A page of the manual: its name, section and content.
struct ManualPage: Sendable {
  /// With the program's standard name.
  let name: String
  let section: Int

  /// All sections, in mdoc(7) notation.
  let body: @Sendable () -> String

  static let agent = ManualPage(name: "agent", section: 1) { Mdoc.page(ManualWriter.sections) }
  static let daemon = ManualPage(name: "agentd", section: 8) { Mdoc.page(ManualDaemon.sections) }
  static let configuration = ManualPage(name: "agent-config", section: 5) { Mdoc.page(ManualConfiguration.sections) }
  static let providers = ManualPage(name: "agent-providers", section: 7) { Mdoc.page(ManualProviders.sections) }
  static let recipes = ManualPage(name: "agent-recipes", section: 7) { Mdoc.page(ManualRecipes.sections) }

  static let commands = CommandName.pages.map { name in
    ManualPage(name: name, section: 1) { Mdoc.page(CommandManual(page: name).sections) }
  }

  static let all = [agent] + commands + [configuration, providers, recipes, daemon]

  /// The page that describes a command.
  static func of(_ command: CommandName) -> ManualPage { commands.first { $0.name == command.page } ?? agent }

  /// `agent.1`, for a program of this name.
  func fileName(for program: ProgramName) -> String { "\(program.applied(to: name)).\(section)" }

  /// The complete page.
  func text(for program: ProgramName = .standard) -> String {
    """
    .\\" Generated from the command table by "generate"; do not edit.
    .Dd \(Manual.date)
    .Dt \(program.applied(to: name).uppercased()) \(section)
    .Os

    """ + program.applied(to: body())
  }
}

/// Writes the manual page agent(1) from the command table.
enum ManualWriter {
  static var sections: [ManualSection] {
    let others = Manual.pages.filter { $0.name != CommandName.mainPage }
    return [
      ManualSection("NAME", [.raw(name(CommandName.mainPage, Manual.summary))]),
      ManualSection("SYNOPSIS", [.raw(".Nm\n.Op Ar OPTION ...\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n")]),
      ManualSection("GETTING STARTED", [.raw(examples(Manual.gettingStarted))]),
      ManualSection("DESCRIPTION", Manual.description.map { .text($0) }),
      ManualSection("COMMANDS", [.raw(Mdoc.list(own.map(item)))] + small.flatMap { subsection($0) }),
      ManualSection(
        "OPTIONS",
        [
          .text("Every command understands these. `--no-daemon` is refused where it contradicts the command."),
          .raw(list(Options.common)),
        ]),
      ManualSection("ENVIRONMENT", [.list(Manual.environment, macro: "Ev")]),
      ManualSection("FILES", [.list(Manual.files, macro: "Pa")]),
      ManualSection("EXIT STATUS", [.list(Manual.exitStatuses, macro: "Li"), .text(Manual.exitStatusNote)]),
      ManualSection("EXAMPLES", [.raw(examples(small.flatMap(\.examples) + Manual.examples))]),
      ManualSection("SEE ALSO", [.seeAlso(Mdoc.ordered(others))]),
      ManualSection("STANDARDS", Manual.standards.map { .text($0) }),
      ManualSection("SECURITY CONSIDERATIONS", Manual.security.map { .text($0) }),
    ]
  }

  /// The commands that have their own page, and the others.
  private static let own = CommandTable.all.filter { $0.name.page != CommandName.mainPage }
  private static let small = CommandTable.all.filter { $0.name.page == CommandName.mainPage }

  /// A line of the list of commands.
  private static func item(_ command: Command) -> String {
    ".It Cm \(Mdoc.escaped(command.name.rawValue))\n" + Mdoc.paragraph(command.summary + ".")
      + "See\n.Xr \(command.name.page) 1 .\n"
  }

  /// The section NAME.
  static func name(_ name: String, _ summary: String) -> String {
    ".Nm \(name)\n.Nd \(Mdoc.escaped(summary.prefix(1).lowercased() + summary.dropFirst()))\n"
  }

  /// The full description of a command on a page with several.
  ///
  /// - Parameter shared: The options described elsewhere on the page.
  static func subsection(_ command: Command, without shared: [OptionDeclaration] = []) -> [ManualBlock] {
    let usage = ".Ss \(command.name)\n.Bd -ragged -compact\n\(usage(command)).Ed\n.Pp\n"
    let options = command.options.filter { !$0.isSame(asOneOf: shared) }
    let elsewhere = command.options.filter { $0.isSame(asOneOf: shared) }.map { "`--\($0.name)`" }
    let mention = "\(options.isEmpty ? "Takes" : "Also takes") \(elsewhere.joined(separator: ", ")): see OPTIONS."
    return [.raw(usage)]
      + [.text(command.summary + ".")] + details(command.details[...], of: command)
      + (options.isEmpty ? [] : [.raw(list(options))]) + (elsewhere.isEmpty ? [] : [.text(mention)])
  }

  /// Paragraphs on a command, and the members of its answer.
  static func details(_ paragraphs: ArraySlice<String>, of command: Command) -> [ManualBlock] {
    paragraphs.map { .text($0) }
      + (command.answer.isEmpty ? [] : [.members(command.answer.flatMap { $0.flattened() })])
  }

  static func usage(_ command: Command) -> String {
    var text = ".Nm agent \(command.name)\n.Op Ar OPTION ...\n"
    if let metavar = command.operands.metavar {
      text += command.operands.required > 0 ? ".Ar \(metavar)\n" : ".Op Ar \(metavar)\n"
    }
    if command.trailing != nil { text += ".Li \\-\\-\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n" }
    return text
  }

  /// The options under the titles of their groups; without a title if there is only one group.
  static func grouped(_ options: [OptionDeclaration]) -> [ManualBlock] {
    let groups = Options.grouped(options)
    guard groups.count > 1 else { return [.raw(list(options))] }
    return groups.flatMap { [.heading($0.group.rawValue), .raw(list($0.options))] }
  }

  private static func list(_ options: [OptionDeclaration]) -> String {
    let items = options.map { option -> String in
      let value = option.argument.metavar.map { " Ar \(Mdoc.argument($0))" } ?? ""
      let short = option.short.map { "Fl \($0)\(value) , " } ?? ""
      return ".It \(short)Fl \\-\(Mdoc.escaped(option.name))\(value)\n" + Mdoc.paragraph(option.sentence)
    }
    return Mdoc.list(items)
  }

  static func examples(_ examples: [Example]) -> String {
    examples.map { example in
      Mdoc.paragraph(example.purpose + ":") + ".Pp\n.Dl \(Mdoc.escaped(example.line))\n"
    }.joined(separator: ".Pp\n")
  }
}
