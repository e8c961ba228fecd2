/// A shell's completion script. It calls the program with `__complete`, and never evaluates the answer.
struct CompletionScript {
  let shell: CompletionShell
  let program: ProgramName

  init(_ shell: CompletionShell, for program: ProgramName = .standard) {
    self.shell = shell
    self.program = program
  }

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
    // compinit requires a function named like the file. It may contain dashes.
    let function = shell == .zsh ? program.text : program.identifier
    return String(decoding: source.bytes, as: UTF8.self)
      .replacing(each: "_\(name)", with: "_\(function)")
      .replacing(each: " \(name)", with: " \(program.text)")
  }
}
