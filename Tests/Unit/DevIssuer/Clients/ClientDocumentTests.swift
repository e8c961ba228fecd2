import Encoding
import Platform
import TestSupport
import Testing

@testable import devissuer

/// draft-ietf-oauth-client-id-metadata-document-03.
@Suite struct `Clients that publish what they are` {
  /// A web server with one document, and an issuer that accepts it.
  private struct Place {
    struct Answer: Sendable {
      var status = 200
      var headers = ["Content-Type: application/json"]
      var body = ""
    }

    let web: LoopbackServer
    let issuer: TestIssuer
    private let answer = Monitor(Answer())
    var url: String { web.url("/agent.json") }

    init(_ options: String...) throws {
      web = try LoopbackServer { [answer] conversation in
        while try conversation.readRequest() != nil {
          let answer = answer.withLock { $0 }
          try conversation.respond(answer.status, headers: answer.headers, body: answer.body)
        }
      }
      issuer = try TestIssuer("--client-documents", "loopback", "--approve", "always", more: options)
      try publish()
    }

    /// Publishes the document with some members changed, or removed by null.
    func publish(_ changes: JSONObject = [:]) throws {
      var document: JSONObject = [
        "client_id": .string(url), "client_name": "Test", "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      ]
      for name in changes.names { document[name] = changes[name] == .null ? nil : changes[name] }
      let body = String(decoding: JSON.object(document).serialized(), as: UTF8.self)
      answer.withLock { $0.body = body }
    }

    func change(_ change: (inout Answer) -> Void) { answer.withLock { change(&$0) } }

    func device() throws -> Reply { try issuer.post("/device_authorization", "client_id=\(url)") }
  }

  @Test func `are announced, unless they are not taken`() throws {
    func announced(_ options: String...) throws -> JSON? {
      try TestIssuer(more: options).get("/.well-known/openid-configuration")
        .json?["client_id_metadata_document_supported"]
    }
    #expect(try announced() == true && announced("--client-documents", "loopback") == true)
    #expect(try announced("--client-documents", "off") == nil)
  }

  @Test func `are fetched where a sign-in begins, and known from then on`() throws {
    let place = try Place()
    let reply = try place.device()
    let code = try #require(reply.json?["device_code"]?.string, "\(reply.text)")
    let tokens = try place.issuer.post(
      "/token", "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=\(code)&client_id=\(place.url)")
    #expect(tokens.status == 200, "\(tokens.text)")
    #expect(place.web.requests.count == 1)
    let again = try place.issuer.post(
      "/token",
      "grant_type=refresh_token&refresh_token=\(tokens.json?["refresh_token"]?.string ?? "")&client_id=\(place.url)")
    #expect(again.status == 200 && place.web.requests.count == 1)
  }

  @Test func `are fetched for tokens of their own, too`() throws {
    let place = try Place()
    // A client without a key may not use this grant (RFC 6749 section 4.4), which only its document shows.
    let form = "grant_type=client_credentials&client_id=\(place.url)"
    try place.publish(["grant_types": ["client_credentials"], "redirect_uris": .null])
    for _ in 1...2 { #expect(try place.issuer.post("/token", form).failure == "400 unauthorized_client") }
    #expect(place.web.requests.count == 1)
  }

  @Test func `are kept for as long as their server says, an hour at most`() throws {
    let place = try Place()
    func fetches(after seconds: Int) throws -> Int {
      place.issuer.clock.advance(seconds: seconds)
      #expect(try place.device().status == 200)
      return place.web.requests.count
    }
    #expect(try fetches(after: 0) == 1)
    #expect(try fetches(after: 0) == 2)
    place.change { $0.headers.append("Cache-Control: max-age=100") }
    #expect(try fetches(after: 0) == 3)
    #expect(try fetches(after: 99) == 3)
    place.change { $0.headers[1] = "Cache-Control: max-age=99999" }
    #expect(try fetches(after: 2) == 4)
    #expect(try fetches(after: 3599) == 4)
    #expect(try fetches(after: 2) == 5)
  }

  @Test(
    arguments: [
      ["client_id": "https://other.example/agent.json"], ["client_id": .null], ["client_secret": "s"],
      ["client_secret_expires_at": 0], ["token_endpoint_auth_method": "client_secret_basic"],
      ["token_endpoint_auth_method": "client_secret_jwt"], ["token_endpoint_auth_method": "private_key_jwt"],
      ["redirect_uris": .null], ["redirect_uris": ["http://me.example/callback"]], ["redirect_uris": "x"],
      ["jwks": ["keys": [["kty": "oct", "k": "AA"]]]],
      [
        "jwks": [
          "keys": [["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "d": "AA"]]
        ]
      ], ["client_name": 1], ["padding": .string(String(repeating: "x", count: 5 * 1024))],
    ] as [JSONObject]) func `are refused with a document that is not good`(changes: JSONObject) throws
  {
    let place = try Place()
    try place.publish(changes)
    #expect(try place.device().failure == "401 invalid_client")
    // Nothing was stored.
    try place.publish()
    #expect(try place.device().status == 200)
  }

  @Test func `are refused with an answer that is no document`() throws {
    let place = try Place()
    let changes: [(inout Place.Answer) -> Void] = [
      { $0.status = 404 }, { $0.status = 203 }, { $0.headers = ["Content-Type: text/html"] }, { $0.headers = [] },
      { $0.body = "[]" }, { $0.body = "{" },
      { answer in (answer.status, answer.headers) = (302, answer.headers + ["Location: \(place.url)?2"]) },
    ]
    for change in changes {
      try place.publish()
      place.change {
        $0 = Place.Answer(body: $0.body)
        change(&$0)
      }
      #expect(try place.device().failure == "401 invalid_client")
    }
    #expect(place.web.requests.count == changes.count, "no redirect was followed")
    place.change { $0 = Place.Answer(headers: ["Content-Type: application/oauth-client+json"], body: $0.body) }
    try place.publish()
    #expect(try place.device().status == 200)
  }

  // Section 3, and section 8 for plain http.
  @Test func `are not fetched from another kind of URL`() throws {
    let place = try Place()
    for id in [place.url + "#x", place.web.url("/a/../agent.json"), place.web.url(""), "ftp://127.0.0.1/agent.json"] {
      let encoded = id.replacing("#", with: "%23")
      #expect(try place.issuer.post("/device_authorization", "client_id=\(encoded)").failure == "401 invalid_client")
    }
    let strict = try TestIssuer()
    #expect(try strict.post("/device_authorization", "client_id=\(place.url)").failure == "401 invalid_client")
    #expect(place.web.requests.isEmpty)
  }

  @Test func `have their redirect URIs with any port of the loopback interface, and no others`() throws {
    let place = try Place()
    func authorize(_ redirect: String) throws -> Reply {
      try place.issuer.get(
        "/authorize?response_type=code&client_id=\(place.url)&redirect_uri=\(redirect)&state=s"
          + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256")
    }
    let good = try authorize("http://127.0.0.1:4711/callback")
    #expect(good.status == 303 && good[header: "Location"]?.hasPrefix("http://127.0.0.1:4711/callback?") == true)
    for redirect in ["http://127.0.0.1:4711/other", "http://[::1]:4711/callback", "https://evil.example/callback"] {
      #expect(try authorize(redirect).status == 400, "\(redirect)")
    }
    place.change { $0.status = 500 }
    let page = try authorize("http://127.0.0.1:4711/callback")
    #expect(page.status == 401 && page.text.contains("invalid_client") && page[header: "Location"] == nil)
  }
}
