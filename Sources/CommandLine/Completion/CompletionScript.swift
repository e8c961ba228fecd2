/// A shell script that completes the program's command lines.
///
/// It calls the program with `__complete`, and never evaluates the answer.
struct CompletionScript {
  let shell: CompletionShell
  let program: ProgramName

  init(_ shell: CompletionShell, for program: ProgramName = .standard) {
    self.shell = shell
    self.program = program
  }

  /// The script in this folder, and the name that the shell expects.
  private var source: (name: String, bytes: [UInt8]) {
    switch shell {
    case .bash: ("agent.bash", PackageResources.agent_bash)
    case .zsh: ("_agent", PackageResources._agent)
    case .fish: ("agent.fish", PackageResources.agent_fish)
    }
  }

  var fileName: String { source.name.replacing(each: ProgramName.standard.text, with: program.text) }

  var text: String {
    let name = ProgramName.standard.text
    return String(decoding: source.bytes, as: UTF8.self)
      .replacing(each: "_\(name)", with: "_\(program.identifier)")
      .replacing(each: " \(name)", with: " \(program.text)")
  }
}
