import Encoding
import Platform
import TestSupport
import Testing

/// Tokens that are bound to a key (RFC 9449), with the built programs and a development issuer.
@Suite(.needsPrograms) struct `Bound tokens` {
  /// Signs in to the account `work` with a key, runs `body` and stops everything.
  private func with<Result>(_ options: String..., body: (Session) throws -> Result) throws -> Result {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        let events = try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--dpop")
        return try body(Session(tree: tree, issuer: issuer, events: events))
      }
    }
  }

  /// Calls the resource as a script does, and returns the answer with its header.
  private func call(_ session: Session, _ proofOptions: String = "", path: String = "/resource") throws -> String {
    let url = session.issuer.url + path
    let result = try session.tree.shell(
      "dash", "set -e; agent proof --header \(proofOptions) GET '\(url)' | curl -qsi --noproxy '*' -H @- '\(url)'")
    try #require(result.succeeded, "\(result.errorText)")
    return result.outputText
  }

  private func nonce(_ answer: String) throws -> String {
    let line = try #require(answer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("DPoP-Nonce: ") })
    return String(line.dropFirst(12))
  }

  @Test(arguments: [[], ["--dpop-required"], ["--dpop-required", "--dpop-nonce"]])
  func `are got, renewed, shown for what they are, and used`(options: [String]) throws {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--dpop")
        let session = Session(tree: tree, issuer: issuer, events: [])
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
        let first = try tree.token()
        let second = try tree.token("work", "--force-refresh")
        #expect(first != second)
        #expect(try tree.agent("token", "--header").outputText == "Authorization: DPoP \(second)\n")
        let env = try tree.shell("dash", #"eval "$(agent env)" && echo "$AGENT_TOKEN_TYPE $AGENT_ACCESS_TOKEN""#)
        #expect(env.outputText == "DPoP \(second)\n")
        // A stopped daemon goes on with the key of the vault.
        try tree.stopDaemon()
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
        #expect(try tree.json("status", "--check")["accounts"]?.array?.first?["check"] == "ok")
        if options.contains("--dpop-nonce") {
          try issuer.control("replace_dpop_nonces", "1")
          let asked = try call(session)
          #expect(asked.hasPrefix("HTTP/1.1 401 "))
          #expect(try call(session, "--nonce '\(nonce(asked))'").hasPrefix("HTTP/1.1 200 "))
          // It is remembered, and the server takes the last one once more.
          #expect(try call(session).hasPrefix("HTTP/1.1 200 "))
        } else {
          #expect(try call(session, path: "/resource?q=1").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(try issuer.count("proof_replays") == 0)
        #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
        #expect(try tree.agent("proof", "GET", issuer.url + "/resource").failed(3))
      }
    }
  }

  @Test func `are used by the two commands that a script puts together`() throws {
    try with("--dpop-required") { session in
      let url = session.issuer.url + "/resource"
      let result = try session.tree.shell(
        "dash",
        """
        curl -qsS --fail --noproxy '*' -H "DPoP: $(agent proof GET '\(url)')" \\
          -H "Authorization: DPoP $(agent token)" '\(url)'
        """)
      try #require(result.succeeded, "\(result.errorText)")
      #expect(try JSON(parsing: result.output)["message"] == "Hello, alice.")
    }
  }

  // RFC 9449 section 1: the attack that all of this is about.
  @Test func `are of no use to whoever steals them`() throws {
    try with { session in
      let token = try session.tree.token()
      let url = session.issuer.url + "/resource"
      let proof = try session.tree.agent("proof", "GET", url).outputText.filter { $0 != "\n" }
      for headers in [
        ["Authorization: Bearer \(token)"], ["Authorization: DPoP \(token)"],
        ["Authorization: Bearer \(token)", "DPoP: \(proof)"],
      ] {
        let options = headers.map { "-H '\($0)'" }.joined(separator: " ")
        let answer = try session.tree.shell("dash", "curl -qsi --noproxy '*' \(options) '\(url)'").outputText
        #expect(answer.hasPrefix("HTTP/1.1 401 "))
      }
      // A proof that was overheard is no good either.
      _ = try session.tree.shell(
        "dash", "curl -qs --noproxy '*' -H 'Authorization: DPoP \(token)' -H 'DPoP: \(proof)' '\(url)'")
      let again = try session.tree.shell(
        "dash", "curl -qsi --noproxy '*' -H 'Authorization: DPoP \(token)' -H 'DPoP: \(proof)' '\(url)'")
      #expect(again.outputText.hasPrefix("HTTP/1.1 401 "))
    }
  }

  @Test func `leave their key in no file and in no answer`() throws {
    try with { session in
      let url = session.issuer.url + "/resource"
      _ = try session.tree.token("work", "--force-refresh")
      let answers = try [["proof", "GET", url, "--json"], ["status", "--json"], ["account", "show", "--json"]].map {
        try session.tree.agent($0).outputText
      }
      for answer in answers {
        #expect(!answer.contains("dpop_key"))
        // The private number of the key, as JWK and PKCS #8 have it.
        #expect(!answer.contains(#""d":"#) && !answer.contains("MIGHAgEA"))
      }
      #expect(try session.tree.files(containing: ["dpop_key", "MIGHAgEA"]) == [])
    }
  }

  @Test func `are asked for where the server says that it gives no others`() throws {
    try Issuer.with(["--dpop-required"]) { issuer in
      try AgentTree.with { tree in
        let login = ["login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
        let refused = try tree.agent(login + ["--device"])
        #expect(refused.status == .exited(1))
        #expect(refused.errorText.hasSuffix("agent: hint: agent login work --dpop\n"))
        #expect(try tree.agent(login + ["--device", "--dpop"]).succeeded)
        // The setting stays with the account.
        #expect(try tree.agent("login", "work", "--device").succeeded)
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
      }
    }
  }

  // RFC 9449 section 5.
  @Test func `are not replaced by Bearer tokens`() throws {
    try with { session in
      let token = try session.tree.token()
      try session.issuer.control("break_dpop", "bearer")
      let result = try session.tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "token_not_bound")
      #expect(try session.tree.token() == token)
      let login = try session.tree.agent("login", "work", "--device", "--json")
      #expect(login.status == .exited(1) && login.failureCode == "token_not_bound")
    }
  }

  // RFC 9449 section 8.
  @Test(arguments: ["nonce_storm", "missing_nonce"]) func `survive a server that is never content`(
    fault: String
  ) throws {
    try with("--dpop-nonce") { session in
      try session.issuer.control("break_dpop", fault)
      let before = try session.issuer.count("proofs")
      let result = try session.tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "server_rejected")
      #expect(try session.issuer.count("proofs") - before == (fault == "nonce_storm" ? 2 : 1))
      // The refresh token was not spent.
      try session.issuer.control("break_dpop", "off")
      #expect(try session.tree.agent("token", "work", "--force-refresh").succeeded)
    }
  }

  @Test func `survive that the server forgets its nonces`() throws {
    try with("--dpop-nonce") { session in
      for _ in 0..<3 {
        try session.issuer.control("replace_dpop_nonces", "1")
        #expect(try session.tree.agent("token", "work", "--force-refresh").succeeded)
        #expect(try session.tree.agent("status", "--check").succeeded)
      }
    }
  }

  // RFC 9449 section 11.1: servers take proofs for a short time only.
  @Test(arguments: [-600, 600]) func `are got when the clocks differ`(seconds: Int) throws {
    try Issuer.with(["--dpop-required", "--no-id-token"]) { issuer in
      try issuer.control("clock_offset", "\(seconds)")
      try AgentTree.with { tree in
        try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--dpop", "--scope", "read")
        #expect(try tree.agent("token", "work", "--force-refresh").succeeded)
        let url = issuer.url + "/resource"
        let call = "agent proof --header GET '\(url)' | curl -qsS --fail --noproxy '*' -H @- '\(url)'"
        #expect(try tree.shell("dash", call).succeeded)
      }
    }
  }

  @Test func `are proven for https and this machine only`() throws {
    try with { session in
      let proof = { (arguments: String...) in try session.tree.agent(["proof"] + arguments) }
      for url in ["http://api.example.com/", "ftp://api.example.com/", "nonsense", "https://user@api.example.com/"] {
        let result = try proof("GET", url)
        #expect(result.failed(2), "\(url)")
      }
      for method in ["", "GET HTTP/1.1", "G\u{7}T", String(repeating: "M", count: 33)] {
        let result = try proof(method, "https://api.example.com/")
        #expect(result.failed(2), "\(method)")
      }
      let nonce = try proof("GET", "https://a.example", "--nonce", "a b")
      #expect(nonce.failed(2))
      let good = try proof("GET", "https://api.example.com/")
      #expect(good.succeeded)
    }
  }

  @Test func `are needed for a proof`() throws {
    try Session.with { session in
      let result = try session.tree.agent("proof", "GET", session.issuer.url, "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "missing_value")
    }
  }
}
