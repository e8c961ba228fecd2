import Encoding
import Crypto
import Testing

@testable import devissuer

@Suite struct `The command line` {
  @Test func `every option is read in both forms`() throws {
    let settings = try #require(
      try IssuerCommandLine.settings([
        "--port=8080", "--access-token-lifetime", "60", "--exact-redirect-uri=http://localhost:1/a",
        "--exact-redirect-uri", "https://b.example/", "--redirect-path=/cb", "--require-par", "--break-par", "http",
        "--break-id-token=nonce", "--break-body=bomb", "--break-body-at=userinfo", "--open-registration",
        "--target=api", "--client-jwks=/k", "--require-scope=a", "--require-acr=strong", "--require-max-age=5",
        "--redirect-to=https://c.example/", "--algorithm", "ES256", "--approve=always", "--no-rotation",
        "--id-token-secret", "--log=-", "--control", "--client-secret-file=/x", "--claim", "school_id=0042",
        "--claim=roles=[\"a\"]", "--claim", "level=3", "--clock-offset=-5",
      ]))
    let values: [(String, JSON)] = [
      ("--port", 8080), ("--algorithm", "ES256"), ("--control", true), ("--log", "-"), ("--client-secret-file", "/x"),
      ("--client-jwks", "/k"), ("--claim", ["school_id": "0042", "roles": ["a"], "level": 3]),
      ("--exact-redirect-uri", ["http://localhost:1/a": true, "https://b.example/": true]), ("--redirect-path", "/cb"),
      ("--target", ["api": true]), ("access_token_lifetime", 60), ("clock_offset", -5), ("approval", "always"),
      ("par", "required"), ("open_registration", true), ("rotation", false), ("refresh_token", true),
      ("id_token_secret", true), ("require_scope", "a"), ("require_acr", "strong"), ("require_max_age", "5"),
      ("redirect_to", "https://c.example/"), ("body_at", "userinfo"), ("break_par", "http"),
      ("break_id_token", "nonce"), ("body", "bomb"), ("break_jwks", .null),
    ]
    for (name, value) in values { #expect(settings[name] == value, "\(name)") }
    #expect(settings.entries("--claim").names == ["school_id", "roles", "level"])
  }

  @Test(arguments: [
    (["--nonsense"], "unknown option --nonsense"),
    (["x"], "unexpected argument x"),
    ([""], "unexpected argument "),
    (["--port"], "--port needs a value"),
    (["--port", "65536"], "--port: wrong value"),
    (["--port", "-1"], "--port: wrong value"),
    (["--port="], "--port: wrong value"),
    (["--port=1", "--port=1"], "--port comes twice"),
    (["--interval", "3601"], "--interval: wrong value"),
    (["--device-code-lifetime", "0"], "--device-code-lifetime: wrong value"),
    (["--code-lifetime", "601"], "--code-lifetime: wrong value"),
    (
      ["--exact-redirect-uri", "http://a/#f"],
      "--exact-redirect-uri: wrong value"
    ),
    (["--break-par", "x"], "--break-par: wrong value"),
    (["--break-body-at", "control"], "--break-body-at: wrong value"),
    (["--require-acr", "gold"], "--require-acr: wrong value"),
    (["--require-scope", "a b"], "--require-scope: wrong value"),
    (["--redirect-to", "x"], "--redirect-to: wrong value"),
    (["--target", ""], "--target: wrong value"),
    (["--redirect-path", "cb"], "--redirect-path: wrong value"),
    (["--redirect-path", "/cb?a"], "--redirect-path: wrong value"),
    (["--algorithm", "HS256"], "--algorithm: wrong value"),
    (["--algorithm", "none"], "--algorithm: wrong value"),
    (["--approve", "yes"], "--approve: wrong value"),
    (["--control=1"], "--control takes no value"),
    (["--log", ""], "--log: wrong value"),
    (["--claim", "x"], "--claim: wrong value"),
    (["--claim", "=x"], "--claim: wrong value"),
    (["--claim", "sub=x"], "--claim: wrong value"),
    (["--claim", "a=1", "--claim", "a=2"], "--claim: wrong value"),
  ])
  func `what cannot be obeyed is named`(arguments: [String], message: String) {
    let problem = #expect(throws: IssuerCommandLine.Problem.self) { try IssuerCommandLine.settings(arguments) }
    #expect(problem?.message.hasPrefix(message) == true)
  }

  @Test func `the help names every option, parameter and fault`() throws {
    #expect(try IssuerCommandLine.settings(["--control", "--help"]) == nil)
    let names =
      IssuerSetting.all.compactMap(\.option) + IssuerSetting.all.compactMap(\.parameter) + IssuerFault.table.map(\.name)
    for name in names { #expect(IssuerCommandLine.help.contains(name)) }
  }
}
