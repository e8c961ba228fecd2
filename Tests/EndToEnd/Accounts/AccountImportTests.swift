import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `An imported refresh token` {
  private static func arguments(_ issuer: Issuer, _ more: String...) -> [String] {
    [
      "account", "import", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
      "--json",
    ]
      + more
  }

  @Test func `comes over standard input, is spent once, and makes an account like any other`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let token = try issuer.refreshToken()
        let imported = try tree.agent(Self.arguments(issuer, "--refresh-token-file", "-"), input: token + "\n")
        try #require(imported.succeeded, "\(imported.errorText)")
        let result = try JSON(parsing: imported.output)
        #expect(result["account"] == "work")
        #expect(result["subject"]?.string != nil, "its ID Token was verified")
        #expect(try issuer.count("refreshes") == 1)
        #expect(try !tree.token().isEmpty)
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        #expect(try issuer.count("reuse_detected") == 0)
        #expect(try tree.files(containing: [token]) == [])
      }
    }
  }

  @Test(arguments: [nil, "http://proxy.example:3128", "none"])
  func `uses the proxy of the option before that of the environment`(
    option: String?
  ) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let line = Self.arguments(issuer, "--refresh-token-file", "-") + (option.map { ["--proxy", $0] } ?? [])
        let other = "http://other.example:3128"
        let imported = try tree.agent(line, ["https_proxy": other], input: issuer.refreshToken() + "\n")
        try #require(imported.succeeded, "\(imported.errorText)")
        let proxy = try tree.json("account", "show", "work")["settings"]?["proxy"]?.string
        #expect(proxy == (option == "none" ? nil : option ?? other))
      }
    }
  }

  @Test func `comes from a file or from an open descriptor`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.directory.write("token", try issuer.refreshToken())
        let file = try tree.agent(Self.arguments(issuer, "--refresh-token-file", tree.path("token")))
        #expect(file.succeeded, "\(file.errorText)")
        #expect(try tree.agent("account", "remove", "work").succeeded)
        try tree.directory.write("token", try issuer.refreshToken())
        let line = (["agent"] + Self.arguments(issuer, "--refresh-token-fd", "5")).joined(separator: " ")
        let descriptor = try tree.shell("sh", "exec 5<'\(tree.path("token"))'; \(line)")
        #expect(descriptor.succeeded, "\(descriptor.errorText)")
        #expect(try !tree.token().isEmpty)
      }
    }
  }

  @Test func `that the server refuses leaves no account`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let result = try tree.agent(Self.arguments(issuer, "--refresh-token-file", "-"), input: "not-a-token\n")
        #expect(result.failed(3))
        #expect(result.failureCode == "session_expired")
        #expect(try tree.json("list")["accounts"] == [])
        #expect(!result.errorText.contains("not-a-token"))
      }
    }
  }

  @Test func `of a client with a secret comes with the secret`() throws {
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("secret")]) { issuer in
        try tree.signIn(
          "first", at: issuer.url, clientID: "agent-confidential", "--client-secret-file", tree.path("secret"))
        // The daemon reads both in order. Exchanged, they would be refused as a wrong secret.
        let swapped = try tree.agent(
          [
            "account", "import", "work", "--issuer", issuer.url, "--client-id", "agent-confidential",
            "--allow-http-loopback", "--json", "--refresh-token-file", "-", "--client-secret-file", tree.path("secret"),
          ], input: "no-token")
        #expect(swapped.failed(3))
        #expect(swapped.failureCode == "session_expired", "\(swapped.errorText)")
        #expect(try issuer.count("client_failures") == 0)
      }
    }
  }

  @Test func `is asked for before a descriptor comes`() throws {
    try Session.with { session in
      let peer = try Peer(session.tree.socketPath)
      let answer = try peer.ask(
        #"{"v":1,"request":"account_import","account":"x","issuer":"https://x","client_id":"c"}"#)
      #expect(try JSON(parsing: Array(answer.utf8))["error"]?["code"] == "invalid_request")
    }
  }
}
