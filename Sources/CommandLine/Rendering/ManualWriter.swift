/// Writes the manual page agent(1) from the command table.
package enum ManualWriter {
  /// The page, in the mdoc(7) language.
  package static func page() -> String { ManualPage.agent.text() }

  /// Its sections.
  static func body() -> String {
    [
      name, synopsis, description, commands, options, environment, files, exitStatus, examples, seeAlso, standards,
      security,
    ].joined()
  }

  private static var name: String {
    let summary = Manual.summary.prefix(1).lowercased() + Manual.summary.dropFirst()
    return ".Sh NAME\n.Nm agent\n.Nd \(Mdoc.escaped(summary))\n"
  }

  private static var synopsis: String {
    ".Sh SYNOPSIS\n.Nm\n.Op Ar OPTION ...\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n"
  }

  private static var description: String { section("DESCRIPTION", paragraphs(Manual.description)) }

  private static var commands: String {
    section("COMMANDS", CommandTable.commands.map(subsection).joined())
  }

  private static func subsection(_ command: Command) -> String {
    var text = ".Ss \(command.name)\n.Bd -ragged -compact\n\(usage(command)).Ed\n.Pp\n"
    text += paragraphs([command.summary + "."] + command.details)
    if !command.options.isEmpty { text += list(command.options) }
    return text
  }

  private static func usage(_ command: Command) -> String {
    var text = ".Nm agent \(command.name)\n.Op Ar OPTION ...\n"
    if let metavar = command.operands.metavar {
      text += command.operands.required > 0 ? ".Ar \(metavar)\n" : ".Op Ar \(metavar)\n"
    }
    if command.trailing != nil { text += ".Li \\-\\-\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n" }
    return text
  }

  private static var options: String {
    section("OPTIONS", Mdoc.paragraph("Every command understands these.") + list(Option.common))
  }

  private static func list(_ options: [Option]) -> String {
    let items = options.map { option -> String in
      let value = option.metavar.map { " Ar \(Mdoc.argument($0))" } ?? ""
      let short = option.short.map { "Fl \($0)\(value) , " } ?? ""
      var summary = option.summary
      if case .choice(_, let words) = option.value {
        summary += ": one of " + words.map { "`\($0)`" }.joined(separator: ", ")
      }
      return ".It \(short)Fl \\-\(Mdoc.escaped(option.name.rawValue))\(value)\n" + Mdoc.paragraph(summary + ".")
    }
    return ".Bl -tag -width Ds\n" + items.joined() + ".El\n"
  }

  private static var environment: String { section("ENVIRONMENT", list(Manual.environment, macro: "Ev")) }
  private static var files: String { section("FILES", list(Manual.files, macro: "Pa")) }

  private static var exitStatus: String {
    section("EXIT STATUS", list(Manual.exitStatuses, macro: "Li") + ".Pp\n" + Mdoc.paragraph(Manual.exitStatusNote))
  }

  private static func list(_ items: [Manual.Item], macro: String) -> String {
    let text = items.map { ".It \(macro) \(Mdoc.argument($0.term))\n" + Mdoc.paragraph($0.meaning) }.joined()
    return ".Bl -tag -width Ds\n" + text + ".El\n"
  }

  private static var examples: String {
    let examples = CommandTable.commands.flatMap(\.examples) + Manual.examples
    let texts = examples.map { example in
      Mdoc.paragraph(example.purpose + ":") + ".Pp\n.Dl \(Mdoc.escaped(example.line))\n"
    }
    return section("EXAMPLES", texts.joined(separator: ".Pp\n"))
  }

  private static var seeAlso: String { section("SEE ALSO", Mdoc.seeAlso([("agent-config", 5), ("agentd", 8)])) }
  private static var standards: String { section("STANDARDS", paragraphs(Manual.standards)) }
  private static var security: String { section("SECURITY CONSIDERATIONS", paragraphs(Manual.security)) }

  private static func section(_ title: String, _ text: String) -> String { ".Sh \(title)\n" + text }

  private static func paragraphs(_ texts: [String]) -> String {
    texts.map { Mdoc.paragraph($0) }.joined(separator: ".Pp\n")
  }
}
