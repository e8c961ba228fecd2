internal import Encoding
internal import Platform

/// The syntax of a shell or file for the variables of `env`. A class for speed.
final class Shell: Sendable {
  /// The name for `--shell`.
  let name: String
  let quoting: Quoting

  /// The text before and after a variable's quoted value.
  let assignment: @Sendable (_ variable: String) -> (before: String, after: String)

  /// Returns a statement that unsets a variable, or empties it in a `.env` file.
  let unsetStatement: @Sendable (_ variable: String) -> String

  /// Returns a statement that only sets the exit status, because `eval` hides that of the command substitution. Nil if
  /// no shell evaluates the output; variables without a value are then omitted instead of unset.
  let failureStatement: (@Sendable (_ status: Int32) -> String)?

  /// The text before, between and after all statements.
  let frame: (begin: String, separator: String, end: String)

  /// The variable with the path of the file to append to, if any. Standard output then only masks tokens in the log.
  let fileVariable: String?

  let hook: PromptHook?

  /// Programs that read the syntax, for tests with hostile values.
  let interpreters: @Sendable () -> [Interpreter]

  struct Interpreter: Sendable {
    /// The program, with arguments to ignore startup files. A script is appended.
    let command: [String]

    /// Scripts that read the file `ANSWER`, the documented one first.
    let forms: [String]

    /// Prints the variables `N` and `M`, if set, one per line.
    let printScript: String

    /// A strict parser in `Tests/Tools/Shells/readers.py`.
    static func reader(_ name: String) -> Interpreter {
      Interpreter(
        ["/usr/bin/python3"],
        forms: ["import readers; answer = readers.\(name)(open('ANSWER', encoding='utf-8', newline='').read())"],
        printScript: "[print(answer.get(name, '')) for name in 'NM' if answer.get(name) or name == 'N']")
    }

    init(_ command: [String], forms: [String], printScript: String = "/usr/bin/printenv N M") {
      self.command = command
      self.forms = forms
      self.printScript = printScript
    }
  }

  private init(
    _ name: String, _ quoting: Quoting,
    set assignment: @escaping @Sendable (String) -> (before: String, after: String),
    unset unsetStatement: @escaping @Sendable (String) -> String, fail failureStatement: (@Sendable (Int32) -> String)?,
    hook: PromptHook? = nil, frame: (String, String, String) = ("", "", ""), appendedTo fileVariable: String? = nil,
    readBy interpreters: @escaping @autoclosure @Sendable () -> [Interpreter]
  ) {
    self.name = name
    self.quoting = quoting
    self.assignment = assignment
    self.unsetStatement = unsetStatement
    self.failureStatement = failureStatement
    self.fileVariable = fileVariable
    self.hook = hook
    self.frame = frame
    self.interpreters = interpreters
  }

  /// sh, dash, bash, zsh and ksh.
  private static func posix(
    _ name: String, hook: PromptHook? = nil, readBy commands: @escaping @autoclosure @Sendable () -> [[String]]
  ) -> Shell {
    Shell(
      name, .octal, set: { ("\($0)=", "; export \($0);\n") }, unset: { "unset \($0);\n" },
      fail: { "(exit \($0));\n" }, hook: hook,
      readBy: commands().map { Interpreter($0, forms: ["eval \"$(cat ANSWER)\"", "eval $(cat ANSWER)"]) })
  }

  // MARK: All shells

  static let all = [sh, bash, zsh, fish, csh, powershell, nu, dotenv, systemd, githubActions, json]

  static let sh = posix("sh", readBy: [["/bin/dash"], ["/usr/bin/mksh"], ["/bin/busybox", "sh"]])
  static let bash = posix(
    "bash", hook: .bash, readBy: [["/bin/bash"], ["/bin/bash", "-O", "extglob", "-O", "failglob"]])
  static let zsh = posix(
    "zsh", hook: .zsh,
    readBy: [
      ["/usr/bin/zsh", "-f"],
      ["/usr/bin/zsh", "-f", "-o", "globsubst", "-o", "extendedglob", "-o", "rcquotes", "-o", "shwordsplit"],
    ])

  static let fish = Shell(
    "fish", .fish, set: { ("set -gx \($0) ", ";\n") },
    // fish fails when erasing unset variables.
    unset: { "set -ge \($0); true;\n" }, fail: { "sh -c \"exit \($0)\";\n" }, hook: .fish,
    readBy: [Interpreter(["/usr/bin/fish", "--no-config"], forms: ["cat ANSWER | source", "eval (cat ANSWER)"])])

  /// csh and tcsh.
  static let csh = Shell(
    "csh", .octal, set: { ("setenv \($0) ", ";\n") }, unset: { "unsetenv \($0);\n" },
    fail: { "sh -c \"exit \($0)\";\n" },
    readBy: ["/usr/bin/tcsh", "/usr/bin/bsd-csh"].map {
      Interpreter([$0, "-f"], forms: ["eval \"`cat ANSWER`\"", "eval `cat ANSWER`"])
    })

  /// A `.env` file.
  static let dotenv = Shell(
    "dotenv", .dotenv, set: { ("\($0)=", "\n") }, unset: { "\($0)=\"\"\n" }, fail: nil,
    readBy: ["/bin/dash", "/bin/bash"].map {
      Interpreter([$0], forms: ["set -a; . ANSWER"], printScript: "/usr/bin/printenv N; test -z \"$M\" || echo \"$M\"")
    })

  /// Before version 7.5, an empty value unsets a variable.
  static let powershell = Shell(
    "powershell", .powershell, set: { ("$env:\($0) = ", "\n") },
    unset: { "Remove-Item Env:\($0) -ErrorAction Ignore\n" },
    fail: { "$global:LASTEXITCODE = \($0)\n" }, readBy: [.reader("powershell")])

  /// Input for `from json | load-env`, which evaluates no text.
  static let nu = Shell(
    "nu", .json, set: json.assignment, unset: json.unsetStatement, fail: nil, frame: json.frame, readBy: [.reader("nu")]
  )

  /// A file for `EnvironmentFile=` (systemd.exec(5)).
  static let systemd = Shell(
    "systemd", .dotenv, set: dotenv.assignment, unset: dotenv.unsetStatement, fail: nil, readBy: [.reader("systemd")])

  /// The file named by `GITHUB_ENV`.
  static let githubActions = Shell(
    "github-actions", .line, set: { ("\($0)<<\(delimiter)\n", "\n\(delimiter)\n") },
    unset: { "\($0)<<\(delimiter)\n\n\(delimiter)\n" }, fail: nil, appendedTo: "GITHUB_ENV",
    readBy: [.reader("github_actions")])

  /// Unpredictable, so that no value contains it.
  private static let delimiter = "end-\(HexDigit.text(Randomness.bytes(16)))"

  static let json = Shell(
    "json", .json, set: { ("\"\($0)\":", "") }, unset: { "\"\($0)\":null" }, fail: nil, frame: ("{", ",", "}\n"),
    readBy: [
      Interpreter(
        ["/usr/bin/python3"], forms: ["import json; answer = json.load(open('ANSWER', encoding='utf-8'))"],
        printScript: "[print(answer[name]) for name in 'NM' if answer.get(name) is not None]")
    ])
}

/// Writes variables in a shell's syntax.
struct VariableWriter {
  let shell: Shell
  private var isFirst = true

  init(_ shell: Shell) { self.shell = shell }

  func begin<Sink: ByteSink & ~Copyable>(_ sink: inout Sink) { sink.append(utf8: shell.frame.begin) }

  func end<Sink: ByteSink & ~Copyable>(_ sink: inout Sink) { sink.append(utf8: shell.frame.end) }

  /// Sets and exports a variable to well-formed UTF-8. Throws if it cannot be represented.
  mutating func set<Sink: ByteSink & ~Copyable>(
    _ name: String, to value: Span<UInt8>, in sink: inout Sink
  ) throws(Quoting.Problem) {
    writeSeparator(&sink)
    let (before, after) = shell.assignment(name)
    sink.append(utf8: before)
    try shell.quoting.append(value, to: &sink)
    sink.append(utf8: after)
  }

  mutating func unset<Sink: ByteSink & ~Copyable>(_ name: String, in sink: inout Sink) {
    writeSeparator(&sink)
    sink.append(utf8: shell.unsetStatement(name))
  }

  private mutating func writeSeparator<Sink: ByteSink & ~Copyable>(_ sink: inout Sink) {
    if !isFirst { sink.append(utf8: shell.frame.separator) }
    isFirst = false
  }
}
