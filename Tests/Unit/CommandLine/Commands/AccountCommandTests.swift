import Encoding
import Testing
import Vocabulary
import Wire
import WireSupport

@testable import CommandLine

private func object(_ text: String) throws -> JSONObject {
  try #require(try JSON(parsing: Array(text.utf8)).object)
}

@Suite struct `Commands about accounts` {
  @Test func `read the settings that a sign-in without a user reads`() throws {
    let options = [
      "--issuer", "https://x", "--client-id", "c", "--scope", "openid a", "--token-endpoint-auth-method",
      "client_secret_post", "--ca-file", "/ca.pem", "--pin", "sha256//a", "--allow-http-loopback", "--token-endpoint",
      "https://t", "--device-authorization-endpoint", "https://d", "--userinfo-endpoint", "https://u",
      "--revocation-endpoint", "https://r", "--registration-endpoint", "https://n",
      "--jwks-uri", "https://j", "--keep", "--dpop", "--host", "api.example",
      "--host",
      "https://b.example",
    ]
    let login = try LoginOptions.workloadRequest(try Parser.parse(["workload", "work"] + options))
    var expected = login.settings
    (expected.proxy, expected.proxyExclusions) = (nil, nil)
    for command in ["add", "set", "import"] {
      let invocation = try Parser.parse(["account", command, "work"] + options)
      #expect(try SettingsOptions.read(invocation) == expected, "\(command)")
    }
  }

  @Test func `take settings back by the names of their options`() throws {
    for setting in AccountSetting.all.filter(\.canBeUnset) where setting != AccountSetting.table.proxy {
      let word = setting.optionName
      // Another command changes the list of token files.
      let isOption = (Options.accountSettings + Options.clientSecrets).contains { $0.name == word }
      #expect(isOption || setting == AccountSetting.table.tokenFiles, "\(word)")
      let invocation = try Parser.parse(["account", "set", "work", "--unset", word])
      #expect(invocation[.unsetSettings] == [setting])
    }
    let two = try Parser.parse(["account", "set", "work", "--unset=pin", "--unset", "ca-file"])
    #expect(two[.unsetSettings] == [AccountSetting.table.caFile, AccountSetting.table.pins])
    #expect(throws: UsageError.self) { try Parser.parse(["account", "set", "work", "--unset", "issuer"]) }
  }

  @Test func `print client metadata of what tells in them, and of nothing else`() throws {
    let options = [
      "--client-id", "https://me.example/a", "--redirect-uri", "http://127.0.0.1:1/callback", "--scope", "openid a",
      "--dpop", "--token-endpoint-auth-method", "private_key_jwt", "--client-key-algorithm", "ES256", "--client-key-id",
      "k", "--id-token-algorithm", "ES256", "--userinfo-algorithm", "ES256", "--allow-http-loopback",
    ]
    let invocation = try Parser.parse(["account", "client-metadata"] + options)
    let settings = try SettingsOptions.read(invocation, among: Options.clientMetadata)
    #expect(settings == (try SettingsOptions.read(try Parser.parse(["account", "add", "work"] + options))))
    _ = try AccountCommand.clientMetadata(invocation)
    try invocation.refuseUnread()
    for option in ["--issuer=https://x", "--client-secret-file=x", "--keep"] {
      #expect(throws: UsageError.self) { try Parser.parse(["account", "client-metadata", option]) }
    }
  }

  @Test func `know how many names they take`() throws {
    for line in [["add"], ["set"], ["remove"], ["import"], ["rename"], ["rename", "a"], ["rename", "a", "b", "c"]] {
      #expect(throws: UsageError.self) { try Parser.parse(["account"] + line) }
    }
    #expect(try Parser.parse(["account", "rename", "a", "b"]).operands == ["a", "b"])
    #expect(try Parser.parse(["account", "show"]).operands == [])
  }

  @Test func `that change nothing are refused before anyone is asked`() throws {
    let failure = Failure(.invalidRequest, "no setting given", hint: "agent help account set")
    expect(throws: failure) { try AccountCommand.set(try Parser.parse(["account", "set", "work"])) }
  }

  @Test(arguments: [
    ([], "no refresh token given", "use --refresh-token-file"),
    (
      ["--refresh-token-file", "/x", "--refresh-token-fd", "3"],
      "use only one of --refresh-token-file and --refresh-token-fd",
      "agent account import work --refresh-token-file /x or agent account import work --refresh-token-fd 3"
    ),
  ]) func `to import want the token from one place`(options: [String], message: String, hint: String) throws {
    let invocation = try Parser.parse(["account", "import", "work"] + options)
    expect(throws: Failure(.invalidRequest, Phrase(verbatim: message), hint: Phrase(verbatim: hint))) {
      try AccountCommand.import(invocation).run()
    }
  }

  @Test(arguments: ["-1", "x", "99999999999", "65536", "3.0"])
  func `to import want a descriptor's number`(text: String) throws {
    let invocation = try Parser.parse(["account", "import", "work", "--refresh-token-fd=\(text)"])
    let failure = Failure(.invalidRequest, "\"--refresh-token-fd\" must be the number of an open descriptor")
    expect(throws: failure) { try AccountCommand.import(invocation).run() }
  }

  @Test func `to import say when the descriptor is not open`() throws {
    let invocation = try Parser.parse(["account", "import", "work", "--refresh-token-fd", "60001"])
    expect(throws: Failure(.invalidRequest, "cannot read descriptor 60001: Bad file descriptor")) {
      try AccountCommand.import(invocation).run()
    }
  }

  @Test func `to import cannot read two secrets from one place`() throws {
    let invocation = try Parser.parse(
      ["account", "import", "work", "--refresh-token-file", "-", "--client-secret-file", "-"])
    let failure = Failure(
      .invalidRequest, "standard input cannot be used for --refresh-token-file and --client-secret-file at once")
    expect(throws: failure) { try AccountCommand.import(invocation).run() }
  }

  @Test func `show settings by the names of their options`() throws {
    let result = try object(
      #"{"account":"work","active":true,"settings":{"issuer":"https://x\u001b[2J","client_id":"c","scope":["a","b"],"pins":["p"],"allow_http_loopback":true,"from_the_future":7}}"#
    )
    #expect(
      AccountCommand.text(result) == """
        account              work (active account)
        issuer               https://x[2J
        client-id            c
        scope                a b
        pin                  p
        allow-http-loopback  yes
        from-the-future      ?

        """)
  }

  @Test func `say what a change means for the session`() throws {
    #expect(AccountCommand.changeConfirmation("work", try object(#"{"signed_out":false}"#)).english == "changed work")
    #expect(
      AccountCommand.changeConfirmation("work", try object(#"{"signed_out":true,"setting":"client_id"}"#)).english
        == "changed work; signed out because client_id differs from the last sign-in; sign in again:"
        + " agent login work")
    let (scope, host) = (AccountSetting.table.scope, AccountSetting.table.origins)
    #expect(
      AccountCommand.changeConfirmation("work", try object(#"{"signed_out":false}"#), named: [scope, host]).english
        == "changed work; --scope takes effect at the next sign-in: agent login work")
  }

  @Test func `say what a removal did`() throws {
    #expect(
      AccountCommand.removalConfirmation("a", try object(#"{"revoked":true}"#)).english == "removed a, tokens revoked")
    #expect(
      AccountCommand.removalConfirmation(
        "a", try object(#"{"revoked":false,"detail":"the server is down","active_account":"b"}"#)
      )
      .english
        == "removed a; tokens not revoked: the server is down; b is now the active account")
  }
}

@Suite struct `The daemon's log for people` {
  @Test func `is a line for each event`() throws {
    let result = try object(
      #"""
      {"events":[{"time":0,"event":"started","text":"the daemon started"},{"time":1,"account":"work","event":"refresh_ended",
      "duration_ms":4,"result":"ok"},{"time":2,"event":"from_the_future","text":"it is later"}],"dropped":2}
      """#)
    #expect(
      DaemonCommand.logText(result, Timestamp.rfc3339) == """
        (2 earlier events were discarded)
        1970-01-01T00:00:00Z the daemon started
        1970-01-01T00:00:01Z work: refresh_ended {"duration_ms":4,"result":"ok"}
        1970-01-01T00:00:02Z it is later

        """)
    #expect(DaemonCommand.logText(JSONObject(), Timestamp.rfc3339) == "")
  }
}

@Suite struct `A status that asked the servers` {
  @Test func `shows why a check failed below the row, so that the columns stay narrow`() throws {
    let result = try object(
      #"""
      {"accounts":[{"name":"a","issuer":"https://x","state":"active","check":"failed",
        "check_problem":{"code":"network","message":"no connection","hint":"wait"}},
       {"name":"b","issuer":"https://x","state":"active","check":"ok"}]}
      """#)
    #expect(
      StatusCommand.text(result, Presentation(now: 0)) == """
        ACCOUNT  STATE      CHECK                      ISSUER
        a        signed in  failed                     x
           no connection; try: wait
        b        signed in  still valid at the server  x

        """)
  }

  @Test(arguments: [
    (#""check":"ok""#, "still valid at the server"),
    (#""check":"signed_out_elsewhere","check_cause":"expired""#, "no longer valid at the server"),
    (#""check":"signed_out_elsewhere","check_cause":"revoked""#, "revoked at the server"),
    (#""check":"not_signed_in""#, "not signed in"),
    (#""check":"not_possible""#, "the server offers no way to check"),
    (#""check":"failed""#, "no answer"),
    (#""check":"failed","check_problem":{"code":"network","message":"no connection"}"#, "no connection"),
    (#""check":"from the future""#, "from the future"),
  ]) func `says what they said`(members: String, text: String) throws {
    let result = try object(#"{"accounts":[{"name":"a","state":"active",\#(members)}]}"#)
    let presentation = Presentation(now: 0)
    #expect(
      StatusCommand.text(result, isNamed: true, presentation) == "a\n  state  signed in\n  check  \(text)\n")
    #expect(StatusCommand.text(result, presentation).hasSuffix("  \(text)\n"))
  }
}
