import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

/// A command line with one option, and other options that it requires.
struct OptionLine: Sendable, CustomTestStringConvertible {
  let command: CommandName
  let option: OptionDeclaration
  let words: [String]

  var testDescription: String { words.joined(separator: " ") }

  init(_ command: CommandName, _ option: OptionDeclaration) {
    self.command = command
    self.option = option
    var words = command.words.map { String($0) } + Self.operands(Main.commands.named(command).operands, option)
    words += Self.companions["\(command) --\(option.name)"] ?? Self.companions["\(command)"] ?? []
    words += ["--\(option.name)"] + Self.values(option)
    self.words = words + (Main.commands.named(command).trailingMetavar == nil ? [] : ["--", "true"])
  }

  private static func operands(_ operands: Operands, _ option: OptionDeclaration) -> [String] {
    switch operands.metavar {
    case "ACCOUNT" where operands.minimumCount > 0, "NAME": ["work"]
    case "ACTION ACCOUNT [PATH]": ["add", "work"]
    case "DESTINATION [ARGUMENT]...": ["host"]
    case "ACCOUNT NAME": ["work", "home"]
    case "[METHOD] URL", "URL": ["https://api.example"]
    case "SHELL": ["bash"]
    case "NUMBER": ["3"]
    case "[WORD]...": ["use"]
    case "PROTOCOL [WORD]...": ["header"]
    // Each option is for some of the programs.
    case "CLIENT": [option.name == "user" ? "mbsync" : "aws"]
    default: []
    }
  }

  private static func values(_ option: OptionDeclaration) -> [String] {
    switch option.argument {
    case .none: []
    case .account: ["work"]
    case .words: ["A=account"]
    case .text: [["var": "A=account", "signal": "HUP", "times": "3", "user": "1000"][option.name] ?? "x"]
    case .file, .secretFile: [option.name == "askpass" ? "/bin/true" : "/dev/null"]
    case .descriptor: ["3"]
    case .duration(let range), .durationOrNever(let range): ["\(max(300, range.lowerBound))s"]
    case .choice(_, let words, _): [words()[0]]
    }
  }

  /// The options required with an option, or with any option of a command.
  private static let companions: [String: [String]] = {
    var companions = [
      "logout --no-open": ["--browser"], "exec --signal": ["--token-file"], "exec --on-renewal": ["--token-file"],
      "exec --id-token": ["--token-file"],
      "request --json": ["--output", "x"], "verify --ca-file": ["--issuer", "https://id.example"],
      "verify --allow-http-loopback": ["--issuer", "https://id.example"], "account set": ["--audience", "x"],
      "vault set": ["--lock-after", "5m"],
    ]
    for option in Options.lease { companions["exec --\(option.name)"] = ["--lease"] }
    companions["exec --url-as"] = ["--lease", "--only", "api.example", "--token-as", "y"]
    companions["exec --token-as"] = ["--lease", "--only", "api.example", "--url-as", "y"]
    for command in ["exec", "serve"] {
      let lease = command == "exec" ? ["--lease"] : []
      companions["\(command) --confirm"] = lease + ["--askpass", "/bin/true"]
      companions["\(command) --askpass"] = lease + ["--confirm"]
    }
    for secret in ["passphrase-file", "passphrase-fd", "pin-file", "pin-fd"] {
      for command in ["add", "set", "import"] { companions["account \(command) --\(secret)"] = ["--protect", "tpm2"] }
    }
    for secret in ["pin-file", "pin-fd", "new-pin-file", "new-pin-fd"] {
      companions["vault change-passphrase --\(secret)"] = ["--protection", "tpm2"]
    }
    return companions
  }()

  /// Parses the line up to where the command would begin to act.
  func read() throws {
    let invocation = try Parser.parse(words)
    _ = try Main.commands.named(command).makeAction(invocation)
    try invocation.refuseUnread()
  }
}

@Suite struct `Options of the command table` {
  static let own = CommandName.allCases.flatMap { name in
    Main.commands.named(name).options.map { OptionLine(name, $0) }
  }

  @Test(arguments: own) func `are read by the code of the command that declares them`(line: OptionLine) {
    #expect(throws: Never.self, "--\(line.option.name) of \(line.command)") { try line.read() }
  }

  /// Commands that reject a common option, because it would change their purpose.
  static let refusals: [(option: OptionDeclaration, commands: Set<CommandName>)] = [
    (Option.account.declaration, []), (Option.timeout.declaration, []),
    (
      Option.noDaemon.declaration,
      [
        .serve, .events, .lock, .unlock, .daemonStart, .daemonStop, .daemonRestart, .daemonStatus, .daemonRun,
        .daemonRefresh, .daemonLog, .renew, .tokenFile,
      ]
    ),
    (Option.noInput.declaration, []), (Option.quiet.declaration, []), (Option.verbose.declaration, []),
    (Option.json.declaration, []),
  ]

  @Test(arguments: refusals.indices) func `that all commands understand are taken by all that they do not contradict`(
    index: Int
  ) {
    let (option, expected) = Self.refusals[index]
    let refused = CommandName.allCases.filter { (try? OptionLine($0, option).read()) == nil }
    #expect(Set(refused) == expected, "--\(option.name)")
  }

  @Test(arguments: [
    ("env --hook bash --timeout 5s", "use only one of --hook and --timeout"),
    ("env --unset --min-valid 5s", "\"--min-valid\" has no effect here"),
    ("login --resume x --scope a", "\"--scope\" has no effect here"),
    ("login --resume x --client-secret-file /dev/null", "\"--client-secret-file\" has no effect here"),
    ("login --resume x --account a", "use only one of --account and --resume"),
    ("ssh --timeout 5s host", "\"--timeout\" has no effect here"),
    ("token-file add work --no-daemon", "\"--no-daemon\" has no effect here"),
    ("logout --no-open", "\"--no-open\" has no effect here"),
    ("account add work --passphrase-fd 3", "\"--passphrase-fd\" has no effect here"),
    ("vault change-passphrase --pin-fd 3", "\"--pin-fd\" has no effect here"),
  ]) func `are refused beside others that leave them without effect`(line: String, message: String) throws {
    let invocation = try Parser.parse(line.split(separator: " ").map { String($0) })
    let command = try #require(invocation.command)
    let failure = #expect(throws: Failure.self) {
      _ = try command.makeAction(invocation)
      try invocation.refuseUnread()
    }
    #expect(failure?.message == message && failure?.code == .invalidRequest)
  }

  @Test func `are refused before anything is done`() throws {
    let program = try AgentProgram()
    let result = try program.run(["logout", "--no-open"])
    #expect(result.status == .exited(2) && result.output == [])
    #expect(result.errorText == "agent: error: \"--no-open\" has no effect here\nagent: hint: agent help logout\n")
  }
}
