import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `The page agent-protocol(7)` {
  private static func members(of request: Request) -> [MemberDescription] {
    let members = ManualList.members(of: request)
    return members.own + members.settings.map(MemberDescription.init)
  }

  @Test func `describes each request and its members once`() throws {
    let headings = Manual.headings(in: try Manual.section("REQUESTS", of: "agent-protocol.7"))
    #expect(headings == Request.declarations.map(\.properties.name))
    for request in Request.declarations {
      let members = Self.members(of: request)
      #expect(Set(members.map(\.name)).count == members.count, "\(request.properties.name)")
      for member in members { #expect(member.meaning.hasSuffix("."), "\(request.properties.name).\(member.name)") }
    }
  }

  /// Values of members that accept only some.
  private static let texts: [String: JSON] = [
    "flow": "paste", "base64": "c2FtcGxl", "provider": "keycloak", "client_key_algorithm": "ES256",
    "assertion_audience": "token_endpoint", "key": "tpm2", "assertion_grant": "token-exchange",
    "assertion_from": "kubernetes", "refused": "not_permitted",
    "id_token_algorithm": "HS256", "userinfo_algorithm": "ES256", "protection": "passphrase", "protect": "tpm2",
    "token_endpoint_auth_method": "client_secret_post", "binding": "host", "refresh": "strict",
    "proxy_source": "option",
    "name": "token-00112233445566778899aabbccddeeff", "profile": "fapi2", "unless": "token", "use": "id_token",
  ]

  @Test(arguments: Request.declarations.map(\.properties.name))
  func `describes members that the daemon reads as they are`(
    name: String
  ) throws {
    let request = try #require(Request.declaration(named: name))
    let members = Self.members(of: request)
    for member in members {
      var line = JSONObject([("v", 1), ("request", .string(name))])
      if ["resource", "discover", "forget", "assume_role"].contains(name) { line["url"] = "https://api.example" }
      for needed in ["account", "new_name"] where members.contains(where: { $0.name == needed }) {
        if name == "use" || name.hasPrefix("account_") { line[needed] = "work" }
      }
      if name == "resource", ["body", "body_lines"].contains(member.name) { line["inline"] = true }
      if name == "use_directory" { line["path"] = "/src" }
      if name == "lease_answer" { line["question"] = 1 }
      if name == "lease_peer" { (line["uid"], line["pid"]) = (1, 1) }
      if name == "lease_http" { for needed in ["origin", "base", "token"] { line[needed] = "x" } }
      if name == "assume_role" { (line["role_arn"], line["role_session_name"]) = ("arn", "agent") }
      if name == "proof" { (line["method"], line["url"]) = ("GET", "https://api.example") }
      if name == "login_resume" || name == "login_confirm" { line["login"] = "0f" }
      if name == "login_redirect" { (line["login"], line["url"]) = ("0f", "http://127.0.0.1/?state=s") }
      line[member.name] =
        switch member.type.split(separator: ",")[0].split(separator: " from ")[0] {
        case "text": member.name == "profile" && name == "verify" ? "id-token" : Self.texts[member.name] ?? "sample"
        case "number": member.name == "duration" ? 900 : 7
        case "boolean": true
        case "list of numbers": [7]
        case "list of texts": member.name == "unset" ? ["pins"] : ["sample"]
        case "object": ["language": "de", "right_to_left": false, "texts": ["Signed in": "Angemeldet"]]
        default: .null
        }
      #expect(line[member.name] != .null, "\(member.type) is no type of a member")
      let envelope = try RequestEnvelope(parsing: JSON.object(line).serialized().span)
      // Values that were read are written again, so they were not ignored.
      #expect(try JSON(parsing: Array(envelope.serialized().dropLast()))[member.name] == line[member.name])
    }
  }

  @Test func `describes every event and its members once`() throws {
    let headings = Manual.headings(in: try Manual.section("EVENTS", of: "agent-protocol.7"))
    #expect(headings == Event.declarations.map(\.manualEntry.name))
    #expect(Set(headings).count == headings.count)
    for event in Event.declarations {
      for row in event.memberDescriptions {
        #expect(row.meaning.hasSuffix("."), "\(event.manualEntry.name).\(row.name)")
      }
    }
  }

  /// A request that is not declared is written, but unknown to the daemon.
  @Test func `describes each request that has a row`() throws {
    let names = try ProcessRunner.shell(
      "cd '\(PackageFiles.path())' && cat Sources/Wire/Requests/*.swift | tr -d '\\n' | grep -oE 'RequestProperties\\( *\"[a-z_]+'"
        + " | sed 's/.*\"//'"
    ).outputText.split(separator: "\n").map(String.init)
    #expect(Set(names) == Set(Request.declarations.map(\.properties.name)))
  }

  /// An event that is not declared is written, but cannot be read.
  @Test func `describes each event that has a type`() throws {
    let types = try ProcessRunner.shell(
      "cd '\(PackageFiles.path())' && grep -rhoE '[A-Za-z.]+(<[^>]*>)?: EventBody' Sources/Wire"
        + " | sed -E 's/[<:].*//; s/^Event[.]//'"
    ).outputText.split(separator: "\n")
    #expect(Set(types) == Set(Event.declarations.map { "\(type(of: $0))".prefix { $0 != "<" } }))
  }

  @Test func `describes every member of a token answer`() throws {
    var line: [UInt8] = []
    var description = TokenDescription(
      account: "a", issuer: "i", subject: "s", tokenType: "t", scope: "c", expiresAt: 1, isOffline: true, signInBy: 2)
    description.variables = ["A=scope"]
    description.isIDTokenExpired = true
    description.use = TokenDescription.Use(.idToken, at: "p", expiresAt: 1, user: "u", header: .bearer)
    description.appendAnswer(accessToken: [0x61].span, idToken: [0x62].span, claims: JSONObject(), to: &line)
    let result = try #require(try JSON(parsing: Array(line.dropLast()))["result"]?.object)
    #expect(TokenRequest().manualEntry.result.map(\.name) == Array(result.names))
  }

  @Test func `describes every member of a role's credentials`() throws {
    var line: [UInt8] = []
    RoleAnswer.append(
      account: "a", accessKeyID: "k", secretAccessKey: [0x61].span, sessionToken: [0x62].span, expiresAt: 1, to: &line)
    let result = try #require(try JSON(parsing: Array(line.dropLast()))["result"]?.object)
    let request = AssumeRoleRequest(url: "", roleARN: "", sessionName: "")
    #expect(request.manualEntry.result.map(\.name) == Array(result.names))
  }

  @Test func `describes every error code`() throws {
    let page = try PackageFiles.text("man/agent-protocol.7").replacing("\\~ Ta", with: " Ta")
    for code in FailureCode.allCases {
      #expect(page.contains("\n.It Li \(Mdoc.argument(code.rawValue)) Ta (\(code.exitStatus.rawValue)) "))
      #expect(code.meaning.hasSuffix("."))
    }
  }

  /// The three programs of the page, in its order.
  private static let clients = Result { try Manual.programs(in: "agent-protocol.7") }

  /// Runs an example of the page with this socket.
  private func run(_ interpreter: String, _ lines: [String], _ program: AgentProgram) throws -> ProcessResult {
    try program.tree.write("client", lines.joined(separator: "\n") + "\n")
    return try ProcessRunner.run(
      executable: "/usr/bin/env", arguments: [interpreter, program.tree.path("client")],
      environment: [
        "PATH=\(Environment.value("PATH") ?? "/usr/bin:/bin")", "XDG_RUNTIME_DIR=\(program.tree.path("run"))",
      ])
  }

  @Test(
    .enabled(if: Spawn.search("python3") != nil && Spawn.search("jq") != nil),
    arguments: [("sh", 0), ("python3", 1)])
  func `has clients of a dozen lines that work`(interpreter: String, position: Int) throws {
    let lines = try Self.clients.get()[position]
    #expect(lines.count <= 12)
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([
      FakeDaemon.tokenAnswer("canary"), Reply.failure(Failure(.signedOut, "work is signed out")).serialized(),
    ])
    let good = try run(interpreter, lines, program)
    #expect(good == ProcessResult(status: .exited(0), output: Array("canary\n".utf8), error: []))
    let bad = try run(interpreter, lines, program)
    #expect(bad.status == .exited(1) && !bad.outputText.contains("canary"))
  }

  @Test(.enabled(if: Spawn.search("python3") != nil)) func `has a client of a dozen lines that follows what happens`()
    throws
  {
    let lines = try Self.clients.get()[2]
    #expect(lines.count <= 13)
    let program = try AgentProgram()
    let entry = SessionEntry(time: 1, account: "work", event: .refreshed(expiresAt: 2))
    let later = Array("{\"v\":1,\"event\":\"session\"}\n{\"v\":1,\"event\":\"other\"}\n".utf8)
    try FakeDaemon(at: program.runtime).serve([
      Reply.event(.following).serialized() + later + Reply.event(.session(entry)).serialized()
    ])
    let result = try run("python3", lines, program)
    #expect(result == ProcessResult(status: .exited(0), output: Array("ready\nrefreshed work\n".utf8), error: []))
  }
}

@Suite struct `The page agentd(8)` {
  @Test func `names the locks that are used`() throws {
    let locks = try Manual.terms("Pa", in: Manual.section("LOCKS", of: "agentd.8"))
    #expect(locks.prefix(2) == [WireProtocol.startLockName, WireProtocol.lifetimeLockName])
  }
}

@Suite struct `The page agent-config(5)` {
  @Test func `describes every member of the file that is read, and no other`() throws {
    let source = try PackageFiles.text("Sources/Sessions/Settings/Settings.swift")
    let read = source.matches(of: #/object\["([^"]*)"/#).map { String($0.1) }
    #expect(Set(try Manual.terms("Li", in: Manual.section("THE FILE", of: "agent-config.5"))) == Set(read))
  }

  @Test func `names options that there are`() throws {
    // The exclusions and the source belong to the option of the proxy.
    let withoutOption = ["no_proxy", "proxy_source", "token_files"]
    for setting in ManualList.settings where !withoutOption.contains(setting.name) {
      let named = setting.type.split(separator: "`--").dropFirst().first?.prefix { $0 != "`" }
      let name = named.map(String.init) ?? setting.name.replacing(each: "_", with: "-")
      #expect(Main.commands.all.contains { $0.option { $0.name == name } != nil }, "--\(name)")
    }
  }
}

@Suite struct `The daemon of this build` {
  /// The example of agent-config(5).
  private static func example() throws -> [String] { try #require(try Manual.programs(in: "agent-config.5").first) }

  /// A tree with the real daemon and the example of agent-config(5) as its settings.
  private func program() throws -> AgentProgram {
    let program = try AgentProgram()
    let daemon = AgentProgram.built + "d"
    try ProcessRunner.shell(
      "cp '\(daemon)' '\(program.tree.path("libexec/agentd"))'; chmod 700 '\(program.tree.path("libexec/agentd"))'")
    _ = try program.tree.open("home/.config")
    _ = try program.tree.open("home/.config/agent")
    try program.tree.write("home/.config/agent/config.json", Self.example().joined(separator: "\n"))
    return program
  }

  @Test func `reads the example of agent-config(5), and prints only members that agent-protocol(7) describes`() throws {
    let program = try program()
    defer { _ = try? program.run(["daemon", "stop"]) }
    let list = try program.run(["list", "--json"])
    #expect(list.errorText == "")
    let names = try JSON(parsing: Array(list.output.dropLast()))["accounts"]?.array?.compactMap { $0["name"]?.string }
    #expect(names == ["work", "lab"])
    #expect(try program.run(["__complete", "--", "use", ""]).outputText == "work\nlab\n")

    let status = try JSON(parsing: Array(try program.run(["status", "--json"]).output.dropLast()))
    let rows = StateRequest.status(account: nil).manualEntry.result
    for name in try #require(status.object).names {
      let row = try #require(rows.first { $0.name == name }, "\(name)")
      for inner in try #require((row.isList ? status[name]?.array?.last : status[name])?.object).names {
        #expect(row.members.contains { $0.name == inner }, "\(name).\(inner)")
      }
    }
  }

  @Test func `keeps settings that it does not know`() throws {
    let program = try program()
    defer { _ = try? program.run(["daemon", "stop"]) }
    let lines = try Self.example()
    try program.tree.write(
      "home/.config/agent/config.json",
      (lines.prefix(1) + [#""theirs": [1],"#] + lines.dropFirst()).joined(separator: "\n"))
    #expect(try program.run(["use", "lab"]).succeeded)
    let config = try JSON(parsing: try program.tree.read("home/.config/agent/config.json").dropLast())
    #expect(config["theirs"] == [1] && config["active"] == "lab")
  }
}

@Suite struct `Every command` {
  @Test func `answers --help, without a daemon`() throws {
    let program = try AgentProgram()
    for command in Main.commands.all {
      let result = try program.run(command.name.words.map { String($0) } + ["--help"])
      #expect(
        result == ProcessResult(status: .exited(0), output: Array(HelpWriter().help(on: command).utf8), error: []))
    }
  }

  @Test func `is suggested for a misspelt word`() throws {
    #expect(
      try AgentProgram().run(["tokn"])
        == ProcessResult(
          status: .exited(2), output: [],
          error: Array(
            "agent: error: unknown command \"tokn\"\nagent: hint: agent token\n".utf8)))
  }

  @Test func `has its usage, its options and their values in the manual`() throws {
    for command in Main.commands.all {
      let pages = [ManualPage.of(command.name), .agent]
      let page = try pages.map { try $0.committed().replacing("\\~ Ta", with: " Ta") }.joined()
      let settings = try PackageFiles.text("man/agent-config.5").replacing("\\~ Ta", with: " Ta")
      for option in command.options + Options.common {
        let term =
          "Fl \\-\(Mdoc.escaped(option.name))" + (option.argument.metavar.map { " Ar \(Mdoc.argument($0))" } ?? "")
        let isSetting =
          option.isSetting
          && (settings.contains("\\fB\\-\\-\(Mdoc.escaped(option.name))\\fP)")
            || settings.contains("\n.It Li \(option.name.replacing(each: "-", with: "_")) Ta "))
        let isElsewhere = ManualList.home(of: option, in: command, Main.commands) != nil
        #expect(page.contains(term + " Ta ") || isSetting || isElsewhere, "\(command.name) --\(option.name)")
        if let short = option.short { #expect(isSetting || isElsewhere || page.contains("Fl \(short)")) }
      }
    }
  }
}
