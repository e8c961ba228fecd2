import Encoding
import Testing

@testable import OAuth
import Vocabulary

// RFC 9728.
@Suite struct `Discovery from a resource` {
  private static let resource = "https://api.example/v1"
  private static let wellKnown = "https://api.example/.well-known/oauth-protected-resource/v1"

  private static func document(_ changes: JSONObject = JSONObject()) -> String {
    var document: JSONObject = [
      "resource": .string(resource), "authorization_servers": ["https://as.example/tenant"],
      "scopes_supported": ["read", "write"],
    ]
    for name in changes.names { document[name] = changes[name] == .null ? nil : changes[name] }
    return String(decoding: JSON.object(document).serialized(), as: UTF8.self)
  }

  private static func challenge(_ text: String) throws -> HTTPResponse {
    try response(401, headers: [("WWW-Authenticate", text)], "{}")
  }

  private func find(_ http: ScriptedHTTP, _ resource: String = resource) throws(OAuthError) -> ProtectedResource {
    try ResourceDiscovery(
      try Endpoint(resource, allowHTTPLoopback: false), transport: Transport(), http: http
    ).run()
  }

  private func gets(_ places: String...) -> [ScriptedHTTP.Recorded] {
    places.enumerated().map { .init(method: .get, url: $0.element, followsRedirects: $0.offset > 0) }
  }

  // Section 5.1.
  @Test(arguments: ["Bearer", "DPoP", "bEARER realm=\"a, b\","])
  func `reads the place that a challenge names`(scheme: String) throws {
    let place = "https://api.example/meta?x=1"
    let http = ScriptedHTTP(
      try Self.challenge("Basic realm=\"x\", \(scheme) resource_metadata=\"\(place)\", scope=\"read\""),
      try response(Self.document()))
    let found = try find(http)
    #expect(found.identifier == Self.resource)
    #expect(found.authorizationServers.map(\.text) == ["https://as.example/tenant"])
    #expect(found.scopes == ["read"])
    #expect(http.requests == gets(Self.resource, place))
    // Nothing that could be a token.
    #expect(http.requests.allSatisfy { $0.authorization == nil && $0.form == nil })
  }

  @Test func `takes no place from an answer that refuses nothing`() throws {
    let place = "https://api.example/meta"
    let http = ScriptedHTTP(
      try response(200, headers: [("WWW-Authenticate", "Bearer resource_metadata=\"\(place)\"")], "{}"),
      try response(Self.document()))
    #expect(try find(http).identifier == Self.resource)
    #expect(http.requests == gets(Self.resource, Self.wellKnown))
  }

  // Section 2.
  @Test(
    arguments: [
      (.null, .null, false), (false, ["PS256"], false), (true, .null, true), (true, ["PS256", "ES256"], true),
    ] as [(JSON, JSON, Bool)])
  func `tells whether only bound tokens are taken`(required: JSON, algorithms: JSON, wants: Bool) throws {
    let changes: JSONObject = [
      "dpop_bound_access_tokens_required": required, "dpop_signing_alg_values_supported": algorithms,
    ]
    let http = ScriptedHTTP(try response(401, ""), try response(Self.document(changes)))
    let found = try find(http)
    #expect(found.requiresBoundTokens == wants)
    #expect(found.proofAlgorithms == algorithms.array?.compactMap(\.string))
  }

  // RFC 9449 section 7.1.
  @Test(arguments: [("DPoP algs=\"ES256\"", true), ("Bearer, DPoP", false), ("Bearer", false), ("Basic", false)])
  func `accepts only bound tokens if its only challenge is DPoP`(challenge: String, wants: Bool) throws {
    let http = ScriptedHTTP(try Self.challenge(challenge), try response(Self.document()))
    #expect(try find(http).requiresBoundTokens == wants)
    let other: JSONObject = ["dpop_signing_alg_values_supported": ["ES512"]]
    let foreign = ScriptedHTTP(try Self.challenge(challenge), try response(Self.document(other)))
    if wants {
      #expect(throws: OAuthError(.bindingUnsupported, .resource)) { try find(foreign) }
    } else {
      #expect(try find(foreign).proofAlgorithms == ["ES512"])
    }
  }

  @Test(
    arguments: [
      (true, ["ES512", "ES256K"], OAuthError(.bindingUnsupported, .resource)),
      (true, [], OAuthError(.bindingUnsupported, .resource)),
      (true, "ES256", OAuthError(.metadataInvalid, .name("dpop_signing_alg_values_supported"))),
      ("true", .null, OAuthError(.metadataInvalid, .name("dpop_bound_access_tokens_required"))),
    ] as [(JSON, JSON, OAuthError)])
  func `is no use where no proof of ours is taken`(required: JSON, algorithms: JSON, error: OAuthError) throws {
    let changes: JSONObject = [
      "dpop_bound_access_tokens_required": required, "dpop_signing_alg_values_supported": algorithms,
    ]
    let http = ScriptedHTTP(try response(401, ""), try response(Self.document(changes)))
    #expect(throws: error) { try find(http) }
  }

  // Section 3.1.
  @Test(arguments: [
    ("https://api.example", "https://api.example/.well-known/oauth-protected-resource"),
    ("https://api.example/", "https://api.example/.well-known/oauth-protected-resource"),
    ("https://api.example:8443/a/", "https://api.example:8443/.well-known/oauth-protected-resource/a/"),
    ("https://api.example/?k=1", "https://api.example/.well-known/oauth-protected-resource?k=1"),
    ("https://api.example/a?k=1", "https://api.example/.well-known/oauth-protected-resource/a?k=1"),
  ]) func `else reads the well-known place`(resource: String, place: String) throws {
    for status in [200, 302, 401, 500] {
      let http = ScriptedHTTP(
        try response(status, ""), try response(Self.document(["resource": .string(resource)])))
      #expect(try find(http, resource).scopes == ["read", "write"])
      #expect(http.requests == gets(resource, place))
    }
  }

  // Model Context Protocol: a server may have no GET, and answers the first message of a client with its challenge.
  @Test(arguments: [400, 404, 405, 406])
  func `asks a server that refuses GET as a client of MCP does`(status: Int) throws {
    let place = "https://api.example/meta"
    let http = ScriptedHTTP(
      try response(status, ""), try Self.challenge("Bearer resource_metadata=\"\(place)\", scope=\"tools\""),
      try response(Self.document()))
    #expect(try find(http).scopes == ["tools"])
    let post = http.requests[1]
    #expect(http.requests.map(\.url) == [Self.resource, Self.resource, place])
    #expect(post.method == .post && post.json?["method"] == "initialize" && post.authorization == nil)
    #expect(post.accept == "application/json, text/event-stream" && !post.followsRedirects)
  }

  /// The first response, a 404 for each metadata URL, then more.
  private func withoutMetadata(_ first: HTTPResponse, places: Int = 2, _ more: HTTPResponse...) throws -> ScriptedHTTP {
    let missing = try (1...places).map { _ in try response(404, "") }
    return ScriptedHTTP(([first] + missing + more).map { .success($0) })
  }

  // Model Context Protocol 2025-03-26: the server's origin is its authorization server.
  @Test(arguments: [nil, "Bearer realm=\"mcp\""])
  func `takes the server at its origin where it publishes nothing and wants a token`(challenge: String?) throws {
    let metadata: JSONObject = [
      "issuer": "https://api.example", "authorization_endpoint": "https://api.example/authorize",
      "token_endpoint": "https://api.example/token", "response_types_supported": ["code"],
    ]
    let http = try withoutMetadata(
      challenge.map { try Self.challenge($0) } ?? response(401, ""),
      response(String(decoding: JSON.object(metadata).serialized(), as: UTF8.self)))
    let found = try find(http)
    #expect(found.authorizationServers.map(\.text) == ["https://api.example"] && found.scopes == [])
    #expect(found.identifier == Self.resource)
    #expect(http.requests.allSatisfy { $0.authorization == nil && $0.form == nil })
  }

  @Test(arguments: ["Basic realm=\"x\"", "Negotiate"])
  func `asks no server at the origin of one that wants no token`(challenge: String) throws {
    let http = try withoutMetadata(Self.challenge(challenge))
    #expect(throws: OAuthError(.metadataMissing, .resource, httpStatus: 404)) { try find(http) }
    let open = try withoutMetadata(response(200, ""))
    #expect(throws: OAuthError(.metadataMissing, .resource, httpStatus: 404)) { try find(open) }
  }

  @Test func `says that a token is wanted where not even its origin has metadata`() throws {
    let http = try withoutMetadata(Self.challenge("Bearer"), places: 4)
    #expect(throws: OAuthError(.metadataMissing, .resourceWithoutKnownServer)) { try find(http) }
  }

  @Test func `asks an MCP server that anybody may begin with for its tools`() throws {
    let place = "https://api.example/meta"
    let http = ScriptedHTTP(
      try response(404, ""), try response("{}"),
      try Self.challenge("Bearer resource_metadata=\"\(place)\", scope=\"a\""), try response(Self.document()))
    #expect(try find(http).scopes == ["a"])
    #expect(http.requests[1...2].map { $0.json?["method"] } == ["initialize", "tools/list"])
  }

  @Test func `a huge answer of the resource does no harm`() throws {
    let http = ScriptedHTTP([.failure(HTTPFailure(.tooLarge)), .success(try response(Self.document()))])
    #expect(try find(http).identifier == Self.resource)
  }

  @Test(arguments: [
    (HTTPFailure(.tooLarge), OAuthError.Code.responseTooLarge), (HTTPFailure(.redirect), .redirectRefused),
  ])
  func `huge metadata, or a redirect that leaves the origin, is an error`(
    failure: HTTPFailure, code: OAuthError.Code
  ) throws {
    let http = ScriptedHTTP([.success(try response(401, "")), .failure(failure)])
    #expect(throws: OAuthError(code, .endpoint(.metadata))) { try find(http) }
  }

  // Section 3.3: byte by byte.
  @Test(arguments: ["https://api.example/v1/", "https://API.example/v1", "https://api.example", "https://evil.example"])
  func `metadata for another resource is not used`(named: String) throws {
    let http = ScriptedHTTP(try response(401, ""), try response(Self.document(["resource": .string(named)])))
    var error = OAuthError(.resourceMismatch, .requestedResource)
    error.serverDescription = named
    #expect(throws: error) { try find(http) }
  }

  // Sections 3.3 and 5.1.
  @Test(arguments: ["https://api.example", "https://api.example/", "https://api.example/v1/"])
  func `metadata that a challenge names are for this resource, not for its origin`(named: String) throws {
    let http = ScriptedHTTP(
      try Self.challenge("Bearer resource_metadata=\"https://api.example/meta\""),
      try response(Self.document(["resource": .string(named)])))
    var error = OAuthError(.resourceMismatch, .requestedResource)
    error.serverDescription = named
    #expect(throws: error) { try find(http) }
  }

  @Test(
    arguments: [
      ("https://evil.example/meta", .reason("resource_metadata is at another origin than the resource")),
      ("https://api.example:8443/meta", .reason("resource_metadata is at another origin than the resource")),
      ("https://169.254.169.254/latest", .reason("resource_metadata is at another origin than the resource")),
      ("http://api.example/meta", .name("resource_metadata")), ("http://127.0.0.1/meta", .name("resource_metadata")),
      ("/meta", .name("resource_metadata")), ("https://api.example/meta#x", .name("resource_metadata")),
      ("", .name("resource_metadata")),
    ] as [(String, OAuthError.Subject)]) func `metadata elsewhere is not fetched`(
      place: String, problem: OAuthError.Subject
    ) throws
  {
    let http = ScriptedHTTP(try Self.challenge("Bearer resource_metadata=\"\(place)\""))
    #expect(throws: OAuthError(.metadataInvalid, problem)) { try find(http) }
    #expect(http.requests == gets(Self.resource))
  }

  @Test(arguments: [(404, ""), (403, ""), (200, "<html>")])
  func `no metadata, or a page instead, is an error of its own`(status: Int, body: String) throws {
    let http = ScriptedHTTP(try response(200, body), try response(status, body), try response(status, body))
    #expect(throws: expected(.metadataMissing, .resource, status: status)) { try find(http) }
  }

  @Test func `the place of a whole origin is asked once`() throws {
    let http = ScriptedHTTP(try response(200, ""), try response(404, ""))
    #expect(throws: expected(.metadataMissing, .resource, status: 404)) { try find(http, "https://api.example") }
    #expect(
      http.requests == gets("https://api.example", "https://api.example/.well-known/oauth-protected-resource"))
  }

  // Model Context Protocol, authorization: the URL of the origin is tried after that of the path.
  @Test(arguments: ["https://api.example", "https://api.example/", "https://api.example/v1"])
  func `the metadata of the whole origin come last`(named: String) throws {
    let http = ScriptedHTTP(
      try response(401, ""), try response(404, ""), try response(Self.document(["resource": .string(named)])))
    #expect(try find(http).identifier == named)
    #expect(http.requests.last?.url == "https://api.example/.well-known/oauth-protected-resource")
  }

  @Test func `the metadata of the whole origin are for no other resource in it`() throws {
    let http = ScriptedHTTP(
      try response(401, ""), try response(404, ""),
      try response(Self.document(["resource": "https://api.example/v2"])))
    var error = OAuthError(.resourceMismatch, .requestedResource)
    error.serverDescription = "https://api.example/v2"
    #expect(throws: error) { try find(http) }
  }

  @Test func `the scope of a challenge counts without a place of metadata too`() throws {
    let http = ScriptedHTTP(try Self.challenge("Bearer scope=\"files:read\""), try response(Self.document()))
    #expect(try find(http).scopes == ["files:read"])
  }

  @Test(
    arguments: [
      ["authorization_servers": .null], ["authorization_servers": []], ["authorization_servers": ["http://as.example"]],
      ["authorization_servers": ["https://as.example/?x=1", "https://as.example/#f", "as.example"]],
    ] as [JSONObject]) func `a resource without a usable authorization server is an error`(changes: JSONObject) throws
  {
    let http = ScriptedHTTP(try response(401, ""), try response(Self.document(changes)))
    #expect(throws: OAuthError(.metadataInvalid, .reason("it names no authorization server"))) {
      try find(http)
    }
  }

  @Test(arguments: ["resource", "authorization_servers", "scopes_supported"])
  func `a member of the wrong type is named`(name: String) throws {
    let http = ScriptedHTTP(try response(401, ""), try response(Self.document(JSONObject([(name, 7)]))))
    if name == "scopes_supported" {
      #expect(try find(http).scopes == [])
    } else {
      #expect(throws: OAuthError(.metadataInvalid, .name(name))) { try find(http) }
    }
  }

  @Test func `a hundred authorization servers are cut short`() throws {
    let names = (0..<100).flatMap { number -> [JSON] in [.string("https://as\(number).example"), "https://as0.example"]
    }
    let http = ScriptedHTTP(
      try response(401, ""), try response(Self.document(["authorization_servers": .array(names)])))
    #expect(
      try find(http).authorizationServers.map(\.text)
        == (0..<16).map { "https://as\($0).example" })
  }

  // Section 7.7.
  @Test func `servers of inner networks are left out, unless the resource is there too`() throws {
    let inner = [
      "https://localhost", "https://a.LOCALHOST", "https://127.0.0.1", "https://127.1", "https://0x7f000001",
      "https://2130706433", "https://010.0.0.1", "https://10.1.2.3", "https://172.16.0.1", "https://192.168.1.1",
      "https://169.254.169.254", "https://100.64.0.1", "https://0.0.0.0", "https://[::1]", "https://[fd00::1]",
      "https://[fe80::1]", "https://[::ffff:10.0.0.1]", "https://[64:ff9b::a00:1]",
    ]
    let outer = [
      "https://8.8.8.8", "https://172.32.0.1", "https://[2001:db8::1]", "https://10.example",
      "https://localhost.example",
    ]
    let servers = JSON.array((inner.prefix(9) + outer + inner.dropFirst(9)).map { .string($0) })
    let http = ScriptedHTTP(try response(401, ""), try response(Self.document(["authorization_servers": servers])))
    #expect(try find(http).authorizationServers.map(\.text) == outer)
    let near = "https://10.0.0.7/v1"
    let other = ScriptedHTTP(
      try response(401, ""),
      try response(Self.document(["resource": .string(near), "authorization_servers": ["https://10.1.2.3"]])))
    #expect(try find(other, near).authorizationServers.map(\.text) == ["https://10.1.2.3"])
  }
}
