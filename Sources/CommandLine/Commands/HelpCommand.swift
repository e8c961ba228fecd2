internal import Wire

/// `agent help`, and `--help` of any command.
enum HelpCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    try Console.answer(text(for: invocation.operands))
    return 0
  }

  /// The help on the command or the group of these words; on the program when there are none.
  static func text(for words: [String]) throws(Failure) -> String {
    ProgramName.current.applied(to: try standardText(for: words))
  }

  private static func standardText(for words: [String]) throws(Failure) -> String {
    guard let first = words.first else { return HelpWriter.program() }
    if let command = CommandTable.command(named: words.joined(separator: " ")) { return HelpWriter.help(on: command) }
    let members = CommandTable.members(ofGroup: first)
    if words.count == 1, !members.isEmpty { return HelpWriter.help(onGroup: first) }
    // What follows a whole command is that command's business: `agent token work --help`.
    if let command = CommandTable.command(named: first) { return HelpWriter.help(on: command) }
    throw Failure(.invalidRequest, "there is no command \"\(words.joined(separator: " "))\"", hint: "agent help")
  }
}
