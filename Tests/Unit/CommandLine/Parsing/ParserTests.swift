import Testing
import Wire
import WireSupport

@testable import CommandLine

/// The result of parsing a line, for comparison.
private struct Reading: Hashable {
  var command: String?
  var values: [String] = []
  var operands: [String] = []
  var trailing: [String]?

  init(_ command: String?, _ values: [String] = [], _ operands: [String] = [], trailing: [String]? = nil) {
    self.command = command
    self.values = values
    self.operands = operands
    self.trailing = trailing
  }

  init(_ invocation: Invocation) {
    command = invocation.command?.name.rawValue
    values = invocation.given.map { option, text in
      option.argument.metavar == nil ? option.name : "\(option.name)=\(text)"
    }
    operands = invocation.operands
    trailing = invocation.trailingArguments
  }
}

struct ReadableLine: Sendable, CustomTestStringConvertible {
  let arguments: [String]
  fileprivate let expected: Reading

  fileprivate init(_ line: String, _ expected: Reading) {
    arguments = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    self.expected = expected
  }

  var testDescription: String { arguments.joined(separator: " ") }
}

struct WrongLine: Sendable, CustomTestStringConvertible {
  let arguments: [String]
  let expected: Failure
  let command: String?

  init(_ line: String, _ message: String, hint: String, command: String? = nil) {
    arguments = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    expected = Failure(.invalidRequest, Phrase(verbatim: message), hint: Phrase(verbatim: hint))
    self.command = command
  }

  var testDescription: String { arguments.joined(separator: " ") }
}

@Suite struct `Command lines` {
  static let readable: [ReadableLine] = [
    ReadableLine("token", Reading("token")),
    ReadableLine("token work", Reading("token", [], ["work"])),
    ReadableLine("token --min-valid 90 work", Reading("token", ["min-valid=90"], ["work"])),
    ReadableLine("token --min-valid=5m", Reading("token", ["min-valid=5m"])),
    ReadableLine("token --json --header", Reading("token", ["json", "header"])),
    ReadableLine("-qj token", Reading("token", ["quiet", "json"])),
    ReadableLine("token -qawork", Reading("token", ["quiet", "account=work"])),
    ReadableLine("token -a work", Reading("token", ["account=work"])),
    ReadableLine("--no-daemon --timeout 1h token", Reading("token", ["no-daemon", "timeout=1h"])),
    ReadableLine("token -- --json", Reading("token", [], ["--json"])),
    ReadableLine("-- token work", Reading("token", [], ["work"])),
    ReadableLine("daemon start", Reading("daemon start")),
    ReadableLine("daemon --quiet restart", Reading("daemon restart", ["quiet"])),
    ReadableLine("exec -- ls --color -q", Reading("exec", [], [], trailing: ["ls", "--color", "-q"])),
    ReadableLine("exec work -- ls -- x", Reading("exec", [], ["work"], trailing: ["ls", "--", "x"])),
    ReadableLine("exec -- ''", Reading("exec", [], [], trailing: [""])),
    ReadableLine("login --scope openid -s a --scope=b", Reading("login", ["scope=openid", "scope=a", "scope=b"])),
    ReadableLine("login --issuer=https://a/?b=c", Reading("login", ["issuer=https://a/?b=c"])),
    ReadableLine("login --client-secret-file -", Reading("login", ["client-secret-file=-"])),
    ReadableLine("env --shell sh --unset", Reading("env", ["shell=sh", "unset"])),
    ReadableLine("logout --all --local", Reading("logout", ["all", "local"])),
    ReadableLine("use ''", Reading("use", [], [""])),
    ReadableLine("--version", Reading(nil, ["version"])),
    ReadableLine("", Reading("__overview")), ReadableLine("--quiet", Reading("__overview", ["quiet"])),
    ReadableLine("daemon --help", Reading(nil, ["help"])),
    ReadableLine("use --help --all", Reading("use", ["help", "all"])),
    ReadableLine("use --all -h", Reading("use", ["all", "help"])),
    ReadableLine("use --help", Reading("use", ["help"])),
    ReadableLine("help daemon start", Reading("help", [], ["daemon", "start"])),
  ]

  @Test(arguments: readable) func `are read as they are meant`(line: ReadableLine) throws {
    #expect(Reading(try Parser.parse(line.arguments)) == line.expected)
  }

  static let wrong: [WrongLine] = [
    WrongLine("tokne", "unknown command \"tokne\"", hint: "agent token"),
    WrongLine("log", "unknown command \"log\"", hint: "agent daemon log"),
    WrongLine("use --all", "unknown option \"--all\"", hint: "agent help use", command: "use"),
    WrongLine("frobnicate", "unknown command \"frobnicate\"", hint: "agent help"),
    WrongLine("daemon strat", "unknown command \"daemon strat\"", hint: "agent daemon start"),
    WrongLine(
      "daemon", "\"daemon\" needs one of: start, stop, restart, status, run, refresh, log", hint: "agent help daemon"),
    WrongLine("token --jsno", "unknown option \"--jsno\"", hint: "agent token --json", command: "token"),
    WrongLine("token --min", "unknown option \"--min\"", hint: "did you mean \"--min-valid\"?", command: "token"),
    WrongLine(
      "token --no-such-thing", "unknown option \"--no-such-thing\"", hint: "agent help token", command: "token"),
    WrongLine(
      "--min-valid 5 token", "unknown option \"--min-valid\" before the command",
      hint: "put it after the command"),
    WrongLine("token -x", "unknown option \"-x\"", hint: "agent help token", command: "token"),
    WrongLine("token --json=yes", "\"--json\" does not accept a value", hint: "agent help token", command: "token"),
    WrongLine("token --account", "\"--account\" requires a value", hint: "agent help token", command: "token"),
    WrongLine("token -qa", "\"-a\" requires a value", hint: "agent help token", command: "token"),
    WrongLine("token --account=", "the value of \"--account\" is empty", hint: "agent help token", command: "token"),
    WrongLine(
      "token --min-valid soon", "\"--min-valid\" must be a time such as 90s, 5m or 1h, from 0s to 1d",
      hint: "agent help token", command: "token"),
    WrongLine(
      "token --timeout 0", "\"--timeout\" must be a time such as 90s, 5m or 1h, from 1s to 1h",
      hint: "agent help token",
      command: "token"),
    WrongLine(
      "env --shell tcl",
      "\"--shell\" must be one of: sh, bash, zsh, fish, csh, powershell, nu, dotenv, systemd, github-actions, json",
      hint: "agent help env",
      command: "env"),
    WrongLine("token a b", "unexpected argument \"b\"", hint: "agent help token", command: "token"),
    WrongLine("list -- a", "unexpected argument \"a\"", hint: "agent help list", command: "list"),
    WrongLine(
      "account remove", "\"account remove\" needs ACCOUNT", hint: "agent help account remove",
      command: "account remove"),
    WrongLine("exec", "no command given", hint: "for example: agent exec -- ls", command: "exec"),
    WrongLine("exec ls", "no command given", hint: "agent exec -- ls", command: "exec"),
    WrongLine("exec --ask ls", "no command given", hint: "agent exec --ask -- ls", command: "exec"),
    WrongLine("exec w0rk", "no command given", hint: "for example: agent exec w0rk -- ls", command: "exec"),
    WrongLine("exec w0rk ls", "unexpected argument \"ls\"", hint: "agent exec w0rk -- ls", command: "exec"),
    WrongLine("exec env true", "unexpected argument \"true\"", hint: "agent exec -- env true", command: "exec"),
    WrongLine("exec ls -l /", "unknown option \"-l\"", hint: "agent exec -- ls -l /", command: "exec"),
    WrongLine("lease-port", "no command given", hint: "for example: agent lease-port -- ls", command: "lease-port"),
    WrongLine(
      "help vault bind extra", "unexpected argument \"extra\"", hint: "agent help vault bind", command: "help"),
    WrongLine(
      "exec --", "no command given after \"--\"",
      hint: "agent help exec", command: "exec"),
  ]

  @Test(arguments: wrong) func `are refused with the way out`(line: WrongLine) {
    let thrown = #expect(throws: UsageError.self) { try Parser.parse(line.arguments) }
    #expect(thrown?.failure.words == line.expected.words && thrown?.failure.code == line.expected.code)
    #expect(thrown?.command?.name.rawValue == line.command)
  }

  @Test func `any bytes are refused or read, and never trap`() {
    var state: UInt64 = 42
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let pieces = [
      "-", "--", "=", "a", "q", "token", "exec", "daemon", "\u{0301}", "\u{0}", "min-valid", "9999999999d", "",
    ]
    for _ in 0..<5000 {
      let arguments = (0..<next(5)).map { _ in (0..<next(4)).map { _ in pieces[next(pieces.count)] }.joined() }
      _ = try? Parser.parse(arguments)
    }
  }
}

@Suite struct `The account of a command line` {
  @Test func `is the operand, or --account, and both may say the same`() throws {
    #expect(try Parser.parse(["token", "work"]).namedAccount() == "work")
    #expect(try Parser.parse(["token", "-a", "work"]).namedAccount() == "work")
    #expect(try Parser.parse(["token", "-a", "work", "work"]).namedAccount() == "work")
    #expect(try Parser.parse(["token"]).namedAccount() == nil)
  }

  @Test func `is not guessed when two are named, or when a variable was empty`() throws {
    let two = try Parser.parse(["token", "-a", "work", "home"])
    let hint = Phrase("agent token home or agent token work")
    expect(throws: Failure(.invalidRequest, "two accounts given: \"home\" and \"work\"", hint: hint)) {
      try two.namedAccount()
    }
    let empty = try Parser.parse(["token", ""])
    expect(throws: Failure(.invalidRequest, "the account name is empty", hint: "agent list")) {
      try empty.namedAccount()
    }
  }
}

@Suite struct `The command table` {
  @Test func `uses no option name twice for one command`() {
    for command in Main.commands.all {
      let options = command.options + Options.common
      #expect(Set(options.map(\.name)).count == options.count, "\(command.name)")
      let letters = options.compactMap(\.short)
      #expect(Set(letters).count == letters.count, "\(command.name)")
    }
  }

  @Test func `finds each command by its name`() {
    for name in CommandName.allCases {
      #expect(CommandName(rawValue: name.rawValue) == name && Main.commands.named(name).name == name)
    }
    #expect(CommandName(rawValue: "daemon") == nil)
  }

  @Test func `holds texts that are sentences in ASCII without their full stop`() {
    for command in Main.commands.all {
      for text in [command.summary] + command.options.map(\.summary) {
        #expect(text.utf8.allSatisfy { $0 < 0x80 } && !text.hasSuffix("."), "\(text)")
        #expect(text.filter { $0 == "`" }.count.isMultiple(of: 2), "\(text)")
      }
    }
  }
}

extension Parser {
  static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    try parse(arguments, by: Main.commands)
  }
}
