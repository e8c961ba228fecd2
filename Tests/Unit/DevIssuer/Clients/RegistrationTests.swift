import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 7591 and RFC 7592.
@Suite struct `Clients that register themselves` {
  static let native: JSON = [
    "client_name": "Agent", "application_type": "native", "token_endpoint_auth_method": "none",
    "redirect_uris": ["http://127.0.0.1/callback/x", "http://[::1]/callback/x"],
    "grant_types": ["authorization_code", "refresh_token", "password"], "unknown": [1],
  ]

  private func open() throws -> TestIssuer { try TestIssuer.approving("--open-registration") }

  private func changed(_ changes: [String: JSON?]) -> JSON {
    var object = Self.native.object ?? [:]
    for (name, value) in changes { object[name] = value }
    return .object(object)
  }

  private func token(_ json: JSON) throws -> [String] {
    ["Authorization: Bearer \(try #require(json["registration_access_token"]?.string))"]
  }

  @Test func `a native client registers and signs in (RFC 7591 section 3.2.1)`() throws {
    let issuer = try open()
    let reply = try issuer.send("POST", "/register", Self.native)
    #expect(reply.status == 201 && reply[header: "Cache-Control"] == "no-store")
    let json = try #require(reply.json)
    let id = try #require(json["client_id"]?.string)
    #expect(json["client_secret"] == nil && json["client_secret_expires_at"] == nil && json["unknown"] == nil)
    #expect(json["client_id_issued_at"]?.int == TestIssuer.startSeconds)
    // Unknown members are omitted from the response.
    #expect(json["grant_types"] == ["authorization_code", "refresh_token"])
    #expect(json["registration_client_uri"]?.string == issuer.issuer + "/register/" + id)
    let code = try issuer.code(["client_id": id])
    let tokens = try issuer.tokens(of: try issuer.redeem(code, ["client_id": id]))
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 200)
    #expect(try issuer.counter("registrations") == 1)
  }

  @Test func `only its own redirect URIs are good, with any port (RFC 8252 section 7.3)`() throws {
    let issuer = try open()
    let json = try issuer.send("POST", "/register", Self.native).json
    let id = try #require(json?["client_id"]?.string)
    for (uri, status) in [
      ("http://127.0.0.1:9/callback/x", 303), ("http://[::1]:9/callback/x", 303), ("http://127.0.0.1:9/callback", 400),
      ("http://127.0.0.1:9/callback/x?a=1", 400), ("https://127.0.0.1:9/callback/x", 400),
    ] {
      #expect(try issuer.authorize(["client_id": id, "redirect_uri": uri]).status == status, "\(uri)")
    }
  }

  @Test func `it uses the grant types it registered for, and no others`() throws {
    let issuer = try open()
    let json = try issuer.send("POST", "/register", Self.native).json
    let id = try #require(json?["client_id"]?.string)
    let device = "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x&client_id=\(id)"
    #expect(try issuer.post("/token", device).failure == "400 unauthorized_client")
    #expect(try issuer.post("/device_authorization", "client_id=\(id)").failure == "400 unauthorized_client")
    let other = changed(["grant_types": ["refresh_token"], "redirect_uris": nil])
    let second = try #require(try issuer.send("POST", "/register", other).json?["client_id"]?.string)
    #expect(try issuer.authorize(["client_id": second]).status == 400)
  }

  @Test func `a confidential client gets a secret`() throws {
    let issuer = try open()
    let wanted: JSON = ["redirect_uris": ["https://app.example/cb"]]
    let json = try #require(try issuer.send("POST", "/register", wanted).json)
    #expect(json["token_endpoint_auth_method"]?.string == "client_secret_basic")
    #expect(json["client_secret_expires_at"]?.int == 0)
    let (id, secret) = (try #require(json["client_id"]?.string), try #require(json["client_secret"]?.string))
    let basic = "Authorization: Basic " + Base64.encode(Array("\(id):\(secret)".utf8))
    #expect(try issuer.post("/revoke", "token=x", headers: [basic]).status == 200)
    #expect(try issuer.post("/revoke", "token=x&client_id=\(id)").failure == "401 invalid_client")
  }

  @Test(
    arguments: [
      (["redirect_uris": nil], "invalid_redirect_uri"), (["redirect_uris": []], "invalid_redirect_uri"),
      (["redirect_uris": ["http://example.com/"]], "invalid_redirect_uri"),
      (["redirect_uris": ["https://a/#f"]], "invalid_redirect_uri"),
      (["redirect_uris": ["/x"]], "invalid_redirect_uri"), (["redirect_uris": "x"], "invalid_client_metadata"),
      (["redirect_uris": [1]], "invalid_client_metadata"),
      (["application_type": "web"], "invalid_redirect_uri"), (["application_type": "tv"], "invalid_client_metadata"),
      (["token_endpoint_auth_method": "tls_client_auth"], "invalid_client_metadata"),
      (["grant_types": ["password"]], "invalid_client_metadata"),
      (["response_types": ["token"]], "invalid_client_metadata"),
      (["client_name": ""], "invalid_client_metadata"), (["scope": "\""], "invalid_client_metadata"),
      (["jwks_uri": "https://a/"], "invalid_client_metadata"),
      (["software_statement": "x"], "invalid_software_statement"),
    ] as [([String: JSON?], String)])
  func `what cannot be registered is refused (RFC 7591 section 3.2.2)`(changes: [String: JSON?], error: String) throws {
    #expect(try open().send("POST", "/register", changed(changes)).failure == "400 \(error)")
  }

  @Test func `content that is no JSON object is refused`() throws {
    let issuer = try open()
    #expect(try issuer.post("/register", "a=b").failure == "400 invalid_client_metadata")
    #expect(try issuer.send("POST", "/register", [1]).failure == "400 invalid_client_metadata")
  }

  @Test func `nobody registers where it is not open`() throws {
    let issuer = try TestIssuer()
    #expect(try issuer.send("POST", "/register", Self.native).status == 404)
    #expect(try issuer.get("/.well-known/openid-configuration").json?["registration_endpoint"] == nil)
    try issuer.control("open_registration=1")
    #expect(try issuer.send("POST", "/register", Self.native).status == 201)
    #expect(
      try issuer.get("/.well-known/openid-configuration").json?["registration_endpoint"]?.string
        == issuer.issuer + "/register")
  }

  @Test func `a client reads and changes itself (RFC 7592 sections 2.1 and 2.2)`() throws {
    let issuer = try open()
    let first = try #require(try issuer.send("POST", "/register", Self.native).json)
    let id = try #require(first["client_id"]?.string)
    #expect(try issuer.send("GET", "/register/" + id, headers: token(first)).json == first)

    let sent = changed(["client_id": .string(id), "client_name": "Renamed"])
    let reply = try issuer.send("PUT", "/register/" + id, sent, headers: token(first))
    let second = try #require(reply.json)
    #expect(reply.status == 200 && second["client_name"]?.string == "Renamed" && second["client_id"]?.string == id)
    // The old token was replaced.
    #expect(try issuer.send("GET", "/register/" + id, headers: token(first)).status == 401)
    #expect(try issuer.send("GET", "/register/" + id, headers: token(second)).json == second)
  }

  @Test(
    arguments: [
      ["client_id": nil], ["client_id": "other"], ["registration_access_token": "x"], ["client_id_issued_at": 1],
      ["client_secret": "x"],
    ] as [[String: JSON?]])
  func `an update with the wrong members is refused (RFC 7592 section 2.2)`(changes: [String: JSON?]) throws {
    let issuer = try open()
    let json = try #require(try issuer.send("POST", "/register", Self.native).json)
    let id = try #require(json["client_id"]?.string)
    let sent = changed((["client_id": .string(id)] as [String: JSON?]).merging(changes) { $1 })
    #expect(
      try issuer.send("PUT", "/register/" + id, sent, headers: token(json)).failure == "400 invalid_client_metadata")
  }

  @Test func `a client ends itself and all it got (RFC 7592 section 2.3)`() throws {
    let issuer = try open()
    let json = try #require(try issuer.send("POST", "/register", Self.native).json)
    let id = try #require(json["client_id"]?.string)
    let tokens = try issuer.tokens(of: try issuer.redeem(try issuer.code(["client_id": id]), ["client_id": id]))
    let reply = try issuer.send("DELETE", "/register/" + id, headers: token(json))
    #expect(reply.status == 204 && reply[header: "Content-Length"] == nil)
    #expect(try issuer.send("DELETE", "/register/" + id, headers: token(json)).status == 401)
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 401)
    #expect(try issuer.authorize(["client_id": id]).status == 400)
    #expect(try issuer.counter("deletions") == 1)
  }

  @Test func `another client's token is no good, nor is none`() throws {
    let issuer = try open()
    let mine = try #require(try issuer.send("POST", "/register", Self.native).json)
    let theirs = try #require(try issuer.send("POST", "/register", Self.native).json)
    let path = "/register/" + (try #require(mine["client_id"]?.string))
    #expect(try issuer.send("GET", path, headers: token(theirs)).status == 401)
    #expect(try issuer.send("GET", path).status == 401)
    #expect(try issuer.send("GET", "/register/x", headers: token(mine)).status == 401)
    #expect(try issuer.send("POST", path, [:])[header: "Allow"] == "GET, PUT, DELETE")
  }
}
