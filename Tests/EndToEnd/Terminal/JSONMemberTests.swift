import Encoding
import Platform
import TestSupport
import Testing

/// Accounts with every setting, in all states, so that each member of the schema is printed once.
@Suite(.needsPrograms) struct `A member of the JSON` {
  /// All settings in one account, which no server would accept.
  private static let settings: [(String, JSON)] = [
    ("issuer", "https://id.example"), ("client_id", "c"), ("provider", "keycloak"), ("scope", ["openid"]),
    ("resource", ["https://api.example/"]), ("audience", "api"), ("parameters", ["a=b"]), ("claims", "{}"),
    ("authorization_details", "[]"), ("token_endpoint_auth_method", "client_secret_basic"),
    ("basic_unencoded", true), ("client_certificate", true), ("client_key_algorithm", "ES256"),
    ("client_key_id", "k"), ("assertion_grant", "jwt-bearer"),
    ("assertion_audience", "token_endpoint"), ("id_token_algorithm", "ES256"), ("userinfo_algorithm", "ES256"),
    ("trusted_audiences", ["other"]), ("ca_file", "/etc/ssl/certs/ca-certificates.crt"),
    ("pins", ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]), ("allow_http_loopback", true),
    ("authorization_endpoint", "https://id.example/a"), ("token_endpoint", "https://id.example/t"),
    ("device_authorization_endpoint", "https://id.example/d"), ("userinfo_endpoint", "https://id.example/u"),
    ("revocation_endpoint", "https://id.example/r"), ("registration_endpoint", "https://id.example/n"),
    ("jwks_uri", "https://id.example/j"), ("redirect_uri", "http://127.0.0.1:8400/callback"),
    ("proxy", "http://127.0.0.1:9"), ("no_proxy", "127.0.0.1"), ("proxy_source", "option"),
    ("keep", true), ("dpop", true), ("key", "vault"),
    ("profile", "fapi2"), ("origins", ["https://api.example"]), ("refresh", "strict"),
    ("variables", ["API=access_token"]), ("token_files", ["/run/user/1000/token"]), ("protect", "device"),
  ]

  /// An account has one of these.
  private static let sources: [[(String, JSON)]] = [
    [("assertion_file", "/run/token")], [("assertion_from", "gitlab-ci"), ("assertion_variable", "JWT")],
    [("assertion_account", "work")],
  ]

  /// Members that need another machine, build or server. Other tests print each, and compare it with the schema.
  private static let elsewhere = [
    "status: accounts[].certificate_expires_at", "status: accounts[].certificate_thumbprint",
    "status: accounts[].client_secret_expires_at", "status: daemon.commit", "status: daemon.limits.address_space_bytes",
    "status: daemon.limits.data_bytes", "status: daemon.limits.file_bytes", "status: daemon.limits.processor_seconds",
    "status: daemon.limits.group_memory_bytes", "status: daemon.own_namespaces", "status: daemon.service",
    "status: daemon.program_replaced", "logout: accounts[].error", "login: assertion", "login: guest",
    "login: client_secret_needed", "login: code",
    "login: hint", "login: name", "login: variables",
  ]

  @Test func `of an account's settings is printed if it is set`() throws {
    var answers = try JSONAnswers()
    try AgentTree.with { tree in
      let added = ["account", "add", "full", "--issuer", "https://id.example", "--client-id", "c"]
      try answers.succeed(added, in: tree)
      try answers.succeed(["use", "full", "--directory", "/"], in: tree)
      try answers.succeed(["account", "show"], in: tree)
      for source in Self.sources {
        try tree.editSettings(of: "full") { account in
          for (name, _) in Self.sources.joined() { account[name] = nil }
          for (name, value) in Self.settings + source { account[name] = value }
        }
        try answers.succeed(["account", "show", "full"], in: tree)
      }
      try answers.succeed(["status"], in: tree)
      #expect(answers.missing(of: ["account show"]) == ["account show: protection"])
      #expect(!answers.missing(of: ["status"]).contains { $0.hasSuffix("ca_file") || $0.hasSuffix("proxy") })
    }
  }

  @Test func `of accounts and sessions is printed in some state`() throws {
    var answers = try JSONAnswers()
    let platform = try SignedTokens()
    try AgentTree.with { tree in
      try tree.directory.write("platform.json", try platform.keySet())
      try #require(
        tree.shell("sh", "openssl ecparam -name prime256v1 -genkey -noout -out '\(tree.path("key"))'").succeeded)
      let issuer = try Issuer.start([
        "--open-registration", "--platform-jwks", tree.path("platform.json"), "--platform-issuer",
        "https://id.example.com", "--refresh-token-expires-in", "100000", "--authorization-expires-in", "200000",
        "--authorization-details", #"[{"type":"payment"}]"#,
      ])
      defer { issuer.stop() }
      try tree.directory.write("token", try platform.token([("aud", .string(issuer.url)), ("sub", "job-7")]) + "\n")
      let server = ["--issuer", issuer.url, "--allow-http-loopback"]
      let client = server + ["--client-id", "agent-cli"]
      for call in [
        ["login", "work", "--host", "api.example.com"] + client, ["login", "work", "--if-needed"],
        ["token-file", "add", "work", "--id-token"], ["token-file", "add", "work"], ["token-file"], ["list"],
        ["status"],
        ["token-file", "remove", "work"],
        ["workload", "robot", "--register"] + server, ["list"], ["status"], ["login", "robot", "--device"],
        ["workload", "ci", "--assertion-file", tree.path("token"), "--scope", "openid"] + client,
        ["login", "short", "--ephemeral"] + client, ["list"], ["status"],
        ["login", "pending", "--browser", "--no-open", "--start"] + client,
        ["logout", "short", "--browser"], ["use", "robot"],
        ["use", "work", "--directory", "/"], ["list"], ["status"], ["account", "show"],
        ["use", "--clear", "--directory", "/"],
        ["account", "remove", "robot"], ["login", "robot", "--register"] + server,
        [
          "account", "client-metadata", "--client-id", "https://example.com/agent.json", "--scope", "openid", "--dpop",
          "--client-key-file", tree.path("key"), "--id-token-algorithm", "ES256", "--userinfo-algorithm", "ES256",
        ],
      ] { try answers.succeed(call, in: tree) }

      try issuer.control("refresh_token", "0")
      for call in [["login", "bare"] + client, ["account", "set", "bare", "--keep"]] {
        try answers.succeed(call, in: tree)
      }
      try tree.editAllSettings { settings in
        var accounts = try #require(settings["accounts"]?.object)
        accounts["ci"] = nil
        settings["accounts"] = .object(accounts)
      }
      for call in [
        ["list"], ["account", "set", "work", "--refresh", "background"], ["status"],
        ["account", "set", "work", "--refresh", "offline"],
      ] {
        try answers.succeed(call, in: tree)
      }
      try answers.succeed(["token", "work", "--id-token"], in: tree)
      issuer.stop()
      #expect(try tree.agent("token", "work", "--force-refresh").failed(4))
      for call in [["token", "work"], ["status"], ["account", "remove", "robot"]] {
        try answers.succeed(call, in: tree)
      }
      try answers.succeed(["status", "--check"], in: tree, status: 4)
      for call in [["logout", "work"], ["use", "work"], ["account", "remove", "work"]] {
        try answers.succeed(call, in: tree)
      }
    }
    try Session.with { session in
      try session.issuer.control("revoke_all", "1")
      try answers.succeed(["status", "--check"], in: session.tree, status: 3)
      try answers.succeed(["logout", "work"], in: session.tree)
      try session.tree.stopDaemon()
      try session.tree.directory.open("state/agent").removeFile("device.key")
      try answers.succeed(["list"], in: session.tree)
      try session.tree.directory.write("state/agent/\(try session.tree.vaultName())", [0])
      try answers.succeed(["status"], in: session.tree)
    }
    let missing = answers.missing(
      of: ["list", "status", "login", "logout", "account remove", "account client-metadata", "token"])
    #expect(
      missing.filter { !Self.elsewhere.contains($0) } == ["status: accounts[].ca_file", "status: accounts[].proxy"])
  }

  /// The members of a request's result in agent-protocol(7), with their types.
  private static func result(of request: String) throws -> [String: String] {
    let lines = try PackageFiles.text("man/agent-protocol.7").split(separator: "\n")
    let section = lines.drop { $0 != ".Ss \(request)" }.dropFirst().prefix { !$0.hasPrefix(".S") }
    let rows = try members(in: section.drop { !$0.hasPrefix("Result:") }) { try result(of: $0) }
    // The section of `doctor` refers to that of `status`.
    return try request == "doctor" ? rows.merging(result(of: "status")) { own, _ in own } : rows
  }

  /// The members of a command's answer in its page, with their types.
  private static func answer(of command: Substring) throws -> [String: String] {
    let words = command.split(separator: " ")
    let isLevel = ["lock", "unlock"].contains(words[0])
    let lines = try PackageFiles.text("man/agent-\(isLevel ? "vault" : words[0]).1").split(separator: "\n")
    let own = lines.drop { $0 != ".Ss \(command)" }.dropFirst().prefix { !$0.hasPrefix(".S") }
    let start = ".\\\" @members \(command)"
    return try members(in: (own.isEmpty ? lines[...] : own).drop { $0 != start }.dropFirst()) { name in
      try answer(of: name.dropFirst("agent ".count))
    }
  }

  /// The members that a paragraph and the list after it describe, or that `elsewhere` finds.
  private static func members(
    in lines: ArraySlice<Substring>, elsewhere: (String) throws -> [String: String]
  ) throws -> [String: String] {
    let start = lines.prefix { !$0.hasPrefix(".") }.map(Manual.plain).joined(separator: " ")
    if let command = start.firstMatch(of: #/as agent ([a-z -]+) --json prints it/#)?.1 {
      return try answer(of: command)
    }
    var rows: [String: String] = [:]
    for group in start.matches(of: #/([^:;]+) as for ([a-z_ -]+)/#) {
      let known = try elsewhere(String(group.2))
      for name in group.1.split(whereSeparator: { ", ".contains($0) }) {
        let inner = known.filter { $0.key == name || $0.key.hasPrefix("\(name)[].") || $0.key.hasPrefix("\(name).") }
        rows.merge(inner) { own, _ in own }
      }
    }
    // A member without a type is a text.
    for single in start.matches(of: #/([a-z_.\[\]]+)(?: \(([a-z ,]+)\))?: /#) {
      rows[String(single.1)] = single.2.map { String($0) } ?? "text"
    }
    let list = lines.drop { !$0.hasPrefix(".Bl ") }.prefix { $0 != ".El" }
    for line in list where start.hasSuffix(":") && line.hasPrefix(".It Li ") {
      let row = Manual.plain(line.dropFirst(".It Li ".count)).split(separator: " Ta ")
      rows[String(row[0])] = row[1].firstMatch(of: #/^\(([a-z ,]+)\) /#).map { String($0.1) } ?? "text"
    }
    return rows
  }

  /// Whether a member is in a page, or in an object that the page does not describe further.
  private static func isDescribed(_ path: String, in rows: [String: String]) -> Bool {
    if rows[path] != nil { return true }
    return rows.contains { name, type in
      let isOpen = type.hasSuffix("object") || type.hasSuffix("objects")
      let hasRows = rows.keys.contains { $0.hasPrefix(name + ".") || $0.hasPrefix(name + "[].") }
      return isOpen && !hasRows && (path.hasPrefix(name + ".") || path.hasPrefix(name + "[]"))
    }
  }

  @Test func `of a result on the socket is in agent-protocol(7)`() throws {
    try Session.with { session in
      let peer = try Peer(session.tree.socketPath)
      for (request, members) in [
        ("token", #","id_token":true,"claims":true,"variables":true"#),
        ("token", #","account":"work","use":"id_token""#),
        ("status", ""), ("status", #","check":true"#), ("doctor", ""), ("list", ""), ("whoami", ""),
        ("account_show", ""), ("account_set", #","account":"work","dpop":false,"scope":["openid"]"#),
        ("account_add", #","account":"new","issuer":"https://id.example","client_id":"c""#),
        ("use", #","account":"work""#),
        ("account_rename", #","account":"new","new_name":"old""#), ("account_remove", #","account":"old""#),
        ("account_client_metadata", #","client_id":"https://example.com/agent.json""#),
        ("discover", #","url":"\#(session.issuer.url)","allow_http_loopback":true"#), ("vault_status", ""),
        ("vault_check", ""), ("vault_bind", ""), ("vault_set", #","lock_after":60"#), ("vault_rotate_key", ""),
        ("lock", ""),
        ("daemon_status", ""), ("daemon_log", ""), ("events", ""), ("logout", #","browser":true"#), ("daemon_stop", ""),
      ] {
        let line = try peer.ask(#"{"v":1,"request":"\#(request)"\#(members)}"#)
        let result = try #require(try JSON(parsing: Array(line.utf8))["result"], "\(request): \(line)")
        let rows = try Self.result(of: request)
        for path in JSONAnswers.paths(in: result, after: "") {
          #expect(Self.isDescribed(path, in: rows), "\(request): \(path)")
        }
      }
    }
  }
}
