internal import Encoding

/// A shell function that updates the variables of `agent env` before each prompt. Keeps the status, and prints nothing.
///
/// Usually only compares two numbers, and reads a line that the daemon changes with the signed-in accounts, the lock or
/// the active account. Runs `agent __renew` when due, or if that line or a directory that accounts depend on has
/// changed. `agent __renew` sets `__agent_env_wait`, `__agent_env_names` and `__agent_env_follows`.
struct PromptHook: Sendable {
  /// Words in backticks are placeholders.
  let script: @Sendable () -> [UInt8]

  /// Sets the seconds until the next run.
  let waitStatement: @Sendable (_ seconds: Int) -> String

  /// Stores the names of the variables that are set.
  let namesStatement: @Sendable (_ names: [String]) -> String

  /// Sets whether accounts depend on the directory.
  let followsStatement: @Sendable (_ follows: Bool) -> String

  /// Limits `agent __renew`, so that a prompt takes at most half a second. A refresh continues afterwards.
  static let timeoutMilliseconds = 480
  /// The maximum seconds until the next run, to notice the end of the daemon.
  static let maximumWait = 60
  /// Seconds until the next run after a failure.
  static let waitAfterFailure = 15
  /// Seconds until the next run if a run after a change fails.
  static let waitAfterChange = 1
  /// Seconds until the next run while signed out.
  static let waitWhileSignedOut = 5

  /// The function's text. It runs `command` and reads the file `changes`.
  func text(_ command: String, _ changes: String) -> String {
    let parts = String(decoding: script(), as: UTF8.self).split(separator: "`", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      switch part {
      case _ where index.isMultiple(of: 2): String(part)
      case "command": command
      case "changes": changes
      case "longest-wait": "\(Self.maximumWait)"
      case "wait-after-failure": "\(Self.waitAfterFailure)"
      default: "\(Self.waitAfterChange)"
      }
    }.joined()
  }

  private static func assignment(_ seconds: Int) -> String { "__agent_env_wait=\(seconds);\n" }

  private static func assignment(_ names: [String]) -> String {
    "__agent_env_names='\(names.joined(separator: " "))';\n"
  }

  private static func assignment(_ follows: Bool) -> String { "__agent_env_follows=\(follows ? "1" : "");\n" }

  static let bash = PromptHook(
    script: { PackageResources.hook_bash }, waitStatement: assignment, namesStatement: assignment,
    followsStatement: assignment)

  static let zsh = PromptHook(
    script: { PackageResources.hook_zsh }, waitStatement: assignment, namesStatement: assignment,
    followsStatement: assignment)

  /// fish has no clock: a builtin reads the kernel's clock from a file.
  static let fish = PromptHook(
    script: { PackageResources.hook_fish }, waitStatement: { "set __agent_env_wait \($0);\n" },
    namesStatement: { "set -g __agent_env_names \($0.joined(separator: " "));\n" },
    followsStatement: { "set -g __agent_env_follows \($0 ? "1" : "");\n" })
}

extension Shell {
  /// The output of `env --hook`; nil for other shells. `arguments` follow the shell's name in `__renew`, and `changes`
  /// is the file that the daemon changes.
  func hookText(program: String, arguments: [String], changes: String) throws(Quoting.Problem) -> String? {
    guard let hook else { return nil }
    var words: [String] = []
    for word in [program, "__renew", name] + arguments { words.append(try quoted(word)) }
    return hook.text(words.joined(separator: " "), try quoted(changes))
  }

  private func quoted(_ word: String) throws(Quoting.Problem) -> String {
    if word.utf8.allSatisfy(ShellWord.isPlain) { return word }
    var bytes: [UInt8] = []
    try quoting.append(Array(word.utf8).span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
