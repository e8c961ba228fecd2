import Crypto
import Encoding
import OAuth
import Testing

// RFC 9110 section 11.6.1.
@Suite struct `Challenges` {
  private func challenges(_ values: String...) -> [Challenge] {
    Challenge.all(in: HTTPHeaders(values.map { ("WWW-Authenticate", $0) }))
  }

  @Test func `are read from one header and from several`() {
    for found in [
      challenges(#"Basic realm="a, b", BEARER error="invalid_token" , scope="x y",DPoP algs="ES256""#),
      challenges(#"Basic realm="a, b""#, #"Bearer error="invalid_token",,scope="x y""#, #"dpop  algs = "ES256""#),
    ] {
      #expect(found.map(\.scheme) == ["basic", "bearer", "dpop"])
      #expect(found[0]["realm"] == "a, b")
      #expect(found[1]["error"] == "invalid_token")
      #expect(found[1]["scope"] == "x y")
      #expect(found[1]["realm"] == nil)
      #expect(found[2]["algs"] == "ES256")
    }
  }

  @Test func `may have no parameters or one token`() {
    let found = challenges(#"Basic, Negotiate abc==, Bearer, NTLM a=, Digest realm=plain"#)
    #expect(found.map(\.scheme) == ["basic", "negotiate", "bearer", "ntlm", "digest"])
    #expect(found.last?["realm"] == "plain")
  }

  // Not allowed by RFC 9110, but common.
  @Test func `are read whole where a value should have quotes and has none`() {
    let found = challenges(
      "Bearer resource_metadata=https://a.example/.well-known/x?y=1, scope=files:read error=invalid_token, Negotiate ab=="
    )
    #expect(found.map(\.scheme) == ["bearer", "negotiate"])
    #expect(found[0]["resource_metadata"] == "https://a.example/.well-known/x?y=1")
    #expect(found[0]["scope"] == "files:read" && found[0]["error"] == "invalid_token")
    #expect(verdictScopes("Bearer error=insufficient_scope,scope=files:read") == .insufficientScope(["files:read"]))
  }

  private func verdictScopes(_ challenge: String) -> ResourceVerdict {
    ResourceVerdict(ResourceHead(status: 403, headers: HTTPHeaders([("WWW-Authenticate", challenge)])), sent: [])
  }

  @Test func `may quote anything`() {
    #expect(challenges(#"Bearer realm="a\"b\\c, Basic realm=x", error="e""#).first?["error"] == "e")
    #expect(challenges(#"Bearer realm="a\"b\\c""#).first?["realm"] == #"a"b\c"#)
  }

  @Test func `take the first of equal names, without regard to case`() {
    #expect(challenges(#"Bearer Error="a", error="b""#).first?["error"] == "a")
  }

  @Test func `that are cut off at any byte do no harm`() {
    let whole = Array(#"Basic realm="a\"b", Bearer error="invalid_token", scope="x" , Negotiate ab==, DPoP algs="#.utf8)
    // A value is read from its closing quote on, and never in part.
    let values = [("realm", #"a"b"#, 18), ("error", "invalid_token", 48), ("scope", "x", 59)]
    for end in 0...whole.count {
      let found = challenges(String(decoding: whole[..<end], as: UTF8.self))
      for (name, value, length) in values {
        #expect(found.compactMap { $0[name] } == (end < length ? [] : [value]), "\(name) at \(end)")
      }
    }
  }

  @Test func `have limits`() {
    #expect(challenges(String(repeating: "A, ", count: 10_000)).count == 8)
    let many = "Bearer " + (0..<1000).map { "p\($0)=v" }.joined(separator: ", ")
    #expect(challenges(many).first?["p31"] == "v")
    #expect(challenges(many).first?["p32"] == nil)
  }
}

@Suite struct `What an answer says of the token` {
  private func verdict(_ status: Int, _ challenge: String? = nil) -> ResourceVerdict {
    ResourceVerdict(
      ResourceHead(status: status, headers: HTTPHeaders(challenge.map { [("WWW-Authenticate", $0)] } ?? [])), sent: [])
  }

  // RFC 6750 section 3.1: a 401 without an error is treated like `invalid_token`.
  @Test func `is that it is refused, for any other 401`() {
    let refused = ResourceVerdict.refused(scopes: [])
    #expect(verdict(401) == refused)
    #expect(verdict(401, #"Bearer error="invalid_token""#) == refused)
    #expect(verdict(401, #"Basic realm="x", scope="read""#) == refused)
    #expect(verdict(401, "garbage \u{1}") == refused)
    #expect(verdict(401, #"Bearer error="invalid_token", scope="read write""#) == .refused(scopes: ["read", "write"]))
    #expect(verdict(401, #"DPoP algs="ES256", scope="read""#) == .refused(scopes: ["read"]))
  }

  // Microsoft Entra's claims challenge, in base64.
  @Test func `is what claims are missing, as plain JSON or in base64`() {
    let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
    let encoded = "eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6eyJlc3NlbnRpYWwiOnRydWUsInZhbHVlIjoiYzEifX19"
    for value in [
      encoded, encoded + "==",
      claims.split(separator: #"""#, omittingEmptySubsequences: false).joined(separator: #"\""#),
    ] {
      #expect(
        verdict(401, #"Bearer error="insufficient_claims", claims="\#(value)""#)
          == .insufficientClaims(RequestedClaims(claims)))
    }
    for value in ["", "bm8", "{"] {
      #expect(verdict(401, #"Bearer error="insufficient_claims", claims="\#(value)""#) == .insufficientClaims(nil))
    }
    #expect(verdict(403, #"Bearer error="insufficient_claims""#) == .insufficientClaims(nil))
  }

  @Test(arguments: [200, 204, 301, 400, 404, 500]) func `is nothing for other statuses`(status: Int) {
    #expect(verdict(status, #"Bearer error="insufficient_scope""#) == .none)
  }

  // RFC 6750 section 3.1.
  @Test func `is that a scope is missing`() {
    #expect(verdict(403) == .none)
    #expect(verdict(403, #"Bearer error="insufficient_scope""#) == .insufficientScope([]))
    #expect(
      verdict(403, #"Basic realm="x", Bearer error="insufficient_scope", scope="a  b""#)
        == .insufficientScope(["a", "b"]))
  }

  private static let token = "at+9sLw2c/4bVtq1~Gk3mT8"

  /// The token, its end, its halves, in hexadecimal digits, reversed, and in pieces that a terminal joins.
  private static let echoes: [String] = {
    let parts = [token, String(token.suffix(8)), String(token.prefix(11)), String(token.suffix(12))]
    let hex = parts.map { $0.utf8.map { String($0, radix: 16) }.joined() }
    return parts + hex + parts.map { String($0.reversed()) } + [
      "\(token.suffix(8).prefix(4))\u{200B}\(token.suffix(4))"
    ]
  }()

  private func verdict(_ status: Int, header: String, _ value: String) throws -> ResourceVerdict {
    let secret = SharedSecret(try SecretBytes(copying: Array(Self.token.utf8).span))
    return ResourceVerdict(
      ResourceHead(status: status, headers: HTTPHeaders([(header, value)])), sent: [secret])
  }

  @Test(arguments: echoes) func `is not in words that repeat a part of it`(echo: String) throws {
    func challenged(_ words: String) throws -> ResourceVerdict {
      try verdict(401, header: "WWW-Authenticate", "Bearer \(words)")
    }
    #expect(try challenged(#"error="insufficient_scope", scope="a x\#(echo)""#) == .insufficientScope([]))
    #expect(
      try challenged(#"error="insufficient_user_authentication", acr_values="gold \#(echo)", max_age="5""#)
        == .insufficientAuthentication(acrValues: [], maxAgeSeconds: 5))
    let claims = #"{"a":"x\#(echo)"}"#
    let escaped = claims.split(separator: #"""#, omittingEmptySubsequences: false).joined(separator: #"\""#)
    for text in [escaped, Base64.encode(Array(claims.utf8)), Base64URL.encode(Array(claims.utf8))] {
      #expect(
        try challenged(#"error="insufficient_claims", claims="\#(text)""#) == .insufficientClaims(nil), "\(text)")
    }
    #expect(
      try verdict(302, header: "Location", "https://other.example/\(echo)/x?q=1") == .redirected(to: nil))
  }

  @Test func `is where the resource is, without what may grant access there`() throws {
    for status in [301, 303, 308] {
      #expect(
        try verdict(status, header: "Location", "https://other.example/\u{1B}a?signature=1#x")
          == .redirected(to: "https://other.example/a"))
    }
    #expect(try verdict(200, header: "Location", "https://other.example/a") == .none)
    #expect(try verdict(302, header: "X-Location", "https://other.example/a") == .none)
  }

  // RFC 9470 section 3.
  @Test func `is that another sign-in is wanted`() {
    #expect(
      verdict(401, #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="5""#)
        == .insufficientAuthentication(acrValues: ["gold", "silver"], maxAgeSeconds: 5))
    #expect(
      verdict(401, #"DPoP error="insufficient_user_authentication", max_age="-1""#)
        == .insufficientAuthentication(acrValues: [], maxAgeSeconds: nil))
  }
}
