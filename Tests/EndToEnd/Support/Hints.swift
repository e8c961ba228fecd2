import Encoding
import Platform
import TestSupport
import Testing

/// The commands in hints, which are run as printed.
enum Hints {
  /// The commands in a text, from `agent` to the end of a clause, each split into words.
  static func commands(in text: String) -> [[String]] {
    var commands: [[String]] = []
    var current: [String]?
    for word in words(text) {
      let isLast = word.isBare && word.text.last.map { ";,?.".contains($0) } == true
      let bare = isLast ? String(word.text.dropLast()) : word.text
      if current == nil {
        if word.isBare, bare == "agent" { current = [] }
      } else if word.isBare, ["or", "and", "then", "&&", "|"].contains(bare) {
        commands.append(current ?? [])
        current = nil
      } else {
        current?.append(bare)
      }
      if isLast, let ended = current {
        commands.append(ended)
        current = nil
      }
    }
    return (commands + [current].compactMap { $0 }).filter { !$0.isEmpty }
  }

  /// Splits words like a shell. A bare word has no quotes.
  private static func words(_ text: String) -> [(text: String, isBare: Bool)] {
    var words: [(text: String, isBare: Bool)] = []
    var word: (text: String, isBare: Bool)?
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = ((word?.text ?? "") + String(character), false)
        isEscaped = false
      } else if character == "\\", !isQuoted {
        isEscaped = true
      } else if character == "'" {
        isQuoted.toggle()
        word = (word?.text ?? "", false)
      } else if character == " ", !isQuoted {
        word.map { words.append($0) }
        word = nil
      } else {
        word = ((word?.text ?? "") + String(character), word?.isBare ?? true)
      }
    }
    return words + [word].compactMap { $0 }
  }

  /// The hints of a failed command, including those that a helper prints in parentheses after the error.
  static func all(in result: ProcessResult) -> [String] {
    let (prefix, error) = ("agent: hint: ", "agent: error: ")
    return result.errorText.split(separator: "\n").compactMap { line in
      if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
      guard line.hasPrefix(error), line.hasSuffix(")"), let start = line.firstRange(of: " (agent ") else { return nil }
      return String(line[start.upperBound...].dropLast()).isEmpty
        ? nil : "agent " + line[start.upperBound...].dropLast()
    }
  }

  /// The hints of `agent doctor`, which may have findings even if it succeeds.
  private static func findings(of result: ProcessResult) -> [String] {
    if let answer = try? JSON(parsing: result.output) {
      return (answer["findings"]?.array ?? []).compactMap { $0["hint"]?.string }
    }
    return result.lines.compactMap { line in
      line.firstRange(of: "; try: ").map { String(line[$0.upperBound...]) }
    }
  }

  /// System commands that may be run, since they change nothing. `chmod` only checks that the file exists.
  private static let others = ["chmod", "df", "export", "ls", "unset"]

  private static func runOther(_ hint: String, in tree: AgentTree) throws {
    let script = "chmod() { for file; do :; done; test -e \"$file\"; }\nset -e\n" + hint
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", script], environment: tree.environment(), directory: tree.path("home"))
    #expect(result.succeeded, "the hint \"\(hint)\" cannot be run: \(result.errorText)")
  }

  /// Words that users would have to replace. Hints must not contain any.
  private static let placeholders: Set<String> = [
    "ACCOUNT", "ADDRESS", "ALGORITHM", "ARN", "COMMAND", "DURATION", "FIELD", "FILE", "HOST", "ID", "ISSUER", "LOGIN",
    "NAME", "NUMBER", "PATH", "PROVIDER", "REDIRECT", "SCOPE", "SLOT", "URI", "URL", "USER", "VALUE",
  ]

  /// The placeholders in a hint, outside of shell quotes.
  static func placeholders(in hint: String) -> [String] {
    words(hint).filter(\.isBare).flatMap { $0.text.split { !$0.isLetter && $0 != "_" } }.map { String($0) }
      .filter(placeholders.contains)
  }

  static func check(_ result: ProcessResult, in tree: AgentTree, of arguments: [String]) throws {
    if arguments.contains("doctor") {
      let hints = findings(of: result)
      try check(hints, in: tree, of: arguments)
      for hint in hints where others.contains(where: { hint.hasPrefix($0 + " ") }) { try runOther(hint, in: tree) }
      return
    }
    guard !result.succeeded else { return }
    let hints =
      arguments.contains("--json")
      ? [result.failure?["hint"]?.string].compactMap { $0 } : all(in: result)
    try check(hints, in: tree, of: arguments)
  }

  static func check(_ hints: [String], in tree: AgentTree, of arguments: [String]) throws {
    for hint in hints {
      // Text in double quotes is not this program's.
      let own = hint.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }
      // In a shell command, the word is a variable's name.
      let isShell = others.contains { hint.hasPrefix($0 + " ") }
      let found = isShell ? [] : own.flatMap { placeholders(in: String($0.element)) }
      // "URL" is also a word of the language, but not of a command.
      #expect(found.allSatisfy { $0 == "URL" || $0 == "URI" }, "the hint \"\(hint)\" of \(arguments) is not whole")
      for command in commands(in: hint) {
        #expect(placeholders(in: command.joined(separator: " ")).isEmpty, "\"\(hint)\" of \(arguments) is not whole")
        try HintedCommand(command).check(hint, in: tree, of: arguments)
      }
    }
  }
}

/// A command in a hint. If possible, it is run as printed, in a copy of the tree without a network.
private struct HintedCommand {
  /// The words after `agent`, up to those for another program.
  private let words: [String]
  private let isWhole: Bool

  init(_ command: [String]) {
    words = Array(command.prefix { $0 != "--" })
    isWhole = words.count == command.count
  }

  /// False if the command asks for a secret or starts a lasting process. It is then only parsed.
  private var runs: Bool {
    let asking = ["--client-secret-prompt", "--protect", "--start", "--resume", "--all", "--help", "--follow"]
    let ending = ["unlock", "vault", "daemon", "exec", "events", "setup", "helper", "doctor", "verify", "decode"]
    return isWhole && !words.contains(where: asking.contains) && words.first.map { !ending.contains($0) } ?? false
      || words == ["vault", "status"]
  }

  private static let isPossible =
    (try? ProcessRunner.run(executable: "/usr/bin/unshare", arguments: ["-rn", "/bin/true"]))?.succeeded ?? false

  private static let script = """
    home=$1; shift
    mkdir -p "$home/runtime" && chmod 700 "$home/runtime"
    for name in config state; do cp -a "$XDG_ROOT/$name" "$home/$name" 2>/dev/null; done
    unset XDG_ROOT
    export XDG_CONFIG_HOME="$home/config" XDG_STATE_HOME="$home/state" XDG_CACHE_HOME="$home/cache"
    export XDG_RUNTIME_DIR="$home/runtime"
    exec agent "$@" --no-daemon --no-input --timeout 5s < /dev/null
    """

  func check(_ hint: String, in tree: AgentTree, of arguments: [String]) throws {
    guard runs, Self.isPossible else {
      let read = try run("/bin/sh", ["-c", "exec agent \"$@\"", "sh"] + words + ["--help"], tree)
      #expect(read.succeeded, "the hint \"\(hint)\" of \(arguments) cannot be run: \(read.errorText)")
      return
    }
    let copy = try TemporaryDirectory()
    let result = try run(
      "/usr/bin/unshare", ["-rn", "/bin/sh", "-c", Self.script, "sh", copy.path("tree")] + words, tree)
    // The copy has no network and no terminal, so only an error in the command line is a failure.
    let isAsking = ["terminal", "--no-input", "to sign in to"].contains(where: result.errorText.contains)
    #expect(
      result.status != .exited(2) || isAsking,
      "the hint \"\(hint)\" of \(arguments) cannot be run: \(result.errorText)")
  }

  private func run(_ executable: String, _ arguments: [String], _ tree: AgentTree) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: executable, arguments: arguments,
      environment: tree.environment(["XDG_ROOT": tree.path(".")]))
  }
}
