import Encoding
import Platform
import TestSupport
import Testing

@testable import CommandLine

@Suite struct `Shells that evaluate the answer` {
  /// The current directory of all shells: its file names are hostile.
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in HostileValues.fileNames { try directory.write(name, "") }
  }

  private func fileNames() throws -> [String] { try directory.open().fileNames().sorted() }

  /// Files with an answer each that sets `N` and unsets `M`.
  private static func answers(_ syntax: Shell) throws -> TemporaryDirectory {
    let answers = try TemporaryDirectory()
    for (index, value) in HostileValues.all.enumerated() {
      var answer: [UInt8] = []
      var writer = VariableWriter(syntax)
      writer.begin(&answer)
      try writer.set("N", to: value.span, in: &answer)
      writer.unset("M", in: &answer)
      writer.end(&answer)
      try answers.write("\(index)", answer)
    }
    return answers
  }

  @Test(arguments: ShellUnderTest.installedForms)
  func `get the value and nothing else, with and without quotes around the substitution`(
    shell: ShellUnderTest, form: String
  ) throws {
    let answers = try Self.answers(shell.syntax)
    let before = try fileNames()
    #expect(before.count == HostileValues.fileNames.count)
    let script = HostileValues.all.indices.map { shell.lines(evaluating: answers.path("\($0)"), by: form) }
    let result = try shell.run(script.joined(), in: directory.path)
    #expect(result.errorText == "")
    let found = result.output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    #expect(found.count == HostileValues.all.count)
    for (value, found) in zip(HostileValues.all, found) {
      #expect(value.elementsEqual(found), "\(String(decoding: value, as: UTF8.self))")
    }
    #expect(try fileNames() == before, "nothing was run")
  }

  // With GLOB_SUBST, zsh takes the bare `(exit` for a pattern, and fails with a status of its own.
  @Test(arguments: ShellUnderTest.installedForms.filter { !$0.0.arguments.contains("globsubst") })
  func `see the status of a failed command`(shell: ShellUnderTest, form: String) throws {
    let answers = try TemporaryDirectory()
    try answers.write("failure", shell.syntax.failing(with: 3))
    let evaluation = form.replacing("ANSWER", with: "cat \(answers.path("failure"))")
    let told = try shell.run("\(evaluation)\necho \(shell.status)\n", in: directory.path)
    #expect(told == ProcessResult(status: .exited(0), output: Array("3\n".utf8), error: []))
    let or = try shell.run("\(evaluation) || exit 7\necho reached\n", in: directory.path)
    #expect(or == ProcessResult(status: .exited(7), output: [], error: []))
    // fish has no such option.
    guard shell.syntax != .fish else { return }
    let strict = try shell.run("\(evaluation)\necho reached\n", options: ["-e"], in: directory.path)
    #expect(strict == ProcessResult(status: .exited(3), output: [], error: []))
  }

  @Test(arguments: ShellUnderTest.installedForms)
  func `do not mind that a variable to unset is not set`(shell: ShellUnderTest, form: String) throws {
    let answers = try TemporaryDirectory()
    var answer: [UInt8] = []
    var writer = VariableWriter(shell.syntax)
    writer.unset("AGENT_NOT_SET", in: &answer)
    try answers.write("unset", answer)
    let evaluation = form.replacing("ANSWER", with: "cat \(answers.path("unset"))")
    let result = try shell.run("\(evaluation)\necho \(shell.status)\n", in: directory.path)
    #expect(result == ProcessResult(status: .exited(0), output: Array("0\n".utf8), error: []))
  }

  @Test(arguments: ["/bin/dash", "/bin/bash"]) func `read a dotenv file as it was meant`(shell: String) throws {
    let answers = try TemporaryDirectory()
    var script = ""
    // `!` and the like mean nothing in a script.
    for (index, value) in HostileValues.all.enumerated() {
      var answer: [UInt8] = []
      var writer = VariableWriter(.dotenv)
      try writer.set("N", to: value.span, in: &answer)
      try answers.write("\(index)", answer)
      script += ". \(answers.path("\(index)")); printf '%s\\n' \"$N\"\n"
    }
    try answers.write("script", script)
    let before = try fileNames()
    let result = try ProcessRunner.run(
      executable: shell, arguments: [answers.path("script")], environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"],
      directory: directory.path)
    #expect(result.errorText == "")
    #expect(result.output == HostileValues.all.flatMap { $0 + [0x0A] })
    #expect(try fileNames() == before)
  }
}
