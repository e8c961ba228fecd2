import Encoding
import TestSupport
import Testing

/// The requests of both suites below (RFC 9449).
private func checkBoundSession(_ tree: AgentTree, at server: Glewlwyd) throws {
  #expect(try tree.json("token", "work")["token_type"] == "DPoP")
  var seen: Set<String> = []
  for _ in 0..<5 { seen.insert(try tree.token("work", "--force-refresh")) }
  #expect(seen.count == 5)
  try tree.stopDaemon()
  #expect(try tree.json("status", "--check")["accounts"]?.array?.first?["check"] == "ok")
  #expect(try tree.json("token", "work")["token_type"] == "DPoP")
}

/// Requests UserInfo like a script.
private func askUserInfo(_ tree: AgentTree, at server: Glewlwyd, _ options: String = "") throws -> ProcessResult {
  let url = server.issuer + "/userinfo"
  let curl = "curl -qsi --noproxy '*' --cacert '\(server.authority)' -H @- '\(url)'"
  return try tree.shell("dash", "set -e; agent proof --header \(options) GET '\(url)' | \(curl)")
}

@Suite(.needsPrograms, .needsGlewlwyd, .serialized, .withGlewlwyd) struct `Bound tokens of Glewlwyd` {
  @Test func `are got, renewed, used and revoked`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let end = try server.signIn(tree, "--dpop")
      try checkBoundSession(tree, at: server)
      let answer = try askUserInfo(tree, at: server)
      #expect(answer.outputText.hasPrefix("HTTP/1.1 200 "))
      #expect(answer.outputText.contains(try #require(end["subject"]?.string)))
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test func `are got in the browser, and used by agent request`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let (client, redirectURIs) = try server.browserClient()
      var result: ProcessResult?
      // Busy ports are skipped. The last ones are the least used.
      for uri in redirectURIs.reversed() {
        result = try tree.agent(
          [
            "login", "work", "--issuer", server.issuer, "--client-id", client, "--ca-file", server.authority,
            "--redirect-uri", uri, "--browser", "--dpop", "--json",
          ], ["BROWSER": server.browser])
        if result?.failureCode != "redirect_unavailable" { break }
      }
      let login = try #require(result)
      try #require(login.succeeded, "\(login.errorText)")
      try checkBoundSession(tree, at: server)
      let user = try tree.agent("request", server.issuer + "/userinfo")
      try #require(user.succeeded, "\(user.errorText)")
      #expect(try JSON(parsing: user.output)["sub"] == tree.json("whoami", "work")["subject"])
    }
  }

  // RFC 9449 section 5.2.
  @Test func `are asked for where the client is registered for nothing else`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      _ = try server.signIn(tree, clientID: try server.boundClientID(), "--dpop")
      try checkBoundSession(tree, at: server)
    }
  }

  @Test func `are got by a confidential client too`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let (id, secret) = try server.confidentialClient()
      try tree.directory.write("home/secret", secret + "\n")
      _ = try server.signIn(tree, clientID: id, "--client-secret-file", tree.path("home/secret"), "--dpop")
      try checkBoundSession(tree, at: server)
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
    }
  }
}

@Suite(.needsPrograms, .needsGlewlwyd, .serialized, .withGlewlwyd("GLEWLWYD_DPOP_NONCE=always"))
struct `Bound tokens of Glewlwyd, with nonces` {
  @Test func `are got, renewed, used and revoked`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      _ = try server.signIn(tree, "--dpop")
      try checkBoundSession(tree, at: server)
      // This server requires the same nonce at both of its endpoints, and issues a new one after a few uses.
      var answer = try askUserInfo(tree, at: server).outputText
      if answer.hasPrefix("HTTP/1.1 401 ") {
        let line = try #require(answer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("DPoP-Nonce: ") })
        answer = try askUserInfo(tree, at: server, "--nonce '\(line.dropFirst(12))'").outputText
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      #expect(try tree.agent("request", server.issuer + "/userinfo").succeeded)
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
    }
  }
}
