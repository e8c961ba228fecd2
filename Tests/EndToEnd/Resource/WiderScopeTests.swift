import Encoding
import Platform
import TestSupport
import Testing

/// A server that answers 403 and names more scope (RFC 6750 section 3.1), and what a sign-in for it grants to others.
@Suite(.needsPrograms) struct `More scope for one server` {
  /// Two servers that `work` lists. Both demand a scope, the first one until `isContent` is set.
  private struct Servers {
    let issuer: Issuer
    let tree: AgentTree
    let secret: String
    let wanting: LoopbackServer
    let other: LoopbackServer
    let isContent: Monitor<Bool>

    /// The scope of the token that a server got last, according to the issuer.
    func scopeSent(to server: LoopbackServer) throws -> [String] {
      let field = try #require(server.requests.last?.values("Authorization").first)
      return try scope(of: String(field.drop { $0 != " " }.dropFirst()))
    }

    func scope(of token: String) throws -> [String] {
      let answer = try PlainHTTP.post(
        port: issuer.port, "/introspect",
        [("client_id", "agent-confidential"), ("client_secret", secret), ("token", token)])
      let claims = try JSON(parsing: answer.body)
      try #require(claims["active"] == true, "\(claims)")
      return (claims["scope"]?.string ?? "").split(separator: " ").map(String.init)
    }

    func request(_ server: LoopbackServer) throws -> ProcessResult { try tree.agent("request", server.url("/x")) }

    func follow(_ hint: String) throws -> ProcessResult {
      try tree.shell("sh", "\(hint) --device --no-input")
    }
  }

  private static func with(
    _ options: [String] = [], signIn: [String] = [], _ body: (Servers) throws -> Void
  ) throws {
    let isContent = Monitor(false)
    func server(_ scope: String) throws -> LoopbackServer {
      try LoopbackServer { conversation in
        while let request = try conversation.readRequest() {
          let isWanting = scope == "write" && !isContent.withLock { $0 } || request.line.contains("/strict")
          try conversation.respond(
            isWanting || scope == "admin" ? 403 : 200,
            headers: [#"WWW-Authenticate: Bearer error="insufficient_scope", scope="\#(scope)""#], body: "answer")
        }
      }
    }
    let (wanting, other) = (try server("write"), try server("admin"))
    let secrets = try TemporaryDirectory()
    try Issuer.with(options + ["--client-secret-file", secrets.path("secret")]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url, options: signIn)
        for server in [wanting, other] { try tree.allow(server) }
        let secret = String(decoding: try secrets.read("secret"), as: UTF8.self)
        let encoded = secret.utf8.map { "%" + String(UInt16($0) + 0x100, radix: 16).suffix(2) }.joined()
        try body(
          Servers(
            issuer: issuer, tree: tree, secret: encoded, wanting: wanting, other: other, isContent: isContent))
      }
    }
  }

  private static func hint(_ result: ProcessResult) throws -> String {
    let line = try #require(result.errorText.split(separator: "\n").last)
    return String(line.dropFirst("agent: hint: ".utf8.count))
  }

  @Test(arguments: [[], ["--scope", "openid offline_access"], ["--dpop"]] as [[String]])
  func `is in the tokens for that server alone, at sign-ins, refreshes and later sign-ins`(signIn: [String]) throws {
    try Self.with(signIn: signIn) { servers in
      let (tree, first) = (servers.tree, try servers.scope(of: servers.tree.token()))
      let refused = try servers.request(servers.wanting)
      #expect(refused.status == .exited(6))
      #expect(
        refused.errorText.contains(
          "\(servers.wanting.url("")) requires a scope that the token of work does not have: write\n"))
      let signIn = try servers.follow(Self.hint(refused))
      #expect(signIn.succeeded && !signIn.errorText.contains("all hosts"), "\(signIn.errorText)")
      servers.isContent.withLock { $0 = true }
      for again in ["sign-in", "refresh", "restart", "sign-in again"] {
        switch again {
        case "refresh": #expect(try tree.agent("token", "work", "--force-refresh").succeeded)
        case "restart": #expect(try tree.agent("daemon", "restart").succeeded)
        case "sign-in again": #expect(try tree.agent("login", "work", "--device", "--no-input").succeeded)
        default: break
        }
        let own = try tree.token()
        #expect(try servers.scope(of: own) == first, "\(again)")
        #expect(
          try Set(tree.json("token")["scope"]?.string?.split(separator: " ").map(String.init) ?? []) == Set(first))
        #expect(try servers.request(servers.wanting).succeeded, "\(again)")
        #expect(try servers.scopeSent(to: servers.wanting) == first + ["write"], "\(again)")
        #expect(try servers.request(servers.other).status == .exited(6))
        #expect(try servers.scopeSent(to: servers.other) == first, "\(again)")
        #expect(try tree.agent("whoami", "work").succeeded)
      }
      let more = try servers.tree.agent("request", servers.other.url("/x"))
      #expect(try servers.follow(Self.hint(more)).succeeded)
      #expect(try servers.request(servers.other).errorText.contains("although the token has the required scope"))
      #expect(try servers.scopeSent(to: servers.other) == first + ["admin"])
      #expect(try servers.request(servers.wanting).succeeded)
      #expect(try servers.scopeSent(to: servers.wanting) == first + ["write"])
      #expect(try servers.scope(of: tree.token()) == first)
    }
  }

  @Test func `is said to be in every token where the server ignores the scope of a refresh`() throws {
    try Self.with(["--no-narrow-scope"]) { servers in
      let signIn = try servers.follow(Self.hint(try servers.request(servers.wanting)))
      #expect(signIn.succeeded, "\(signIn.errorText)")
      #expect(signIn.errorText.contains("so all hosts of the account get it: write\n"), "\(signIn.errorText)")
      let next = try servers.request(servers.other)
      let fact = "\(servers.issuer.url) gives every token of the account all its scopes\n"
      #expect(next.errorText.contains("does not have: admin; \(fact)"), "\(next.errorText)")
    }
  }

  @Test func `is asked for by the account's own scope where there is no refresh token`() throws {
    try Self.with(["--no-refresh-token"]) { servers in
      let hint = try Self.hint(try servers.request(servers.wanting))
      #expect(hint == "agent login work --scope 'openid profile email offline_access write'")
    }
  }

  @Test func `is no sign-in where the request names its own scope, or the list is too long to be read`() throws {
    try Self.with { servers in
      let named = try servers.tree.agent("request", "--scope", "openid", servers.wanting.url("/x"))
      #expect(try Self.hint(named) == "request a token that includes it: --scope")
    }
    let scopes = (0..<30).map { "harmless.number.\($0)" } + ["admin"]
    try Resource.answering({ _ in
      let challenge = #"Bearer error="insufficient_scope", scope="\#(scopes.joined(separator: " "))""#
      return (403, ["WWW-Authenticate: \(challenge)"], "no")
    }) { resource in
      let hint = try Self.hint(try resource.request())
      #expect(hint == "sign in with this scope included in --scope")
    }
  }
}
