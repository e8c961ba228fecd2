import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

@Suite struct `Client identification` {
  private let answer = #"{"access_token":"a","token_type":"Bearer"}"#

  private func request(_ id: String, _ authentication: ClientAuthentication) throws -> ScriptedHTTP.Recorded? {
    let http = ScriptedHTTP(try response(answer))
    _ = try testServer(http, authentication, id: id).refresh(secret("r"))
    return http.requests.first
  }

  private let grant = ["grant_type=refresh_token", "refresh_token=r"]

  // RFC 6749 section 3.2.1.
  @Test func `a public client names itself in the body`() throws {
    let sent = try request("agent:1", .none)
    #expect(sent?.form == grant + ["client_id=agent:1"])
    #expect(sent?.authorization == nil)
  }

  // RFC 6749 section 2.3.1: form-encoded first.
  @Test func `Basic has id and secret form-encoded and nothing in the body`() throws {
    let sent = try request("a:b c", .basic(secret("s%:+é")))
    #expect(sent?.form == grant)
    #expect(sent?.authorization == "Basic " + Base64.encode(Array("a%3Ab+c:s%25%3A%2B%C3%A9".utf8)))
  }

  @Test func `Basic without the encoding has id and secret as they are`() throws {
    let sent = try request("a b", .basicUnencoded(secret("s%:+é")))
    #expect(sent?.form == grant)
    #expect(sent?.authorization == "Basic " + Base64.encode(Array("a b:s%:+é".utf8)))
  }

  @Test func `post has id and secret in the body and no header`() throws {
    let sent = try request("agent", .post(secret("s&=+ é")))
    #expect(sent?.form == grant + ["client_id=agent", "client_secret=s&=+ é"])
    #expect(sent?.authorization == nil)
  }

  // RFC 6749 section 5.2: no other method is tried after a failure.
  @Test func `a refused client is not tried in another way`() throws {
    let http = ScriptedHTTP(try response(401, headers: [("WWW-Authenticate", "Basic")], #"{"error":"invalid_client"}"#))
    #expect(throws: expected(.invalidClient, .endpoint(.token), status: 401, error: "invalid_client")) {
      try testServer(http, .basic(secret("s"))).refresh(secret("r"))
    }
    #expect(http.requests.count == 1)
  }

  // RFC 6749 appendix A.1.
  @Test(arguments: ["", "a\n", "é", "\u{7f}", String(repeating: "a", count: 513)])
  func `an id outside the grammar is refused`(id: String) {
    #expect(throws: OAuthError(.invalidClientID, .clientID)) { try Client(id: id, authentication: .none) }
  }

  @Test func `an id of 512 printable characters is taken`() throws {
    let id = String(repeating: "~", count: 512)
    #expect(try Client(id: id, authentication: .none).id == id)
  }

  // RFC 7617 section 2.
  @Test func `a colon in the id needs the encoding`() throws {
    let key = try secret("s")
    #expect(throws: OAuthError(.invalidClientID, .clientID)) {
      try Client(id: "a:b", authentication: .basicUnencoded(key))
    }
    #expect(try Client(id: "a:b", authentication: .basic(key)).id == "a:b")
  }

  // draft-ietf-oauth-client-id-metadata-document-03 section 3.
  @Test(arguments: [
    ("https://me.example/agent.json", true), ("https://me.example/", true), ("https://me.example:8443/a/b?c", true),
    // Servers compare the URL with the published document, byte by byte.
    ("HTTPS://me.example/a", false), ("https://Me.example/a", false), ("https://me.example:443/a", false),
    ("https://me.example", false), ("https://me.example?a", false),
    ("https://me.example/a#b", false), ("https://me.example/a#", false), ("https://u@me.example/a", false),
    ("https://u:p@me.example/a", false), ("https://me.example/./a", false), ("https://me.example/a/..", false),
    ("https://me.example/a/%2e%2E/b", false), ("https://me.example/.well-known/..a", true),
    ("http://me.example/a", false), ("http://a.localhost/a", false), ("me.example/a", false), ("agent", false),
  ]) func `an id at which metadata can be published is an https URL with a path`(id: String, isOne: Bool) {
    for loopback in [false, true] { #expect(Client.isMetadataURL(id, allowHTTPLoopback: loopback) == isOne) }
  }

  @Test func `such an id may be on this machine for development`() {
    for id in ["http://127.0.0.1:8080/a", "http://[::1]/a", "http://localhost:8080/a"] {
      #expect(Client.isMetadataURL(id, allowHTTPLoopback: true) && !Client.isMetadataURL(id, allowHTTPLoopback: false))
    }
  }

  @Test func `a refused client of such an id is told to check what it published`() throws {
    func advice(_ id: String, _ error: String) throws -> String? {
      let http = ScriptedHTTP(try response(400, #"{"error":"\#(error)"}"#))
      let server = try testServer(http, id: id)
      do throws(OAuthError) {
        _ = try server.requestDeviceAuthorization(scope: nil)
      } catch {
        return error.advice?.english
      }
      return nil
    }
    let id = "https://me.example/agent.json"
    #expect(try advice(id, "invalid_client")?.contains("agent help account client-metadata") == true)
    #expect(try advice(id, "invalid_scope") == nil && advice("agent", "invalid_client") == nil)
  }

  @Test func `a dump of a client shows no secret`() throws {
    var text = ""
    dump(try Client(id: "agent-1", authentication: .post(secret("canary"))), to: &text)
    #expect(text.contains("agent-1") && !text.contains("canary"))
  }
}
