import Encoding
import Platform
import TestSupport
import Testing

@testable import CommandLine

/// A shell on its own terminal, with this package's completions and a substitute that records how the program was run.
struct InteractiveShell {
  let shell: CompletionShell
  let program: AgentProgram
  private let home: TemporaryDirectory

  /// - Parameters:
  ///   - files: Names of empty files in the current directory.
  ///   - setup: Read by the shell at its start instead of the completions.
  init(_ shell: CompletionShell, _ program: AgentProgram, files: [String] = [], setup: String? = nil) throws {
    self.shell = shell
    self.program = program
    home = try TemporaryDirectory()
    for file in files { try home.write(file, "") }
    try program.tree.write("completions", setup ?? CompletionScript(shell).text)
  }

  /// Types each line and Enter, and returns the arguments of the program.
  func run(_ lines: [String]) throws -> [[String]] { try converse("run", lines) }

  /// Types each line and returns the offered completions; zsh only.
  func list(_ lines: [String]) throws -> [[String]] { try converse("list", lines) }

  private func converse(_ step: String, _ lines: [String]) throws -> [[String]] {
    let input = lines.flatMap { line in
      JSON.object(JSONObject([(step, .string(line))])).serialized() + [UInt8(ascii: "\n")]
    }
    let result = try ProcessRunner.run(
      executable: "/usr/bin/env",
      arguments: [
        "python3", "\(PackageFiles.path("Tests/Tools/Shells/complete"))", shell.rawValue,
        program.tree.path("completions"),
        program.tree.path("bin/agent"), home.path,
      ],
      environment: [
        "PATH=\(Environment.value("PATH") ?? "/usr/bin:/bin")", "XDG_RUNTIME_DIR=\(program.tree.path("run"))",
      ],
      input: input)
    try #require(result.succeeded, "\(result.errorText)")
    return try result.outputText.split(separator: "\n").map { line in
      try JSON(parsing: Array(line.utf8)).array?.compactMap(\.string) ?? []
    }
  }

  func hasFile(_ name: String) throws -> Bool { try home.open().exists(name) }

  /// Whether the shell and Python are installed; `make check` installs both.
  static func isHere(_ shell: CompletionShell) -> Bool {
    Spawn.search(shell.rawValue) != nil && Spawn.search("python3") != nil
  }
}
