import Encoding
import Platform
import Testing
import Vocabulary
import Wire

@testable import CommandLine

private func object(_ text: String) throws -> JSONObject {
  try #require(try JSON(parsing: Array(text.utf8)).object)
}

@Suite struct `Answers for people` {
  @Test func `status is calm and aligned`() throws {
    let result = try object(
      #"""
      {"accounts":[
        {"name":"work","active":true,"issuer":"https://id.example.com","client_id":"cli","subject":"42","person":"ann@example.com","state":"active",
         "scope":"openid a","protection":"tpm2","expires_at":1000600,"last_refresh":999940,"new_member":1},
        {"name":"dev","active":false,"issuer":"http://127.0.0.1:8080","client_id":"c","state":"signed_out",
         "http_loopback":true,"problem":{"code":"signed_out","message":"not signed in","hint":"agent login dev"}}],
       "daemon":{"pid":7,"version":"0.1.0","uptime":7500,"memory_pss_kib":9318,"secure_heap":"unlocked","socket":"/r/agent.sock"},
       "vault":{"path":"/s/vault.x","slots":["host"],"device_bound":true,"exists":true,"binding":"host","binding_problem":"this machine has no TPM"}}
      """#)
    let presentation = Presentation(now: 1_000_000)
    #expect(
      StatusCommand.text(result, presentation) == """
           ACCOUNT  PERSON           STATE       TOKEN     ISSUER
        *  work     ann@example.com  signed in   10m left  id.example.com
           dev                       signed out            http://127.0.0.1:8080
           not signed in; try: agent login dev

        warning:  memory for secrets is unlocked, so it may be swapped out

        """)
    let daemon = """

      daemon  version 0.1.0, pid 7, up 2h 5m, 9.0 MiB, memory for secrets is unlocked, so it may be swapped out
      socket  /r/agent.sock
      vault   /s/vault.x, bound to this machine; this machine has no TPM

      """
    #expect(StatusCommand.text(result, showsAll: true, presentation).hasSuffix(daemon))
    #expect(
      StatusCommand.text(result, isNamed: true, presentation).hasPrefix(
        """
        work (active account)
          person      ann@example.com
          state       signed in, token expires in 10m, refreshed 1m ago
          issuer      https://id.example.com
          client      cli
          subject     42
          scope       openid a
          protection  tpm2

        dev
          state    signed out
          issuer   http://127.0.0.1:8080
          client   c
          warning  plain http to this machine is allowed
          problem  not signed in; try: agent login dev

        """))
  }

  @Test func `status of nothing says what to do`() throws {
    let result = try object(#"{"accounts":[],"vault":{"path":"/s","exists":false,"device_bound":false}}"#)
    #expect(StatusCommand.text(result, Presentation(now: 0)) == "no accounts; add one with \"agent login\"\n")
  }

  @Test func `status says when the vault is not bound to the machine`() throws {
    let result = try object(
      #"{"accounts":[],"vault":{"path":"/s","exists":true,"device_bound":false,"binding":"host"}}"#)
    #expect(
      StatusCommand.text(result, Presentation(now: 0)).hasSuffix(
        "\nwarning:  the vault is bound to the device secret only, because the machine has no ID\n"))
  }

  @Test func `status survives members of any type`() throws {
    let result = try object(
      #"{"accounts":[1,{"name":{},"person":7,"expires_at":"soon","problem":[]}],"daemon":[],"vault":3}"#)
    #expect(
      StatusCommand.text(result, Presentation(now: 0)) == "   ACCOUNT  STATE\n".dropFirst(3)
        + "?        unknown\n?        unknown\n")
    #expect(
      StatusCommand.text(result, isNamed: true, showsAll: true, Presentation(now: 0))
        == "?\n  state  unknown\n\n?\n  state  unknown\n\ndaemon\nsocket\nvault   unknown, not bound\n")
  }

  @Test func `list marks the active account, and has no time of a token`() throws {
    let result = try object(
      #"""
      {"accounts":[{"name":"a","active":false,"issuer":"https://x","state":"expired","guest":true,"expires_at":60},
       {"name":"bb","active":true,"person":"Ann\u202e B.","issuer":"https://y\u001b[2J","state":"active"}]}
      """#)
    #expect(
      ListCommand.text(result, Presentation(now: 0)) == """
           ACCOUNT  PERSON  STATE      ISSUER
           a        guest   expired    x
        *  bb       Ann B.  signed in  y[2J

        """)
  }

  @Test func `times are local, or in UTC where that is asked for`() throws {
    let result = try object(#"{"accounts":[{"name":"a","state":"active","refresh_token_expires_at":4102444800}]}"#)
    let text = StatusCommand.text(result, isNamed: true, Presentation(now: 0).inUTC(true))
    #expect(text == "a\n  state    signed in\n  session  until 2100-01-01 00:00 UTC\n")
    #expect(!StatusCommand.text(result, isNamed: true, Presentation(now: 0)).contains("UTC"))
  }

  @Test func `whoami shows who, and only texts of the claims`() throws {
    let result = try object(
      #"{"account":"a","issuer":"https://x","subject":"s","claims":{"name":"N\u202e","email":5,"iat":1}}"#)
    #expect(WhoamiCommand.text(result) == "account  a\nissuer   https://x\nsubject  s\nname     N\n")
    let asked = try object(#"{"account":"a","claims":{"name":"N"},"source":"userinfo"}"#)
    #expect(WhoamiCommand.text(asked) == "account  a\nsource   userinfo (not verified)\nname     N\n")
  }

  @Test func `logout tells whether the tokens were revoked`() throws {
    let result = try object(
      #"{"accounts":[{"account":"a","revoked":true},{"account":"b","revoked":false,"detail":"the server is down"},{"account":"c","revoked":false},{"account":"d","revoked":false,"was_signed_in":false}]}"#
    )
    #expect(
      LogoutCommand.lines(result, local: false).map(\.english) == [
        "signed out of a, tokens revoked", "signed out of b; tokens not revoked: the server is down",
        "signed out of c; tokens not revoked", "d was not signed in",
      ])
    #expect(LogoutCommand.lines(try object(#"{"accounts":[]}"#), local: false) == ["no account was signed in"])
    #expect(
      LogoutCommand.lines(try object(#"{"accounts":[{"account":"c","revoked":false}]}"#), local: true).map(\.english)
        == [
          "signed out of c here only; the server was not contacted"
        ])
  }
}

@Suite struct `The words of a sign-in` {
  private let code = Event.DeviceCode(
    loginID: "0f", account: "work", issuer: "https://id.example.com", clientID: "cli", scope: "openid\u{1B}[31m",
    userCode: "WDJB-MJHT\n",
    verificationURI: "https://id.example.com/device", verificationURIComplete: "https://id.example.com/device?c=1",
    expiresAt: 1_000_600, interval: 5)

  @Test func `fit on one line without a terminal`() {
    #expect(
      LoginText.line(code, now: 1_000_000)
        == "agent: to sign in to https://id.example.com (client cli, scope: openid[31m), open https://id.example.com/device"
        + " and enter the code WDJB-MJHT within 10m; never enter a code that someone sent you\n")
  }

  @Test func `are fewer without a terminal when it is to be quiet`() {
    #expect(
      LoginText.line(code, now: 1_000_000, isQuiet: true)
        == "agent: to sign in, open https://id.example.com/device and enter the code WDJB-MJHT within 10m\n")
  }

  @Test(arguments: [
    (600, "Waiting for your approval, 10:00 left. Ctrl-C cancels."),
    (59, "Waiting for your approval, 0:59 left. Ctrl-C cancels."),
    (5, "Waiting for your approval, 0:05 left. Ctrl-C cancels."),
    (0, "Waiting for your approval; the code is about to expire."),
    (-3, "Waiting for your approval; the code is about to expire."),
  ]) func `count down`(seconds: Int, text: String) {
    #expect(LoginText.countdown(seconds: seconds).first == text)
  }

  @Test func `count down in ever fewer words, down to the time alone`() {
    #expect(
      LoginText.countdown(seconds: 62).dropFirst()
        == ["Waiting, 1:02 left. Ctrl-C cancels.", "Waiting, 1:02 left.", "1:02"])
  }

  @Test func `name what the person got`() throws {
    let result = try object(#"{"account":"work","issuer":"https://x","subject":"42","expires_at":3600}"#)
    #expect(
      LoginText.success(result, now: 0).english == "signed in to https://x as 42 (account work), token expires in 1h")
    #expect(LoginText.success(JSONObject(), now: 0) == "signed in")
    let kept = try object(
      #"{"account":"work","subject":"42","person":"ann","active_account":"work","kept":true,"renews":true}"#)
    #expect(
      LoginText.success(kept, now: 0).english
        == "already signed in as ann (account work, active); the session renews itself")
    let upgraded = try object(#"{"account":"work","expires_at":3600,"upgraded_from_guest":true,"renews":true}"#)
    #expect(
      LoginText.success(upgraded, now: 0).english
        == "signed in (account work), no longer as a guest; the session renews itself")
    #expect(LoginText.signInAgainQuestion(kept).english == "work is signed in as ann. Sign in again?")
  }

  @Test func `tell which account is the active one when it is another`() throws {
    let result = try object(#"{"account":"private","active_account":"work"}"#)
    #expect(
      LoginText.otherActiveAccount(result)?.english
        == "the active account is still work; to change that: agent use private")
    #expect(LoginText.otherActiveAccount(try object(#"{"account":"work","active_account":"work"}"#)) == nil)
  }
}

@Suite struct `Options of a sign-in` {
  @Test func `become one request`() throws {
    let invocation = try Parser.parse([
      "login", "work", "--issuer", "https://x", "--client-id", "c", "--scope", "openid  a", "--scope=b", "--keep",
      "--basic-unencoded", "--client-key-algorithm", "PS256", "--client-key-id", "k", "--assertion-audience",
      "token_endpoint", "--id-token-algorithm", "HS256", "--userinfo-algorithm", "ES256",
      "--token-endpoint-auth-method", "client_secret_post", "--ca-file", "/ca.pem",
      "--pin",
      "sha256//a", "--pin", "sha256//b", "--allow-http-loopback", "--token-endpoint", "https://t",
      "--device-authorization-endpoint", "https://d", "--userinfo-endpoint", "https://u", "--revocation-endpoint",
      "https://r", "--registration-endpoint", "https://n", "--jwks-uri", "https://j", "--redirect-uri",
      "http://127.0.0.1/cb", "--device", "--dpop", "--refresh", "strict",
    ])
    var expected = LoginRequest()
    expected.account = "work"
    expected.issuer = "https://x"
    expected.clientID = "c"
    expected.scope = ["openid", "a", "b"]
    expected.tokenEndpointAuthMethod = .secretPost
    expected.omitsBasicEncoding = true
    expected.clientKeyAlgorithm = .PS256
    expected.clientKeyID = "k"
    expected.assertionAudience = "token_endpoint"
    expected.idTokenAlgorithm = .HS256
    expected.userInfoAlgorithm = .ES256
    expected.caFile = "/ca.pem"
    expected.pins = ["sha256//a", "sha256//b"]
    expected.allowHTTPLoopback = true
    expected.tokenEndpoint = "https://t"
    expected.deviceAuthorizationEndpoint = "https://d"
    expected.userinfoEndpoint = "https://u"
    expected.revocationEndpoint = "https://r"
    expected.registrationEndpoint = "https://n"
    expected.jwksURI = "https://j"
    expected.redirectURI = "http://127.0.0.1/cb"
    expected.flow = .device
    expected.keepsAccessToken = true
    expected.usesDPoP = true
    expected.refresh = .strict
    var request = try LoginOptions.request(invocation)
    (request.proxy, request.proxyExclusions) = (nil, nil)
    #expect(request == expected)
  }

  @Test func `may name the issuer in the place of the account`() throws {
    let request = try LoginOptions.request(try Parser.parse(["login", "https://x", "-a", "work"]))
    #expect(request.issuer == "https://x" && request.account == "work")
    let both = try LoginOptions.request(try Parser.parse(["login", "https://x", "--issuer", "https://y"]))
    #expect(both.issuer == "https://y" && both.account == nil)
  }

  @Test(
    arguments: [
      ([:], nil, nil), (["HTTPS_PROXY": "p"], "p", nil), (["https_proxy": "q", "HTTPS_PROXY": "p"], "q", nil),
      (["https_proxy": "", "ALL_PROXY": "a", "NO_PROXY": "n"], "a", "n"), (["no_proxy": "n"], nil, nil),
      (["http_proxy": "h"], nil, nil),
    ] as [([String: String], String?, String?)])
  func `take the proxy for https from the caller's environment`(
    variables: [String: String], url: String?, exclusions: String?
  ) {
    let proxy = LoginOptions.proxy { variables[$0] }
    #expect(proxy.url == url && proxy.exclusions == exclusions)
  }

  @Test func `name files by absolute paths, because the daemon is elsewhere`() throws {
    #expect(try SettingsOptions.absolute("/etc/ca.pem") == "/etc/ca.pem")
    let here = try #require(Machine.currentDirectory())
    #expect(try SettingsOptions.absolute("some/ca.pem") == "\(here)/some/ca.pem")
  }
}
