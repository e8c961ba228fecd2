/// A shell script that completes the program's command lines.
///
/// Account names come from the program on the command line and are never evaluated.
struct CompletionScript {
  let shell: CompletionShell
  let table: CommandTable
  let program: ProgramName

  init(_ shell: CompletionShell, of table: CommandTable, for program: ProgramName = .standard) {
    self.shell = shell
    self.table = table
    self.program = program
  }

  var text: String {
    switch shell {
    case .bash: BashCompletionWriter(program: program, table: table).script
    case .zsh: ZshCompletionWriter(program: program, table: table).script
    case .fish: FishCompletionWriter(program: program, table: table).script
    }
  }

  /// The name that the shell expects.
  var fileName: String {
    switch shell {
    case .bash: "\(program.text).bash"
    case .zsh: "_\(program.text)"
    case .fish: "\(program.text).fish"
    }
  }
}

extension OptionDeclaration {
  /// The option's possible values; nil for a switch.
  var candidates: Candidates? {
    switch argument {
    case .none: return nil
    case .text, .descriptor, .duration: return .text
    case .durationOrNever: return .words(["never"])
    case .file, .secretFile: return .files
    case .choice(_, let words, _): return .words(words())
    case .account: return .accounts
    }
  }

  /// The option's spellings, such as `-a` and `--account`.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
}

extension CommandName {
  static let generatedNotice = "# Generated from the command table by \"generate\"; do not edit."

  /// The first words of commands with two words, such as `daemon`.
  static var groups: [String] { firstWords.filter { !members(ofGroup: $0).isEmpty } }
}

extension CommandTable {
  /// The first word of each command, with the summary of the command or the members of the group.
  var firstWordSummaries: [(word: String, summary: String)] {
    CommandName.firstWords.map { ($0, named($0)?.summary ?? CommandName.members(ofGroup: $0).joined(separator: ", ")) }
  }

  func memberSummaries(ofGroup group: String) -> [(word: String, summary: String)] {
    CommandName.members(ofGroup: group).map { ($0, named("\(group) \($0)")?.summary ?? "") }
  }
}
