import Crypto
import Encoding
import Platform
import Testing

@testable import devissuer

extension IssuerFault: CustomTestStringConvertible {
  /// The fault's endpoint and name.
  public var testDescription: String { "\(place.rawValue): \(name)" }
}

/// The table of faults. The clients' tests cover the reactions.
@Suite struct `Each fault` {
  private let issuer: TestIssuer

  init() throws { issuer = try TestIssuer.approving("--open-registration") }

  private func signIn() throws -> TestIssuer.Tokens { try issuer.tokens(of: try issuer.redeem(try issuer.code())) }

  /// A valid request to the endpoint of a fault; nil for no response.
  private func use(_ place: IssuerFault.Place) throws -> Reply? {
    switch place {
    case .authorization: return try issuer.authorize()
    case .par: return try issuer.post("/par", TestIssuer.form(TestIssuer.goodRequest))
    case .registration: return try issuer.send("POST", "/register", `Clients that register themselves`.native)
    case .resource:
      _ = try issuer.get("/resource")
      return try issuer.get("/.well-known/oauth-protected-resource/resource")
    case .idToken: return try issuer.redeem(try issuer.code())
    case .metadata: return try issuer.get("/.well-known/openid-configuration")
    case .userinfo: return try issuer.get("/userinfo", bearer: try signIn().access)
    case .dpop:
      let proof = try Prover().proof("POST", issuer.issuer + "/token")
      return try issuer.redeem(try issuer.code(), headers: ["DPoP: \(proof)"])
    case .jwks, .body:
      var connection = try HTTPConnection(port: issuer.port)
      return try connection.request("GET", "/jwks", headers: ["Connection: close"])
    }
  }

  @Test(arguments: IssuerFault.table) func `changes answers until it is turned off`(fault: IssuerFault) throws {
    let parameter = fault.place == .body ? "body" : "break_" + fault.place.rawValue
    try issuer.control("\(parameter)=\(fault.name)&body_at=jwks")
    // Does not wait for an endless response.
    if fault.name != "endless" {
      let reply = try use(fault.place)
      #expect(reply?.status != 500, "\(reply?.text ?? "")")
      #expect((reply == nil) == (fault.name == "drop"))
      #expect(try #require(try issuer.counter("misbehaviours")) > 0)
    }
    try issuer.control("\(parameter)=off")
    let before = try issuer.counter("misbehaviours")
    #expect(try #require(try use(fault.place)).status < 400)
    #expect(try issuer.counter("misbehaviours") == before)
  }

  @Test func `has a name of its own`() {
    #expect(Set(IssuerFault.table.map(\.testDescription)).count == IssuerFault.table.count)
  }

  // MARK: ID Tokens

  private func parts(_ fault: String, _ issuer: TestIssuer? = nil) throws -> (header: JSON, claims: JSON, text: String)
  {
    let issuer = issuer ?? self.issuer
    try issuer.control("break_id_token=\(fault)&approval=always")
    let text = try #require(try issuer.tokens(of: try issuer.redeem(try issuer.code())).id)
    let parts = try text.split(separator: ".").prefix(2).map { try JSON(parsing: try Base64URL.decode(String($0))) }
    return (parts[0], parts[1], text)
  }

  @Test(
    arguments: [
      ("iss", "iss", "https://issuer.invalid"), ("no_iss", "iss", nil), ("aud", "aud", "another-client"),
      ("no_aud", "aud", nil), ("second_aud", "aud", ["agent-cli", "another-client"]),
      ("aud_array", "aud", ["agent-cli"]), ("azp", "azp", "another-client"),
      ("exp", "exp", .int(TestIssuer.startSeconds - 3600)), ("no_exp", "exp", nil),
      ("exp_text", "exp", .string("\(TestIssuer.startSeconds + 3600)")), ("no_iat", "iat", nil),
      ("future_iat", "iat", .int(TestIssuer.startSeconds + 86_400)), ("sub", "sub", "user-mallory"),
      ("no_sub", "sub", nil), ("nonce", "nonce", "another nonce"), ("no_nonce", "nonce", nil),
      ("auth_time", "auth_time", .int(TestIssuer.startSeconds - 86_400)), ("acr", "acr", "another context"),
      ("events", "events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
    ] as [(String, String, JSON?)])
  func `of the ID Token changes one claim`(fault: String, claim: String, value: JSON?) throws {
    let (honest, spoiled) = (try parts("off"), try parts(fault))
    #expect(spoiled.claims[claim] == value && honest.claims[claim] != value)
    let others: Set = [claim, "at_hash", "iat", "exp"]
    for name in honest.claims.object?.names ?? [] where !others.contains(name) {
      #expect(spoiled.claims[name] == honest.claims[name], "\(name)")
    }
    #expect(spoiled.header == honest.header)
  }

  // RFC 7515 section 4.1.
  @Test func `of the ID Token's header changes it`() throws {
    #expect(try parts("no_kid").header == ["alg": "ES256", "typ": "JWT"])
    #expect(try parts("typ").header["typ"] == "at+jwt")
    #expect(try parts("crit").header["crit"]?.array?.count == 1)
    #expect(try parts("jku").header["jku"] == .string(issuer.issuer + "/echo"))
    let embedded = try parts("jwk").header
    #expect(embedded["jwk"]?["kty"] == "EC" && embedded["kid"] == nil)
    let published = try #require(try issuer.get("/jwks").json?["keys"]?.array?.first?["x"])
    #expect(embedded["jwk"]?["x"] != published)
    #expect(try parts("none").header == ["alg": "none", "typ": "JWT"])
    #expect(try parts("none").text.hasSuffix("."))
    #expect(try parts("padded").text.hasSuffix("=="))
    try issuer.control("break_id_token=five_parts")
    #expect(
      try signIn().id?.split(separator: ".").count == 5)
    try issuer.control("break_id_token=missing")
    #expect(try signIn().id == nil)
  }

  @Test(arguments: [(JWSAlgorithm.RS256, "PS256"), (.PS256, "RS256"), (.ES256, "ES384"), (.ES384, "ES256")])
  func `of the algorithm signs with another one`(algorithm: JWSAlgorithm, other: String) throws {
    let issuer = try TestIssuer("--algorithm=\(algorithm.rawValue)")
    let found = try parts("alg", issuer).header
    #expect(found["alg"] == .string(other))
    #expect(found["kid"] == (try issuer.get("/jwks").json?["keys"]?.array?.first?["kid"]))
  }

  @Test(arguments: [("signature", JOSEError.Code.badSignature), ("kid", .unknownKey)])
  func `of the signature leaves none that fits`(fault: String, code: JOSEError.Code) throws {
    let text = Array(try parts(fault).text.utf8)
    let keys = try JWKSet(parsing: try issuer.get("/jwks").body)
    #expect(throws: JOSEError(code)) {
      try UnverifiedJWS(compact: text.span).verified(by: keys, algorithms: [.ES256])
    }
  }

  // RFC 8725 section 2.1.
  @Test func `can make the published key a secret`() throws {
    let parts = try parts("hs256").text.split(separator: ".")
    let key = try #require(try issuer.get("/jwks").json?["keys"]?.array?.first).serialized()
    let message = Array("\(parts[0]).\(parts[1])".utf8)
    #expect(Base64URL.encode(try HMAC.sha256(key: key.span, message.span)) == parts[2])
  }

  // MARK: Other answers

  @Test(
    arguments: [
      ("wrong_iss", "iss", "https://issuer.invalid"), ("missing_iss", "iss", nil), ("wrong_state", "state", "xs t&="),
      ("missing_state", "state", nil), ("access_token", "access_token", "x"),
    ] as [(String, String, String?)])
  func `of the authorization endpoint changes one parameter, of errors too`(
    fault: String, parameter: String, value: String?
  ) throws {
    for approval in ["always", "never"] {
      try issuer.control("break_authorization=\(fault)&approval=\(approval)")
      let answer = try issuer.answer(try issuer.authorize())
      #expect(answer[parameter] == value)
      #expect((answer["error"] == nil) == (approval == "always"))
    }
  }

  @Test func `can bring a code twice, or the one before, or the whole answer twice`() throws {
    try issuer.control("break_authorization=duplicate")
    #expect(try issuer.authorize()[header: "Location"]?.split(separator: "code=").count == 3)
    try issuer.control("break_authorization=off")
    let first = try issuer.code()
    try issuer.control("break_authorization=replayed_code")
    #expect(try issuer.code() == first)
    try issuer.control("break_authorization=twice")
    let page = try issuer.authorize()
    #expect(page[header: "Content-Security-Policy"]?.contains("; img-src http://127.0.0.1:51004;") == true)
    #expect(page.text.contains("<img src=\"\(TestIssuer.redirectURI)?code="))
    #expect(page.text.contains("content=\"1;url=\(TestIssuer.redirectURI)?code="))
  }

  @Test(
    arguments: [
      (.par, "malformed", "request_uri", "not a URI"), (.par, "http", "request_uri", "http://issuer.invalid/request"),
      (.par, "missing", "request_uri", nil), (.registration, "no_client_id", "client_id", nil),
      (.registration, "redirect_uris", "redirect_uris", ["https://issuer.invalid/callback"]),
      (.registration, "grant_types", "grant_types", ["implicit"]),
      (.registration, "method", "token_endpoint_auth_method", "tls_client_auth"),
      (.resource, "resource", "resource", "https://resource.invalid/"),
      (.resource, "server", "authorization_servers", ["https://issuer.invalid"]),
      (.resource, "no_server", "authorization_servers", nil),
      (.metadata, "http_endpoint", "token_endpoint", "http://issuer.invalid/token"),
      (.metadata, "other_issuer", "issuer", "https://issuer.invalid"),
      (.metadata, "no_s256", "code_challenge_methods_supported", nil),
      (.metadata, "plain", "code_challenge_methods_supported", ["plain"]),
      (.metadata, "no_iss_parameter", "authorization_response_iss_parameter_supported", false),
      (.userinfo, "sub", "sub", "user-mallory"), (.userinfo, "no_sub", "sub", nil),
    ] as [(IssuerFault.Place, String, String, JSON?)])
  func `of a JSON answer changes one member`(
    place: IssuerFault.Place, fault: String, member: String, value: JSON?
  ) throws {
    let honest = try #require(try use(place)?.json)
    try issuer.control("break_\(place.rawValue)=\(fault)")
    let reply = try #require(try use(place))
    #expect(reply.json?[member] == value && reply.json?.object?.isEmpty == false)
    #expect(honest[member] != value)
  }

  @Test func `of a challenge changes where it points to`() throws {
    try issuer.control("break_resource=metadata")
    let challenge = try issuer.get("/resource")[header: "WWW-Authenticate"]
    #expect(challenge?.contains("resource_metadata=\"https://resource.invalid/") == true)
    try issuer.control("break_resource=no_metadata")
    #expect(try issuer.get("/resource")[header: "WWW-Authenticate"] == "Bearer realm=\"devissuer\"")
  }

  @Test(
    arguments: [
      ("empty", 0), ("mixed", 2), ("private", 1), ("weak", 1), ("several", 2), ("duplicate", 2), ("many", 2000),
    ])
  func `of the key set changes its keys`(fault: String, count: Int) throws {
    let name = try issuer.get("/jwks").json?["keys"]?.array?.first?["kid"]
    try issuer.control("break_jwks=\(fault)")
    let limits = JSONLimits(elements: 1 << 20)
    let keys = try #require(JSON(parsing: try issuer.get("/jwks").body, limits: limits)["keys"]?.array)
    #expect(keys.count == count)
    #expect(keys.allSatisfy { $0["kid"] == name } == !["mixed", "several"].contains(fault))
    #expect(keys.contains { $0["k"] != nil || $0["d"] != nil } == ["mixed", "private"].contains(fault))
  }

  @Test func `of header fields brings them twice, or by the thousand`() throws {
    func names(_ fault: String) throws -> [String] {
      try issuer.control("body=\(fault)&body_at=jwks&redirect_to=https://elsewhere.example/")
      return try issuer.get("/jwks").headers.map(\.name)
    }
    #expect(try names("two_types").count { $0 == "Content-Type" } == 2)
    #expect(try names("two_lengths").count { $0 == "Content-Length" } == 2)
    #expect(try names("two_locations").count { $0 == "Location" } == 2)
    #expect(try names("flood").count > 2000)
    #expect(try names("redirect").contains("Location"))
  }

  @Test func `of the content keeps to what it says`() throws {
    func reply(_ fault: String) throws -> Reply {
      try issuer.control("body=\(fault)&body_at=metadata")
      return try issuer.get("/.well-known/openid-configuration")
    }
    #expect(try reply("empty").body.isEmpty)
    #expect(try reply("html")[header: "Content-Type"] == "text/html")
    #expect(try reply("array").json?.array?.count == 1)
    #expect(try reply("error").json?["error"] == "server_error")
    let limits = JSONLimits(bytes: 4 << 20, depth: 200_000, stringBytes: 4 << 20)
    let huge = try reply("huge")
    #expect(huge.body.count > 2 << 20)
    #expect(try JSON(parsing: huge.body, limits: limits)["issuer"]?.string == issuer.issuer)
    #expect(try reply("deep").body.count { $0 == UInt8(ascii: "[") } > 100_000)
    let half = try reply("truncated")
    #expect(half[header: "Content-Length"].flatMap { Int($0) } ?? 0 >= 2 * half.body.count && half.json == nil)
  }

  @Test func `of the delivery can bring a byte at a time (RFC 9112 section 7.1)`() throws {
    let whole = try issuer.get("/jwks").body
    try issuer.control("body=crumbs&body_at=jwks")
    let socket = try UnixSocket.connectLoopback(port: issuer.port)
    try UnixSocket.setTimeouts(socket, seconds: 10)
    try socket.writeAll(Array("GET /jwks HTTP/1.1\r\nHost: 127.0.0.1:\(issuer.port)\r\n\r\n".utf8).span)
    let answer = String(decoding: try socket.readToEnd(limit: 1 << 20), as: UTF8.self)
    #expect(answer.contains("Transfer-Encoding: chunked\r\n") && !answer.contains("Content-Length"))
    let chunks = whole.map { "1\r\n\(Character(Unicode.Scalar($0)))\r\n" }.joined() + "0\r\n\r\n"
    #expect(answer.hasSuffix("\r\n\r\n" + chunks))
  }

  // RFC 1952 section 2.3.
  @Test func `of compression is small until it is inflated`() {
    #expect(CompressedBomb.bytes.count < 256 << 10)
    #expect(CompressedBomb.inflatedCount > 32 << 20)
    #expect(CompressedBomb.bytes.starts(with: [0x1F, 0x8B, 8]))
  }

  @Test func `of a lost answer comes after the request was carried out, and so often as is asked`() throws {
    let token = try #require(try signIn().refresh)
    try issuer.control("body=drop&body_at=token&times=1&reuse_leeway=30")
    var connection = try HTTPConnection(port: issuer.port)
    let form = "grant_type=refresh_token&client_id=agent-cli&refresh_token=\(token)"
    #expect(try connection.request("POST", "/token", body: form) == nil)
    #expect(try issuer.counter("refreshes") == 1)
    #expect(try issuer.refresh(token).status == 200)
  }
}
