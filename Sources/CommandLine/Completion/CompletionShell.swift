/// A shell that completes command lines by a file of ours.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The file for the program of this name.
  ///
  /// The names of accounts come from the program that the command line begins with, so that they are
  /// those of the program that will run. They are data there: nothing evaluates them.
  func script(for program: ProgramName) -> String {
    switch self {
    case .bash: BashCompletionWriter(program: program).script
    case .zsh: ZshCompletionWriter(program: program).script
    case .fish: FishCompletionWriter(program: program).script
    }
  }

  /// What its file is called, by the custom of each shell.
  func fileName(for program: ProgramName) -> String {
    switch self {
    case .bash: "\(program.text).bash"
    case .zsh: "_\(program.text)"
    case .fish: "\(program.text).fish"
    }
  }

  static let notice = "# Generated from the command table by \"generate\"; do not edit."

  /// A word between single quotes, as bash and zsh read it.
  static func quoted(_ text: String) -> String { "'" + text.replacing(each: "'", with: #"'\''"#) + "'" }
}
