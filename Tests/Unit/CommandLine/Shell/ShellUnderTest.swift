import Platform
import TestSupport
import Testing

@testable import CommandLine

extension Shell: CustomTestStringConvertible {
  /// The name on the command line.
  public var testDescription: String { name }
}

/// A program that reads the syntax of a shell, and one way to pass it a response.
struct ShellUnderTest: Sendable, CustomTestStringConvertible {
  let shell: Shell
  let interpreter: Shell.Interpreter
  let form: String

  var testDescription: String { (interpreter.command + [form]).joined(separator: " ") }

  /// Every installed program, with each of its forms.
  static let installed = Shell.all.flatMap { shell in
    shell.interpreters().filter(isInstalled).flatMap { interpreter in
      interpreter.forms.map { ShellUnderTest(shell: shell, interpreter: interpreter, form: $0) }
    }
  }

  static func isInstalled(_ interpreter: Shell.Interpreter) -> Bool {
    (try? FileDescriptor(opening: interpreter.command[0], for: .reading)) != nil
  }

  /// The directory of `readers.py`.
  private static let readers = PackageFiles.path("Tests/Tools/Shells")

  /// Whether the program is a shell, not just a parser of the grammar.
  var isShell: Bool { !interpreter.command.contains("/usr/bin/python3") }

  /// Whether the program can be told to stop at a failed command; fish has no such option.
  var canStop: Bool { shell.name != Shell.fish.name }

  /// The statement that evaluates the response in a file.
  func evaluation(of file: String) -> String { form.replacing("ANSWER", with: file) }

  /// Runs a script, without the user's environment.
  func run(_ script: String, options: [String] = [], in directory: String) throws -> ProcessResult {
    let home = try TemporaryDirectory()
    try home.write("script", script)
    return try ProcessRunner.run(
      executable: interpreter.command[0],
      arguments: interpreter.command.dropFirst() + options + [home.path("script")],
      environment: [
        "PATH=/usr/bin:/bin", "HOME=\(home.path)", "LANG=C.UTF-8", "PYTHONPATH=\(Self.readers)",
        "PYTHONDONTWRITEBYTECODE=1",
      ],
      directory: directory)
  }
}
