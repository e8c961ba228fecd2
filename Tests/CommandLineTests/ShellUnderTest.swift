import Platform
import TestSupport
import Testing

@testable import CommandLine

/// A shell that is installed here, and how an answer gets into it.
struct ShellUnderTest: Sendable, CustomTestStringConvertible {
  let path: String
  /// What makes it read a script from a file and nothing else, such as the user's own settings.
  let arguments: [String]
  let syntax: Shell
  /// Ways to evaluate what the command `ANSWER` prints: the documented one first.
  let forms: [String]

  var testDescription: String { ([path] + arguments).joined(separator: " ") }

  private static let shForms = ["eval \"$(ANSWER)\"", "eval $(ANSWER)"]
  private static let cshForms = ["eval \"`ANSWER`\"", "eval `ANSWER`"]
  private static let fishForms = ["ANSWER | source", "eval (ANSWER)"]

  private static let known: [ShellUnderTest] = [
    ShellUnderTest(path: "/bin/dash", arguments: [], syntax: .sh, forms: shForms),
    ShellUnderTest(path: "/bin/bash", arguments: [], syntax: .bash, forms: shForms),
    ShellUnderTest(path: "/bin/bash", arguments: ["-O", "extglob", "-O", "failglob"], syntax: .bash, forms: shForms),
    ShellUnderTest(path: "/usr/bin/zsh", arguments: ["-f"], syntax: .zsh, forms: shForms),
    ShellUnderTest(
      path: "/usr/bin/zsh",
      arguments: ["-f", "-o", "globsubst", "-o", "extendedglob", "-o", "rcquotes", "-o", "shwordsplit"], syntax: .zsh,
      forms: shForms),
    ShellUnderTest(path: "/usr/bin/mksh", arguments: [], syntax: .sh, forms: shForms),
    ShellUnderTest(path: "/bin/busybox", arguments: ["sh"], syntax: .sh, forms: shForms),
    ShellUnderTest(path: "/usr/bin/tcsh", arguments: ["-f"], syntax: .csh, forms: cshForms),
    ShellUnderTest(path: "/usr/bin/bsd-csh", arguments: ["-f"], syntax: .csh, forms: cshForms),
    ShellUnderTest(path: "/usr/bin/fish", arguments: ["--no-config"], syntax: .fish, forms: fishForms),
  ]

  static let installed = known.filter { (try? FileDescriptor(opening: $0.path, for: .reading)) != nil }

  /// Every installed shell with each of its forms.
  static let installedForms = installed.flatMap { shell in shell.forms.map { (shell, $0) } }

  /// Sets the variable `M`, evaluates a file, and prints `N` on a line, and `M` on another one if it is still set.
  func lines(evaluating file: String, by form: String) -> String {
    let evaluation = form.replacing("ANSWER", with: "cat \(file)")
    return switch syntax {
    case .fish: "set -gx M stale; \(evaluation); printf '%s\\n' \"$N\"; set -q M; and echo $M\n"
    case .csh: "setenv M stale; \(evaluation); printenv N; printenv M\n"
    default: "M=stale; \(evaluation); printf '%s\\n' \"$N\"; test -z \"${M+set}\" || echo \"$M\"\n"
    }
  }

  /// The words that print the status of the last command.
  var status: String { syntax == .sh || syntax == .bash || syntax == .zsh ? "$?" : "$status" }

  /// Runs a script, without anything of the user's environment.
  func run(_ script: String, options: [String] = [], in directory: String) throws -> ProcessResult {
    let home = try TemporaryDirectory()
    try home.write("script", script)
    return try ProcessRunner.run(
      executable: path, arguments: arguments + options + [home.path("script")],
      environment: ["PATH=/usr/bin:/bin", "HOME=\(home.path)", "LANG=C.UTF-8"], directory: directory,
      timeout: .seconds(120))
  }
}
