import Crypto
import Encoding
import JOSE
import Platform
import Testing

@testable import devissuer

@Suite struct `What a hostile issuer sends` {
  private func header(_ token: String) throws -> JSON {
    try JSON(parsing: try Base64URL.decode(String(token.prefix { $0 != "." })))
  }

  private func claims(_ token: String) throws -> JSON {
    try JSON(parsing: try Base64URL.decode(String(token.split(separator: ".")[1])))
  }

  private func token(_ fault: String, _ issuer: TestIssuer) throws -> String {
    try issuer.control("break_id_token=\(fault)")
    return try #require(try issuer.signIn().id)
  }

  @Test(arguments: [("no_iss", "iss"), ("no_aud", "aud"), ("no_exp", "exp"), ("no_iat", "iat"), ("no_sub", "sub")])
  func `a claim can be missing`(fault: String, claim: String) throws {
    let found = try claims(try token(fault, TestIssuer()))
    let wanted: Set = ["iss", "aud", "exp", "iat", "sub", "auth_time", "at_hash"]
    let names = try #require(found.object?.names)
    #expect(wanted.subtracting(names) == [claim])
  }

  @Test(
    arguments: [
      ("second_aud", "aud", ["agent-cli", "another-client"]), ("aud_array", "aud", ["agent-cli"]),
      ("azp", "azp", "another-client"), ("exp_text", "exp", .string("\(TestIssuer.startSeconds + 3600)")),
      ("future_iat", "iat", .int(TestIssuer.startSeconds + 86_400)), ("nonce", "nonce", "another nonce"),
      ("events", "events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
    ] as [(String, String, JSON)])
  func `a claim can be another`(fault: String, claim: String, value: JSON) throws {
    #expect(try claims(try token(fault, TestIssuer()))[claim] == value)
  }

  // RFC 7515 section 4.1.
  @Test func `a header can be another`() throws {
    let issuer = try TestIssuer()
    #expect(try header(try token("no_kid", issuer)) == ["alg": "ES256", "typ": "JWT"])
    #expect(try header(try token("typ", issuer))["typ"] == "at+jwt")
    #expect(try header(try token("crit", issuer))["crit"]?.array?.count == 1)
    #expect(try header(try token("jku", issuer))["jku"] == .string(issuer.issuer + "/echo"))
    let embedded = try header(try token("jwk", issuer))
    #expect(embedded["jwk"]?["kty"] == "EC" && embedded["kid"] == nil)
    let published = try issuer.get("/jwks").json?["keys"]?.array?.first
    #expect(embedded["jwk"]?["x"] != published?["x"])
    #expect(try token("padded", issuer).hasSuffix("=="))
    #expect(try token("five_parts", issuer).split(separator: ".").count == 5)
  }

  @Test(arguments: [(JWSAlgorithm.RS256, "PS256"), (.PS256, "RS256"), (.ES256, "ES384"), (.ES384, "ES256")])
  func `a token can be signed with another algorithm`(algorithm: JWSAlgorithm, other: String) throws {
    let issuer = try TestIssuer { $0.algorithm = algorithm }
    let found = try header(try token("alg", issuer))
    #expect(found["alg"] == .string(other))
    #expect(found["kid"] == (try issuer.get("/jwks").json?["keys"]?.array?.first?["kid"]))
  }

  // RFC 8725 section 2.1.
  @Test func `a token can be authenticated with the published key as the secret`() throws {
    let issuer = try TestIssuer()
    let parts = try token("hs256", issuer).split(separator: ".")
    let key = try #require(try issuer.get("/jwks").json?["keys"]?.array?.first).serialized()
    let message = Array("\(parts[0]).\(parts[1])".utf8)
    #expect(Base64URL.encode(try HMAC.sha256(key: key.span, message.span)) == parts[2])
  }

  @Test(
    arguments: [
      ("empty", 0), ("mixed", 2), ("private", 1), ("weak", 1), ("several", 2), ("duplicate", 2), ("many", 2000),
    ])
  func `a key set can be wrong`(fault: String, count: Int) throws {
    let issuer = try TestIssuer()
    let name = try issuer.get("/jwks").json?["keys"]?.array?.first?["kid"]
    try issuer.control("break_jwks=\(fault)")
    let limits = JSONLimits(elements: 1 << 20)
    let keys = try #require(JSON(parsing: try issuer.get("/jwks").body, limits: limits)["keys"]?.array)
    #expect(keys.count == count)
    #expect(keys.allSatisfy { $0["kid"] == name } == !["mixed", "several"].contains(fault))
    #expect(keys.contains { $0["k"] != nil || $0["d"] != nil } == ["mixed", "private"].contains(fault))
  }

  @Test func `UserInfo can be about another user, or about none`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn()
    for (fault, subject) in [("sub", "user-mallory"), ("no_sub", nil), ("off", "user-alice")] {
      try issuer.control("break_userinfo=\(fault)")
      #expect(try issuer.get("/userinfo", bearer: tokens.access).json?["sub"]?.string == subject)
    }
  }

  @Test func `header fields can come twice, or by the thousand`() throws {
    let issuer = try TestIssuer()
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

  @Test func `an answer can come in chunks of a byte (RFC 9112 section 7.1)`() throws {
    let issuer = try TestIssuer()
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
  @Test func `a compressed answer is small until it is inflated`() {
    #expect(CompressedBomb.bytes.count < 256 << 10)
    #expect(CompressedBomb.inflatedCount > 32 << 20)
    #expect(CompressedBomb.bytes.starts(with: [0x1F, 0x8B, 8]))
  }
}
