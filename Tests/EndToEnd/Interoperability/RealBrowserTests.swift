import Encoding
import Platform
import TestSupport
import Testing

/// Sign-in with Chromium, driven like a user would (RFC 8252 section 6).
@Suite(.needsPrograms, .needsBrowser, .serialized) struct `In a real browser` {

  private static func with(_ body: (Issuer, AgentTree) throws -> Void) throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in try body(issuer, tree) }
    }
  }

  private static func line(_ issuer: Issuer, _ options: String...) -> [String] {
    ["login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--json"] + options
  }

  /// The values of a URL's query, which must not appear on any page.
  private static func values(of url: String) throws -> [String] {
    try Form.parse(try #require(try URI(url).query)).map(\.value)
  }

  @Test func `sign-in at devissuer`() throws {
    try Self.with { issuer, tree in
      let browser = RealBrowser(tree)
      let result = try tree.agent(
        Self.line(issuer, "--browser"), ["BROWSER": browser.variable])
      try #require(result.succeeded, "\(result.errorText)")
      let seen = try browser.seen()
      #expect(try !tree.token().isEmpty)
      #expect(try issuer.count("approvals") == 1)
      // The page has no script, no loaded resources, and nothing of the URL but the issuer.
      let text = seen["text"]?.string ?? ""
      #expect(text.hasPrefix("Signed in\n\nYou are signed in to \(issuer.url) as "), "\(text)")
      #expect(text.hasSuffix(". The account on this machine is work. You can close this tab."), "\(text)")
      #expect(seen["scripts"] == 0 && seen["handlers"] == 0 && seen["loaded"] == 0)
      let values = try Self.values(of: try #require(seen["shown"]?.string))
      #expect(values.count == 3, "code, state and issuer came")
      let source = try #require(seen["source"]?.string)
      for value in values where value != issuer.url { #expect(!source.contains(value)) }
    }
  }

  // RFC 6749 section 4.1.2.1, RFC 9700 section 4.2: injected URL parameters are not shown.
  @Test func `the loopback page repeats nothing that it is given`() throws {
    try Self.with { issuer, tree in
      try issuer.control("par", "off")
      let login = try tree.start(Self.line(issuer, "--browser", "--no-open"))
      let event = try JSON(parsing: Array(login.readLine().utf8))
      let address = try #require(event["redirect_uri"]?.string)
      let hostile = "%3Cscript%3Edocument.title%3D%27owned%27%3C%2Fscript%3E"
      let query = "error=access_denied&error_description=\(hostile)&state=\(hostile)&hostile=\(hostile)"
      let seen = try RealBrowser(tree, "--foreign").open("\(address)?\(query)")
      #expect(seen["title"] == "This was another sign-in")
      #expect(seen["scripts"] == 0 && seen["handlers"] == 0 && seen["loaded"] == 0)
      let source = try #require(seen["source"]?.string)
      #expect(!source.contains("owned") && !source.contains("access_denied"))
      // The sign-in still waits, and the user's own browser completes it.
      _ = try RealBrowser(tree).open(try #require(event["url"]?.string))
      #expect(try login.wait() == .exited(0))
    }
  }

  @Test func `a person who says no ends it with status 6`() throws {
    try Self.with { issuer, tree in
      let browser = RealBrowser(tree, "--deny")
      let result = try tree.agent(
        Self.line(issuer, "--browser"), ["BROWSER": browser.variable])
      #expect(result.status == .exited(6))
      #expect(result.failureCode == "access_denied")
      let seen = try browser.seen()
      #expect(seen["title"] == "The sign-in did not work")
      #expect(seen["source"]?.string?.contains("Reason: sign-in was denied (server: the user said no).") == true)
      #expect(try issuer.count("denials") == 1)
    }
  }

  // RFC 6749 section 10.5. A browser may preload a URL.
  @Test func `an answer that comes twice signs in once`() throws {
    try Self.with { issuer, tree in
      try issuer.control("break_authorization", "twice")
      let browser = RealBrowser(tree, "--unreachable")
      let result = try tree.agent(
        Self.line(issuer, "--browser"), ["BROWSER": browser.variable])
      #expect(result.succeeded, "\(result.errorText)")
      let seen = try browser.seen()
      #expect(try Self.values(of: try #require(seen["url"]?.string)).count == 3, "code, state and issuer came again")
      #expect(try issuer.count("code_grants") == 1)
      #expect(try issuer.count("code_replays") == 0)
      #expect(try !tree.token().isEmpty)
    }
  }

  // The browser is on the user's own machine, and the sign-in waits on another one.
  @Test(.enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `sign-in through ssh -L`() throws {
    try Self.with { issuer, tree in
      let waiting = try BrowserLogin(tree, issuer)
      let port = try #require(try URI(waiting.redirectURI).port)
      try SSHTunnel.with(port) { _ in
        let rules = "MAP 127.0.0.1:\(port) 127.0.0.2:\(port),MAP 127.0.0.1 127.0.0.1,MAP * ~NOTFOUND"
        let seen = try RealBrowser(tree, "--switch=--host-resolver-rules=\(rules)").open(waiting.url)
        #expect(seen["title"] == "Signed in")
      }
      #expect(try waiting.end().status == .exited(0))
      #expect(try !tree.token().isEmpty)
    }
  }

  // A proxy of the machine gets targets in absolute form (RFC 9112 section 3.2.2).
  @Test(arguments: ["localhost", "proxy"]) func `the answer may come by another name or in absolute form`(
    way: String
  ) throws {
    try Issuer.with { issuer in
      try issuer.control("par", "off")
      try AgentTree.with { tree in
        let waiting = try BrowserLogin(tree, issuer)
        let place = "127.0.0.1:\(try #require(try URI(waiting.redirectURI).port))"
        let answer = try BrowserLogin.redirect(waiting.url)
        let seen =
          way == "proxy"
          ? try RealBrowser(
            tree, "--answer", "--switch=--proxy-server=\(place)", "--switch=--proxy-bypass-list=<-loopback>"
          ).open(answer)
          : try RealBrowser(tree, "--answer").open(
            answer.replacing(place, with: place.replacing("127.0.0.1", with: "localhost")))
        #expect(seen["title"] == "Signed in", "\(seen)")
        #expect(try waiting.end().status == .exited(0))
      }
    }
  }

  @Test func `the address of a page that cannot be loaded is pasted`() throws {
    try Self.with { issuer, tree in
      let login = try tree.start(Self.line(issuer, "--paste"))
      let event = try JSON(parsing: Array(login.readLine().utf8))
      #expect(event["must_paste"] == true)
      let seen = try RealBrowser(tree, "--unreachable").open(try #require(event["url"]?.string))
      let address = try #require(seen["url"]?.string)
      #expect(address.hasPrefix(try #require(event["redirect_uri"]?.string) + "?"))
      try login.send(address + "\n")
      #expect(try JSON(parsing: Array(login.readLine().utf8))["event"] == "signed_in")
      #expect(try login.wait() == .exited(0))
      #expect(try !tree.token().isEmpty)
    }
  }
}

/// A sign-in at Glewlwyd's own pages, with their scripts: a password, the list of scopes, and the redirect.
private func signInAtGlewlwyd(_ tree: AgentTree, _ options: String...) throws -> (first: JSON, last: JSON, seen: JSON) {
  let server = try Glewlwyd.current()
  let (client, redirectURIs) = try server.browserClient()
  // The browser accepts the one key of this server; all other certificates are verified normally.
  let pin = try server.pin().dropFirst("sha256//".count)
  let browser = RealBrowser(tree, "--instance", server.folder, "--pin", String(pin))
  let host = "https://127.0.0.1:\(try #require(try URI(server.issuer).port))"
  var result: ProcessResult?
  for uri in redirectURIs {
    result = try browser.awaited {
      try tree.agent(
        [
          "login", "work", "--issuer", server.issuer, "--client-id", client, "--ca-file", server.authority,
          "--scope", "openid profile email", "--host", host, "--redirect-uri", uri, "--browser", "--json",
        ] + options, ["BROWSER": browser.variable])
    }
    if result?.failureCode != "redirect_unavailable" { break }
  }
  let end = try #require(result)
  try #require(end.succeeded, "\(end.errorText)")
  let seen = try browser.seen()
  #expect(seen["scripts"] == 0)
  #expect(seen["steps"]?.array?.isEmpty == false)
  let events = try end.lines.map { try JSON(parsing: Array($0.utf8)) }
  return (try #require(events.first), try #require(events.last), seen)
}

extension `Against Glewlwyd over TLS` {
  // One at a time: the server keeps one list of grants for a user and a client.
  @Test(.needsBrowser, .serialized, arguments: [nil, "--dpop"]) func `sign-in in a real browser`(option: String?) throws
  {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let (_, identity, seen) = try option.map { try signInAtGlewlwyd(tree, $0) } ?? signInAtGlewlwyd(tree)
      #expect(identity["scope"]?.string?.split(separator: " ").sorted() == ["email", "openid", "profile"], "\(seen)")
      #expect(try (tree.json("token", "work")["token_type"] == "DPoP") == (option != nil))
      // OpenID Connect Core section 5.3, requested by the daemon itself.
      let answer = try tree.agent("request", server.issuer + "/userinfo", "--account", "work")
      try #require(answer.succeeded, "\(answer.errorText)")
      #expect(try JSON(parsing: answer.output)["sub"] == identity["subject"])
    }
  }
}

@Suite(.needsPrograms, .needsGlewlwyd, .needsBrowser, .serialized, .withGlewlwyd("GLEWLWYD_PAR=required"))
struct `Glewlwyd with pushed requests only` {
  // RFC 9126 section 4: the browser gets a reference.
  @Test func `sign-in in a real browser`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let url = try #require(signInAtGlewlwyd(tree).first["url"]?.string)
      #expect(url.hasPrefix(server.issuer + "/auth?client_id=browser&request_uri=urn%3A"))
      #expect(!url.contains("scope="))
      #expect(try !tree.token().isEmpty)
    }
  }
}

extension `Against Glewlwyd over TLS` {
  @Test(
    .needsBrowser,
    .enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `sign-in on a host in the real browser of the machine before it`() throws {
    let server = try Glewlwyd.current()
    let (client, redirectURIs) = try server.browserClient()
    // A registered port must be free here, and nothing listens on the host.
    let redirect = try #require(
      redirectURIs.first { uri in
        ((try? URI(uri))?.port).flatMap { try? UnixSocket.listenLoopback(port: UInt16($0)) } != nil
      })
    try AgentTree.with { near in
      try AgentTree.with { far in
        let host = try SSHHost(near: near, far: far)
        let browser = RealBrowser(
          near, "--instance", server.folder, "--pin", String(try server.pin().dropFirst("sha256//".count)))
        let agent = try Programs.path("agent")
        let login = [
          agent, "login", "work", "--issuer", server.issuer, "--client-id", client, "--ca-file", server.authority,
          "--scope", "openid profile email", "--redirect-uri", redirect,
        ].map { "'\($0)'" }.joined(separator: " ")
        let program = try WatchedProgram(
          near, columns: 150, rows: 50, ["BROWSER": browser.variable, "SSH_CONNECTION": nil],
          [agent, "ssh", "-F", host.configuration, "-t", "there", login])
        let question = try program.until("Open the page? [y/N]")
        #expect(question.lines.contains { $0.hasSuffix(redirect) }, "\(question.rows)")
        try program.type("yes\r")
        try browser.awaited { _ = try program.until("signed in to \(server.issuer)") }
        #expect(try program.end().status == 0)
        _ = try browser.seen()
        #expect(try !far.token().isEmpty)
        #expect(try near.directory.open("state").fileNames() == [])
      }
    }
  }
}
