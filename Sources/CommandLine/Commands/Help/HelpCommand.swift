internal import Encoding
internal import Wire

enum HelpCommand {
  static let help = Command(
    .help,
    summary: "Print the help of a command",
    options: [Option.everything.declaration],
    operands: .command,
    examples: [
      Example(
        "Show help for login",
        "agent help login"),
      Example(
        "Show every option of login",
        "agent help --all login"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) -> Action {
    let all = invocation[.everything]
    return .doing { () throws(Failure) in
      try Console.answer(text(for: invocation.operands, by: invocation.commands, all: all))
    }
  }

  /// Help on a command, group or, without `words`, the program. `all` includes every option.
  static func text(
    for words: [String], by commands: CommandTable, all: Bool = false
  ) throws(Failure) -> String {
    ProgramName.current.renaming(try standardText(for: words, commands, all: all))
  }

  /// The help, with `agent` as the program's name.
  private static func standardText(
    for words: [String], _ commands: CommandTable, all: Bool
  ) throws(Failure) -> String {
    let writer = HelpWriter(language: .current)
    guard let first = words.first else { return writer.help(onProgram: commands, all: all) }
    if let command = commands.named(words.joined(separator: " ")) {
      return writer.help(on: command, all: all)
    }
    if first == CommandName.providersTopic, words.count <= 2 {
      let files = AdministratorFiles.ofThisMachine()
      if let text = presets(files, words.dropFirst().first) { return text }
      if let text = writer.help(onProvider: words.dropFirst().first) { return text }
      let meant = Suggestion.candidates(for: words[1], among: Provider.names)
      throw Failure(
        .invalidRequest, "unknown service \"\(words[1])\"",
        hint: Phrase.didYouMean(commands: meant.map { "agent help \(first) \($0)" }) ?? "agent help \(first)")
    }
    let members = CommandName.members(ofGroup: first)
    if words.count == 1, !members.isEmpty { return writer.help(onGroup: first, of: commands, all: all) }
    // In `agent token work --help`, `work` is an operand.
    if let command = commands.named(first) { return writer.help(on: command, all: all) }
    let page = CommandName.otherPages.first { $0.0.hasSameBytes(as: "agent-\(first)") }
    throw Failure(
      .invalidRequest, "unknown command \"\(words.joined(separator: " "))\"",
      hint: page.map { .command("man \($0.0)") } ?? Phrase.didYouMean(
        commands: WordSuggestions.helpCommands(for: words))
        ?? .command(members.isEmpty ? "agent help" : "agent help \(first)"))
  }

  /// Describes the preset `name`, or all presets and known services. Nil without a match.
  private static func presets(_ files: AdministratorFiles, _ name: String?) -> String? {
    if let name {
      guard let preset = files.presets.first(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
      var listing = Listing()
      let settings = AccountSetting.all.compactMap { setting in
        setting.value(in: preset.settings).map { (setting.optionName, $0) }
      }
      for (word, value) in settings { listing.add([word, AccountCommand.value(value)]) }
      for program in preset.setupCommands { listing.add(["setup", program]) }
      return "\(name): \(preset.path)\n\(listing.text())"
    }
    guard !files.presets.isEmpty, let known = HelpWriter().help(onProvider: nil) else { return nil }
    var listing = Listing()
    for preset in files.presets { listing.add([preset.name, TerminalText.clean(preset.service)]) }
    return "\(AdministratorFiles.presetDirectory()):\n\(listing.text())\n\(known)"
  }
}
