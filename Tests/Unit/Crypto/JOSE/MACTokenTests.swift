import Crypto
import Encoding
import Testing

private func parseMAC(_ compact: String) throws(JOSEError) -> UnverifiedMAC {
  let bytes = Array(compact.utf8)
  return try UnverifiedMAC(compact: bytes.span)
}

private func verify(
  _ token: String, _ secret: [UInt8], _ algorithm: MACAlgorithm = .HS256, _ types: AllowedTypes = .optional(["JWT"])
) throws(JOSEError) -> VerifiedMAC {
  try parseMAC(token).verified(by: secret.span, algorithm: algorithm, allowedTypes: types)
}

private func make(_ header: String, _ secret: [UInt8], _ digest: Digest) throws -> String {
  let text = Base64URL.encode(Array(header.utf8)) + ".e30"
  let bytes = Array(text.utf8)
  return text + "." + Base64URL.encode(try HMAC.code(digest, key: secret.span, bytes.span))
}

@Suite struct `Tokens under a shared secret` {
  @Test func `RFC 7515 appendix A.1 and RFC 7520 section 4.4 verify`() throws {
    let first = try verify(CookbookSamples.shortMACToken, try Base64URL.decode(CookbookSamples.shortMACKey))
    #expect(try JWTClaims(payload: first.payload).issuer == "joe")
    #expect(first.header == ["typ": "JWT", "alg": "HS256"])
    let second = try verify(CookbookSamples.macToken, try Base64URL.decode(CookbookSamples.macKey))
    #expect(second.header["kid"] == "018c0ae5-4d9b-471b-bfd6-eef314bc7037")
  }

  @Test(arguments: [
    (CookbookSamples.shortMACToken, CookbookSamples.shortMACKey), (CookbookSamples.macToken, CookbookSamples.macKey),
  ])
  func `a code that is cut short or has a changed bit is never verified`(token: String, key: String) throws {
    let secret = try Base64URL.decode(key)
    let bytes = Array(token.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        #expect(throws: JOSEError.self) { try verify(String(decoding: changed, as: UTF8.self), secret) }
      }
      #expect(throws: JOSEError.self) { try verify(String(token.prefix(index)), secret) }
    }
    for index in secret.indices {
      var other = secret
      other[index] ^= 1
      #expect(throws: JOSEError(.badSignature)) { try verify(token, other) }
    }
  }

  // RFC 7518 section 3.2: at least as long as the hash.
  @Test(arguments: MACAlgorithm.allCases) func `a secret shorter than the hash is refused`(
    algorithm: MACAlgorithm
  ) throws {
    let secret = [UInt8](repeating: 7, count: algorithm.digest.byteCount)
    let header = #"{"alg":"\#(algorithm.rawValue)"}"#
    #expect(try verify(try make(header, secret, algorithm.digest), secret, algorithm).algorithm == algorithm)
    for short in [Array(secret.dropLast()), []] {
      let token = try make(header, short, algorithm.digest)
      #expect(throws: JOSEError(.weakKey)) { try verify(token, short, algorithm) }
    }
  }

  // RFC 8725 section 3.1: the token cannot choose the agreed algorithm.
  @Test func `another algorithm than the one agreed on is refused`() throws {
    let secret = [UInt8](repeating: 7, count: 64)
    let token = try make(#"{"alg":"HS512"}"#, secret, .sha512)
    #expect(throws: JOSEError(.algorithmNotAllowed)) { try verify(token, secret, .HS256) }
    for name in ["none", "hs256", "HS256 ", "RS256", "ES256"] {
      let code: JOSEError.Code = name == "none" ? .unsecured : .algorithmNotAllowed
      let token = try make(#"{"alg":"\#(name)"}"#, secret, .sha256)
      #expect(throws: JOSEError(code)) { try verify(token, secret) }
    }
  }

  // RFC 8725 section 2.1: the public key must not suffice to create a token.
  @Test func `a token under the bytes of a public key is refused`() throws {
    let set = Samples.set([Samples.rsaKey])
    let token = try make(#"{"alg":"HS256"}"#, set, .sha256)
    #expect(throws: JOSEError(.algorithmNotAllowed)) { try parse(token) }
    #expect(throws: JOSEError(.algorithmNotAllowed)) { try verify(Samples.rsaToken, set) }
  }

  @Test func `the form and the header have the rules of every token`() throws {
    let secret = [UInt8](repeating: 7, count: 32)
    for (header, code) in [
      (#"{"alg":"HS256","crit":["x"],"x":1}"#, JOSEError.Code.criticalHeader),
      (#"{"alg":"HS256","b64":true}"#, .criticalHeader),
      (#"{"alg":"HS256","alg":"HS256"}"#, .invalidHeader),
      (#"{"alg":"HS256","typ":"at+jwt"}"#, .wrongType),
      (#"{"alg":"HS256","jwk":{"kty":"oct","k":"AA"}}"#, .embeddedPrivateKey),
    ] {
      let token = try make(header, secret, .sha256)
      #expect(throws: JOSEError(code)) { try verify(token, secret) }
    }
    #expect(throws: JOSEError(.encrypted)) { try verify("a.b.c.d.e", secret) }
    #expect(throws: JOSEError(.emptySignature)) { try verify("eyJhbGciOiJIUzI1NiJ9.e30.", secret) }
  }
}
