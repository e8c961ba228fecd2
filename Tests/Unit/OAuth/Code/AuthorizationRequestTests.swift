import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

/// A server with the endpoints of the code flow.
func codeServer(
  _ http: ScriptedHTTP = ScriptedHTTP(), _ authentication: ClientAuthentication = .none,
  change: (inout AuthorizationServerMetadata) throws -> Void = { _ in }
) throws -> AuthorizationServer {
  let authorization = try endpoint("https://as.example/authorize?tenant=a%20b")
  var metadata = try testServer(http).metadata
  metadata[.authorization] = authorization
  try change(&metadata)
  return try testServer(http, authentication) { $0 = metadata }
}

let redirectURI = "http://127.0.0.1:8400/as.example/tenant"

func begin(
  _ server: AuthorizationServer, scope: String? = "openid offline_access", _ options: AuthorizationOptions = .init()
) throws -> AuthorizationRequest {
  try server.makeAuthorizationRequest(scope: scope.map { try Scope($0) }, redirectURI: redirectURI, options: options)
}

func query(_ url: String) throws -> [(name: String, value: String)] {
  try Form.parse(try #require(try URI(url).query)).map { ($0.name, $0.value) }
}

// RFC 6749 section 4.1.1, RFC 7636, OpenID Connect Core 1.0 section 3.1.2.1.
@Suite struct `An authorization request` {
  // RFC 7636 appendix B.
  @Test func `its challenge is the hash of its verifier`() throws {
    let verifier = try CodeVerifier(secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  // RFC 7636 section 4.1 and 7.1.
  @Test func `a verifier is 43 characters, and another one each time`() throws {
    let texts = try (0..<20).map { _ in try CodeVerifier().secret.text }
    #expect(Set(texts).count == 20)
    let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for text in texts { #expect(text.utf8.count == 43 && text.utf8.allSatisfy { allowed.contains($0) }) }
  }

  @Test func `keeps the endpoint's own query and names each parameter once`() throws {
    let server = try codeServer()
    let request = try begin(server)
    let url = try server.requestAuthorizationURL(for: request)
    #expect(url.expiresIn == nil)
    // RFC 6749 section 3.1: the query of the endpoint is kept.
    #expect(url.text.hasPrefix("https://as.example/authorize?tenant=a%20b&response_type=code&"))
    let fields = try query(url.text).map { "\($0.name)=\($0.value)" }
    #expect(
      fields == [
        "tenant=a b", "response_type=code", "client_id=agent", "redirect_uri=\(redirectURI)",
        "scope=openid offline_access", "state=\(request.state)", "code_challenge=\(request.verifier.challenge)",
        "code_challenge_method=S256", "nonce=\(try #require(request.nonce))", "prompt=consent",
      ])
    #expect(!url.text.contains(request.verifier.secret.text))
  }

  @Test func `state and nonce are random and not the same`() throws {
    let server = try codeServer()
    let requests = try (0..<10).map { _ in try begin(server) }
    let values = requests.flatMap { [$0.state, $0.nonce ?? ""] }
    #expect(Set(values).count == 20)
    #expect(values.allSatisfy { $0.utf8.count == 43 })
  }

  @Test func `without openid there is no nonce, and without a scope none is sent`() throws {
    let server = try codeServer()
    let request = try begin(server, scope: nil)
    #expect(request.nonce == nil && request.requirements.nonce == nil)
    let names = try query(server.requestAuthorizationURL(for: request).text).map(\.name)
    #expect(!names.contains("nonce") && !names.contains("scope") && !names.contains("prompt"))
  }

  @Test func `asks for what the options name`() throws {
    let server = try codeServer()
    var options = AuthorizationOptions()
    options.prompt = "login"
    options.loginHint = "alice@example.org"
    options.acrValues = ["urn:gold", "urn:silver"]
    options.maxAge = 0
    options.resources = ["https://api.example/a", "https://api.example/b"]
    options.audience = "api"
    options.dpopKeyThumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    let request = try begin(server, options)
    let url = try server.requestAuthorizationURL(for: request).text
    let text = try #require(try URI(url).query)
    for field in [
      "prompt=login", "login_hint=alice%40example.org", "acr_values=urn%3Agold+urn%3Asilver", "max_age=0",
      "resource=https%3A%2F%2Fapi.example%2Fa&resource=https%3A%2F%2Fapi.example%2Fb", "audience=api",
      "dpop_jkt=0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
    ] {
      #expect(text.contains("&\(field)"), "\(field)")
    }
    #expect(request.requirements.maxAge == 0)
    #expect(request.requirements.acrValues == ["urn:gold", "urn:silver"])
    #expect(request.requirements.nonce == request.nonce)
  }

  // RFC 9700 section 2.1.1: a server's metadata must not weaken PKCE.
  @Test(arguments: [(["plain"], false), (["S256"], true), (["plain", "S256"], true), ([], true), (["s256"], false)])
  func `a server that announces PKCE must announce S256`(methods: [String], works: Bool) throws {
    let server = try codeServer { $0.codeChallengeMethods = methods }
    #expect(server.metadata.offersCodeFlow == works)
    guard works else {
      #expect(throws: OAuthError(.codeChallengeUnsupported, .server)) { try begin(server) }
      return
    }
    // RFC 7636 section 5: also sent if nothing is announced, and always with S256.
    let url = try server.requestAuthorizationURL(for: try begin(server)).text
    #expect(url.contains("&code_challenge_method=S256&"))
  }

  @Test func `needs both endpoints`() throws {
    let mute = try codeServer { $0[.authorization] = nil }
    #expect(!mute.metadata.offersCodeFlow)
    #expect(throws: OAuthError(.endpointMissing, .endpoint(.authorization))) { try begin(mute) }
    let poor = try codeServer { $0[.token] = nil }
    #expect(!poor.metadata.offersCodeFlow)
    #expect(throws: OAuthError(.endpointMissing, .endpoint(.token))) { try begin(poor) }
  }
}
