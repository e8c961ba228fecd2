/// A shell script that completes the program's command lines.
///
/// Asks the program on the command line, with `__complete`, and never evaluates what it prints.
struct CompletionScript {
  let shell: CompletionShell
  let program: ProgramName

  init(_ shell: CompletionShell, for program: ProgramName = .standard) {
    self.shell = shell
    self.program = program
  }

  /// The name that the shell expects.
  var fileName: String {
    switch shell {
    case .bash: "\(program.text).bash"
    case .zsh: "_\(program.text)"
    case .fish: "\(program.text).fish"
    }
  }

  /// The script in this folder, with the program's name.
  var text: String {
    let bytes =
      switch shell {
      case .bash: PackageResources.agent_bash
      case .zsh: PackageResources._agent
      case .fish: PackageResources.agent_fish
      }
    let name = ProgramName.standard.text
    return String(decoding: bytes, as: UTF8.self)
      .replacing(each: "_\(name)", with: "_\(program.identifier)")
      .replacing(each: " \(name)", with: " \(program.text)")
  }
}
