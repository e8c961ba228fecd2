import Encoding
import Platform
import TestSupport
import Testing

/// `--parameter`, `--claims` and `--authorization-details`.
@Suite(.needsPrograms) struct `What a sign-in asks for beside the scope` {
  private static let details = #"[{"type":"payment","actions":["read"]}]"#

  @Test func `is in the address, and kept with the account`() throws {
    try Issuer.with(["--no-par"]) { issuer in
      try AgentTree.with { tree in
        try tree.directory.write("claims.json", "{\n  \"id_token\": {\"email\": null}\n}\n")
        let waiting = try BrowserLogin(
          tree, issuer, "--parameter", "hd=example.com", "--claims", "@\(tree.path("claims.json"))",
          "--authorization-details", Self.details, "--prompt", "login")
        for (name, value) in [
          ("hd", "example.com"), ("claims", #"{"id_token":{"email":null}}"#), ("authorization_details", Self.details),
          ("prompt", "login consent"),
        ] {
          #expect(try BrowserLogin.value(of: name, in: waiting.url) == value)
        }
        try BrowserLogin.browse(waiting.url)
        #expect(try waiting.end().status == .exited(0))
        let settings = try #require(try tree.json("account", "show", "work")["settings"])
        #expect(settings["parameters"] == ["hd=example.com"])
        #expect(settings["authorization_details"]?.string == Self.details)
      }
    }
  }

  @Test(arguments: [
    ["--parameter", "client_id=x"], ["--parameter", "redirect_uri=x"], ["--parameter", "request=x"],
    ["--parameter", "response_mode=query"], ["--parameter", "x"], ["--claims", "[]"], ["--claims", "@/nowhere"],
    ["--authorization-details", "[{}]"], ["--prompt", "none login"], ["--parameter", "a=1", "--parameter", "a=2"],
  ])
  func `is refused before anything is sent where it cannot be`(options: [String]) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let result = try tree.agent(
          ["login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"] + options)
        #expect(result.failed(2), "\(result.errorText)")
        #expect(try issuer.count("device_authorizations") == 0)
      }
    }
  }

  @Test func `is a setting, and what was granted is shown and follows a refresh`() throws {
    try Session.with("--authorization-details", Self.details) { session in
      let set = try session.tree.agent("account", "set", "work", "--parameter", "hd=example.com")
      #expect(set.succeeded, "\(set.errorText)")
      #expect(try session.tree.agent("account", "set", "work", "--parameter", "scope=x").failed(2))
      #expect(try session.tree.agent("account", "set", "work", "--unset", "parameter").succeeded)
      func granted() throws -> JSON? { try session.tree.json("status")["accounts"]?.array?[0]["authorization_details"] }
      #expect(try granted() == JSON(parsing: Array(Self.details.utf8)))
      #expect(try session.tree.agent("status", "work").outputText.contains("payment"))
      try session.issuer.control("authorization_details", #"[{"type":"other"}]"#)
      _ = try session.tree.token("work", "--force-refresh")
      #expect(try granted() == [["type": "other"]])
      try session.issuer.control("authorization_details", "off")
      _ = try session.tree.token("work", "--force-refresh")
      #expect(try granted() == [["type": "other"]])
    }
  }

  // RFC 9396 section 6.
  @Test func `can be less for a single token, which is kept beside the account's own`() throws {
    try Session.with { session in
      func token(_ options: String...) throws -> String {
        let result = try session.tree.agent(["token", "work"] + options)
        try #require(result.succeeded, "\(result.errorText)")
        return result.outputText
      }
      let own = try token()
      let narrow = try token("--authorization-details", Self.details)
      #expect(narrow != own)
      try session.tree.directory.write("details.json", Self.details + "\n")
      #expect(try token("--authorization-details", "@\(session.tree.path("details.json"))") == narrow)
      #expect(try token() == own)
      #expect(try session.tree.agent("token", "work", "--authorization-details", "{}").failed(2))
    }
  }
}
