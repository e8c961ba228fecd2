/// A shell script that completes the program's command lines. Calls the program with `__complete`, and never evaluates
/// the answer.
struct CompletionScript {
  let shell: CompletionShell
  let program: ProgramName

  init(_ shell: CompletionShell, for program: ProgramName = .standard) {
    self.shell = shell
    self.program = program
  }

  /// The script, and the file name that the shell expects.
  private var source: (name: String, bytes: [UInt8]) {
    switch shell {
    case .bash: ("agent.bash", PackageResources.agent_bash)
    case .zsh: ("_agent", PackageResources._agent)
    case .fish: ("agent.fish", PackageResources.agent_fish)
    }
  }

  var fileName: String { source.name }

  var text: String {
    let name = ProgramName.standard.text
    // For compinit, the function is called as the file, and may contain dashes.
    let function = shell == .zsh ? program.text : program.identifier
    return String(decoding: source.bytes, as: UTF8.self)
      .replacing(each: "_\(name)", with: "_\(function)")
      .replacing(each: " \(name)", with: " \(program.text)")
  }
}
