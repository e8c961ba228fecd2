import Encoding
import Platform
import TestSupport
import Testing

/// RFC 9449.
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

  /// Calls the resource like a script, and returns the response with its header.
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
        try tree.stopDaemon()
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
        #expect(try tree.json("status", "--check")["accounts"]?.array?.first?["check"] == "ok")
        if options.contains("--dpop-nonce") {
          try issuer.control("replace_dpop_nonces", "1")
          let asked = try call(session)
          #expect(asked.hasPrefix("HTTP/1.1 401 "))
          #expect(try call(session, "--nonce '\(nonce(asked))'").hasPrefix("HTTP/1.1 200 "))
          // The nonce is remembered, and the server accepts the last one once more.
          #expect(try call(session).hasPrefix("HTTP/1.1 200 "))
        } else {
          #expect(try call(session, path: "/resource?q=1").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(try issuer.count("proof_replays") == 0)
        #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
        #expect(try tree.agent("proof", "GET", issuer.url + "/resource").failed(1))
      }
    }
  }

  @Test(arguments: ["PS256", "RS256"])
  func `are bound to an RSA key where the server takes no other, and go on with it`(algorithm: String) throws {
    let options = ["--dpop-required", "--dpop-algorithms", algorithm, "--resource-dpop-algorithms", algorithm]
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        let session = Session(
          tree: tree, issuer: issuer, events: try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--dpop"))
        let first = try tree.token()
        #expect(try tree.token("work", "--force-refresh") != first)
        try tree.stopDaemon()
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
        let proof = try tree.agent("proof", "GET", issuer.url + "/resource").outputText
        let header = try JSON(parsing: Base64URL.decode(String(try #require(proof.split(separator: ".").first))))
        #expect(header["alg"] == .string(algorithm) && header["jwk"]?["kty"] == "RSA")
        #expect(try call(session).hasPrefix("HTTP/1.1 200 "))
        #expect(try tree.agent("request", issuer.url + "/resource").succeeded)
        #expect(try issuer.count("proof_refusals") == 0)
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

  // RFC 9449 section 10: the code is bound as well, pushed or not.
  @Test(arguments: [("off", "off"), ("required", "on")]) func `are got in the browser`(par: String, nonce: String)
    throws
  {
    try Issuer.with(["--dpop-required"]) { issuer in
      try issuer.control("par", par, ("dpop_nonce", nonce))
      try AgentTree.with { tree in
        try tree.directory.writeProgram("home/browser", "exec curl -qsSL --fail --noproxy '*' \"$1\"")
        let login = try tree.agent(
          [
            "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--browser",
            "--dpop",
          ], ["BROWSER": tree.path("home/browser")])
        try #require(login.succeeded, "\(login.errorText)")
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
        #expect(try tree.agent("request", issuer.url + "/userinfo").succeeded)
        #expect(try issuer.count("code_replays") == 0)
      }
    }
  }

  // RFC 9449 section 1.
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
      for command in [["proof", "GET", url, "--json"], ["status", "--json"], ["account", "show", "--json"]] {
        let result = try session.tree.agent(command)
        #expect(result.succeeded, "\(command): \(result.errorText)")
        let answer = result.outputText
        #expect(!answer.contains("dpop_key"))
        // The private number of the key, as in JWK and PKCS #8.
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
        let added = (["account", "add"] + login.dropFirst() + ["--dpop"]).joined(separator: " ")
        #expect(Hints.all(in: refused) == ["agent \(added) && agent login work --device"])
        #expect(try tree.agent(login + ["--device", "--dpop"]).succeeded)
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

  // RFC 9449 section 11.1: servers accept proofs for a short time only.
  @Test(arguments: [-600, 600]) func `are got when the clocks differ`(seconds: Int) throws {
    try Issuer.with(["--dpop-required", "--no-id-token"]) { issuer in
      try issuer.control("clock_offset", "\(seconds)")
      try AgentTree.with { tree in
        try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--dpop", "--scope", "read")
        #expect(try tree.agent("token", "work", "--force-refresh").succeeded)
        let url = issuer.url + "/resource"
        let call = "agent proof --header GET '\(url)' | curl -qsS --fail --noproxy '*' -H @- '\(url)'"
        let called = try tree.shell("dash", call)
        #expect(called.succeeded, "\(called.errorText)")
      }
    }
  }

  // RFC 9449 section 7. `agent request` handles proofs, nonces and bodies itself.
  @Test(arguments: [[], ["--dpop-nonce"]]) func `are used by agent request`(options: [String]) throws {
    try Issuer.with(["--dpop-required"] + options) { issuer in
      try AgentTree.with { tree in
        try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--dpop")
        let user = try tree.agent("request", issuer.url + "/userinfo")
        try #require(user.succeeded, "\(user.errorText)")
        #expect(try JSON(parsing: user.output)["sub"] == "user-alice")
        try #require(tree.agent("account", "set", "work", "--host", issuer.url).succeeded)
        let lent = try tree.agent("exec", "--lease", "work", "--", "agent", "request", issuer.url + "/userinfo")
        #expect(lent.output == user.output, "\(lent.errorText)")
        try tree.directory.write("home/body", String(repeating: "x", count: 100_000))
        for round in 0..<3 {
          // The server forgets its nonces, so that the body must be sent again.
          if !options.isEmpty { try issuer.control("replace_dpop_nonces", "1") }
          let method = ["POST", "PUT", "PATCH"][round]
          let sent = try tree.agent("request", method, issuer.url + "/echo", "--data", "@" + tree.path("home/body"))
          try #require(sent.succeeded, "\(sent.errorText)")
          let echo = try JSON(parsing: sent.output)
          #expect(echo["method"] == .string(method) && echo["body_bytes"] == 100_000)
        }
        #expect(try issuer.count("proof_replays") == 0)
      }
    }
  }

  @Test func `are renewed once when a resource refuses them`() throws {
    try with("--dpop-nonce") { session in
      let token = try session.tree.token()
      try session.issuer.control("refuse_next", "1")
      let result = try session.tree.agent("request", session.issuer.url + "/resource")
      #expect(result.succeeded, "\(result.errorText)")
      let renewed = try session.tree.token()
      #expect(renewed != token)
      #expect(try session.tree.json("token", "work")["token_type"] == "DPoP")
    }
  }

  @Test func `are kept when a resource refuses their proof`() throws {
    try with { session in
      let token = try session.tree.token()
      try session.issuer.control("dpop_nonce", "on")
      // This server accepts no time as current, so every proof is rejected.
      try session.issuer.control("dpop_window", "0", ("clock_offset", "7"))
      _ = try session.tree.agent("request", session.issuer.url + "/resource")
      try session.issuer.control("dpop_window", "60", ("clock_offset", "0"))
      let kept = try session.tree.token()
      #expect(kept == token)
    }
  }

  @Test func `go with a proof only where the account lets its token go`() throws {
    try with { session in
      let proof = { (arguments: String...) in try session.tree.agent(["proof"] + arguments + ["--json"]) }
      for url in ["http://api.example.com/", "ftp://api.example.com/", "nonsense", "https://user@api.example.com/"] {
        let result = try proof("GET", url)
        #expect(result.failed(2), "\(url)")
      }
      for method in ["", "GET HTTP/1.1", "G\u{7}T", "TRACE", String(repeating: "M", count: 33)] {
        let result = try proof(method, session.issuer.url)
        #expect(result.failed(2), "\(method)")
      }
      let nonce = try proof(session.issuer.url, "--nonce", "a b")
      #expect(nonce.failed(2))
      let unlisted = try proof("https://api.example.com/")
      #expect(unlisted.failed(1) && unlisted.failureCode == "origin_not_allowed")
      let set = try session.tree.agent("account", "set", "work", "--host", "api.example.com")
      #expect(set.succeeded)
      let listed = try proof("https://api.example.com/")
      #expect(listed.succeeded, "\(listed.errorText)")
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
