import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 6750, UserInfo of OpenID Connect Core 1.0 section 5.3, RFC 7009 and RFC 7662.
@Suite struct `Using and ending tokens` {
  private static let confidential = "&client_id=agent-confidential&client_secret=s3cret%3Awith%2Bsigns"

  @Test func `a resource answers a good token`() throws {
    let issuer = try TestIssuer()
    let reply = try issuer.get("/resource", bearer: try issuer.signIn().access)
    #expect(reply.status == 200)
    #expect(reply.json == ["message": "Hello, alice.", "subject": "user-alice"])
  }

  @Test func `the scheme may be written in any case (RFC 9110 section 11.1)`() throws {
    let issuer = try TestIssuer()
    let token = try issuer.signIn().access
    #expect(try issuer.get("/resource", headers: ["Authorization: bEARER \(token)"]).status == 200)
  }

  @Test(arguments: [
    // RFC 6750 section 3.1: no error code if there was no token.
    ([], 401, "Bearer realm=\"devissuer\""),
    (["Authorization: Basic eDp5"], 401, "Bearer realm=\"devissuer\""),
    (
      ["Authorization: Bearer wrong"], 401,
      "Bearer realm=\"devissuer\", error=\"invalid_token\", error_description=\"unknown, expired or revoked\""
    ),
    (
      ["Authorization: Bearer"], 400,
      "Bearer realm=\"devissuer\", error=\"invalid_request\", error_description=\"send one Bearer token in the header\""
    ),
    (
      ["Authorization: Bearer a", "Authorization: Bearer a"], 400,
      "Bearer realm=\"devissuer\", error=\"invalid_request\", error_description=\"send one Bearer token in the header\""
    ),
  ])
  func `a bad token gets a challenge`(headers: [String], status: Int, challenge: String) throws {
    let issuer = try TestIssuer()
    for path in ["/resource", "/userinfo"] {
      let reply = try issuer.get(path, headers: headers)
      #expect(reply.status == status)
      // RFC 9728 section 5.1: a protected resource refers to its metadata.
      let place =
        "Bearer realm=\"devissuer\", resource_metadata=\"\(issuer.issuer)/.well-known/oauth-protected-resource/resource\""
      let expected = path == "/resource" ? challenge.replacing("Bearer realm=\"devissuer\"", with: place) : challenge
      #expect(reply[header: "WWW-Authenticate"] == expected)
    }
  }

  @Test func `a token in the address is refused (RFC 6750 section 2.3 is not supported)`() throws {
    let issuer = try TestIssuer()
    let token = try issuer.signIn().access
    #expect(try issuer.get("/resource?access_token=\(token)").status == 400)
  }

  @Test func `a token stops working when it expires`() throws {
    let issuer = try TestIssuer("--access-token-lifetime=60")
    let token = try issuer.signIn().access
    issuer.clock.advance(seconds: 59)
    #expect(try issuer.get("/resource", bearer: token).status == 200)
    issuer.clock.advance(seconds: 1)
    #expect(try issuer.get("/resource", bearer: token).status == 401)
  }

  @Test func `UserInfo names the subject of the ID Token`() throws {
    let issuer = try TestIssuer("--claim=school_id=42")
    let reply = try issuer.get("/userinfo", bearer: try issuer.signIn().access)
    #expect(
      reply.json == [
        "sub": "user-alice", "name": "Alice Example", "preferred_username": "alice",
        "email": "alice@example.com", "email_verified": true, "school_id": 42,
      ])
  }

  @Test func `UserInfo needs the openid scope (RFC 6750 section 3.1)`() throws {
    let issuer = try TestIssuer()
    let reply = try issuer.get("/userinfo", bearer: try issuer.signIn(scope: "read").access)
    #expect(reply.status == 403)
    #expect(
      reply[header: "WWW-Authenticate"]
        == "Bearer realm=\"devissuer\", error=\"insufficient_scope\", scope=\"openid\"")
  }

  @Test func `revoking the refresh token ends the grant (RFC 7009 section 2.1)`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn()
    let refresh = try #require(tokens.refresh)
    let reply = try issuer.post("/revoke", "client_id=agent-cli&token_type_hint=refresh_token&token=\(refresh)")
    #expect(reply.status == 200 && reply.body.isEmpty)
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 401)
    #expect(try issuer.refresh(refresh).failure == "400 invalid_grant")
    #expect(try issuer.counter("revocations") == 1)
    #expect(try issuer.counter("reuse_detected") == 0)
  }

  @Test func `revoking the access token leaves the refresh token, whatever the hint`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn()
    let reply = try issuer.post("/revoke", "client_id=agent-cli&token_type_hint=refresh_token&token=\(tokens.access)")
    #expect(reply.status == 200)
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 401)
    #expect(try issuer.refresh(try #require(tokens.refresh)).status == 200)
  }

  @Test func `revoking an unknown token is no error (RFC 7009 section 2.2)`() throws {
    let issuer = try TestIssuer()
    #expect(try issuer.post("/revoke", "client_id=agent-cli&token=unknown").status == 200)
    #expect(try issuer.post("/revoke", "client_id=agent-cli").failure == "400 invalid_request")
  }

  @Test func `a client revokes only its own tokens (RFC 7009 section 2.1)`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn()
    for token in [tokens.access, try #require(tokens.refresh)] {
      let reply = try issuer.post("/revoke", "token=\(token)" + Self.confidential)
      #expect(reply.failure == "400 unauthorized_client")
    }
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 200)
  }

  @Test func `introspection describes a live token (RFC 7662 section 2.2)`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn(scope: "openid read")
    let now = TestIssuer.startSeconds
    let common: JSONObject = [
      "active": true, "scope": "openid read", "client_id": "agent-cli", "username": "alice", "sub": "user-alice",
      "email": "alice@example.com", "iss": .string(issuer.issuer),
    ]
    let refresh = try #require(tokens.refresh)
    #expect(try issuer.post("/introspect", "token=\(refresh)" + Self.confidential).json == .object(common))
    var access = common
    access["token_type"] = "Bearer"
    access["iat"] = .int(now)
    access["exp"] = .int(now + 3600)
    #expect(try issuer.post("/introspect", "token=\(tokens.access)" + Self.confidential).json == .object(access))
  }

  @Test func `introspection says nothing of a dead token`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn()
    try issuer.control("revoke_all=1")
    for token in [tokens.access, try #require(tokens.refresh), "unknown"] {
      #expect(try issuer.post("/introspect", "token=\(token)" + Self.confidential).json == ["active": false])
    }
  }

  @Test func `introspection is not for public clients`() throws {
    let issuer = try TestIssuer()
    #expect(try issuer.post("/introspect", "token=x&client_id=agent-cli").failure == "401 invalid_client")
  }
}
