/// A page of the manual: what is in it, and where it is found.
struct ManualPage: Sendable {
  /// Written with the program's usual name.
  let name: String
  let section: Int

  /// All sections, in the mdoc(7) language.
  let body: @Sendable () -> String

  static let agent = ManualPage(name: "agent", section: 1) { Mdoc.page(ManualWriter.sections) }
  static let daemon = ManualPage(name: "agentd", section: 8) { Mdoc.page(ManualDaemon.sections) }
  static let configuration = ManualPage(name: "agent-config", section: 5) { Mdoc.page(ManualConfiguration.sections) }
  static let providers = ManualPage(name: "agent-providers", section: 7) { Mdoc.page(ManualProviders.sections) }

  static let all = [agent, configuration, providers, daemon]

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

/// Writes the manual page agent(1) from the command table.
enum ManualWriter {
  static var sections: [ManualSection] {
    let summary = Manual.summary.prefix(1).lowercased() + Manual.summary.dropFirst()
    return [
      ManualSection("NAME", [.raw(".Nm agent\n.Nd \(Mdoc.escaped(summary))\n")]),
      ManualSection("SYNOPSIS", [.raw(".Nm\n.Op Ar OPTION ...\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n")]),
      ManualSection("DESCRIPTION", Manual.description.map { .text($0) }),
      ManualSection("COMMANDS", Command.all.flatMap(subsection)),
      ManualSection(
        "OPTIONS",
        [
          .text("Every command understands these. `--no-daemon` is refused where it contradicts the command."),
          .raw(list(Options.common)),
        ]),
      ManualSection("ENVIRONMENT", [.list(Manual.environment, macro: "Ev")]),
      ManualSection("FILES", [.list(Manual.files, macro: "Pa")]),
      ManualSection("EXIT STATUS", [.list(Manual.exitStatuses, macro: "Li"), .text(Manual.exitStatusNote)]),
      ManualSection("EXAMPLES", [.raw(examples)]),
      ManualSection("SEE ALSO", [.seeAlso([("agent-config", 5), ("agent-providers", 7), ("agentd", 8)])]),
      ManualSection("STANDARDS", Manual.standards.map { .text($0) }),
      ManualSection("SECURITY CONSIDERATIONS", Manual.security.map { .text($0) }),
    ]
  }

  private static func subsection(_ command: Command) -> [ManualBlock] {
    let usage = ".Ss \(command.name)\n.Bd -ragged -compact\n\(usage(command)).Ed\n.Pp\n"
    return [.raw(usage)]
      + ([command.summary + "."] + command.details).map { .text($0) }
      + (command.options.isEmpty ? [] : [.raw(list(command.options))])
  }

  private static func usage(_ command: Command) -> String {
    var text = ".Nm agent \(command.name)\n.Op Ar OPTION ...\n"
    if let metavar = command.operands.metavar {
      text += command.operands.required > 0 ? ".Ar \(metavar)\n" : ".Op Ar \(metavar)\n"
    }
    if command.trailing != nil { text += ".Li \\-\\-\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n" }
    return text
  }

  private static func list(_ options: [OptionDeclaration]) -> String {
    let items = options.map { option -> String in
      let value = option.argument.metavar.map { " Ar \(Mdoc.argument($0))" } ?? ""
      let short = option.short.map { "Fl \($0)\(value) , " } ?? ""
      return ".It \(short)Fl \\-\(Mdoc.escaped(option.name))\(value)\n" + Mdoc.paragraph(option.sentence)
    }
    return Mdoc.list(items)
  }

  private static var examples: String {
    let examples = Command.all.flatMap(\.examples) + Manual.examples
    return examples.map { example in
      Mdoc.paragraph(example.purpose + ":") + ".Pp\n.Dl \(Mdoc.escaped(example.line))\n"
    }.joined(separator: ".Pp\n")
  }
}
