import Encoding
import Platform
import TestSupport
import Testing

@testable import CommandLine

/// Programs that evaluate their input.
private let evaluating = ShellUnderTest.installed.filter { $0.shell.failureStatement != nil && $0.isShell }

@Suite struct `Programs that read the answer` {
  /// The current directory of all shells, with hostile file names.
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in HostileValues.fileNames { try directory.write(name, "") }
  }

  private func fileNames() throws -> [String] { try directory.open().fileNames().sorted() }

  @Test(arguments: Shell.all) func `are here for each shell`(shell: Shell) {
    let isHere = ShellUnderTest.installed.contains { $0.shell.name == shell.name }
    #expect(isHere, "no program that reads \(shell.name) is installed: `make deps-check` does that")
  }

  /// Files that each contain a response that sets `N`, and `M` to unset it again.
  private static func answers(_ shell: Shell, _ values: [[UInt8]]) throws -> TemporaryDirectory {
    let answers = try TemporaryDirectory()
    for (index, value) in values.enumerated() {
      var answer: [UInt8] = []
      var writer = VariableWriter(shell)
      writer.begin(&answer)
      try writer.set("M", to: Array("stale".utf8).span, in: &answer)
      try writer.set("N", to: value.span, in: &answer)
      writer.unset("M", in: &answer)
      writer.end(&answer)
      try answers.write("\(index)", answer)
    }
    return answers
  }

  @Test(arguments: ShellUnderTest.installed)
  func `get the value and nothing else, with and without quotes around the substitution`(
    program: ShellUnderTest
  ) throws {
    let values = HostileValues.all.filter { value in
      switch program.shell.quoting {
      // JSON has no other strings.
      case .json, .powershell: String(validating: value, as: UTF8.self) != nil
      // systemd and the runner accept no other text.
      case .line where String(validating: value, as: UTF8.self) == nil: false
      case .dotenv where program.shell.name == "systemd" && String(validating: value, as: UTF8.self) == nil: false
      case .dotenv, .line:
        value.indices.allSatisfy { value[$0] == 9 || TerminalText.controlLength(value.span, at: $0) == 0 }
      case .octal, .fish: true
      }
    }
    let answers = try Self.answers(program.shell, values)
    let before = try fileNames()
    #expect(before.count == HostileValues.fileNames.count)
    let script = values.indices.map {
      "\(program.evaluation(of: answers.path("\($0)")))\n\(program.interpreter.printScript)\n"
    }
    let result = try program.run(script.joined(), in: directory.path)
    #expect(result.errorText == "")
    let found = result.output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    #expect(found.count == values.count)
    for (value, found) in zip(values, found) {
      #expect(value.elementsEqual(found), "\(String(decoding: value, as: UTF8.self))")
    }
    #expect(try fileNames() == before, "nothing was run")
  }

  // With GLOB_SUBST, zsh reads the bare `(exit` as a pattern, and fails with another status.
  @Test(arguments: evaluating.filter { !$0.interpreter.command.contains("globsubst") })
  func `see the status of a failed command`(program: ShellUnderTest) throws {
    let answers = try TemporaryDirectory()
    try answers.write("failure", program.shell.failureStatement?(3) ?? "")
    let evaluation = program.evaluation(of: answers.path("failure"))
    let alone = try program.run("\(evaluation)\n", in: directory.path)
    #expect(alone == ProcessResult(status: .exited(3), output: [], error: []))
    let or = try program.run("\(evaluation) || exit 7\necho reached\n", in: directory.path)
    #expect(or == ProcessResult(status: .exited(7), output: [], error: []))
    guard program.canStop else { return }
    let strict = try program.run("\(evaluation)\necho reached\n", options: ["-e"], in: directory.path)
    #expect(strict == ProcessResult(status: .exited(3), output: [], error: []))
  }

  @Test(arguments: evaluating)
  func `do not mind that a variable to unset is not set`(program: ShellUnderTest) throws {
    let answers = try TemporaryDirectory()
    try answers.write("unset", program.shell.unsetStatement("AGENT_NOT_SET"))
    let result = try program.run("\(program.evaluation(of: answers.path("unset")))\n", in: directory.path)
    #expect(result == ProcessResult(status: .exited(0), output: [], error: []))
  }
}
