import Encoding
import Crypto
import Testing

@Suite struct `Compact form of a token` {
  // RFC 7515 section 7.1: three parts.
  @Test(arguments: [
    ("", JOSEError(.notCompact)),
    ("..", JOSEError(.invalidHeader)),
    ("e30", JOSEError(.notCompact)),
    ("e30.e30", JOSEError(.notCompact)),
    ("e30.e30.AA.AA", JOSEError(.notCompact)),
    ("e30.e30.AA.AA.AA", JOSEError(.encrypted)),
    ("e30.e30.AA.AA.AA.AA", JOSEError(.notCompact)),
    (Samples.p256Token + ".AA", JOSEError(.notCompact)),
    (Samples.p256Token + ".AA.AA", JOSEError(.encrypted)),
    ("{}", JOSEError(.notCompact)),
    (#"{"payload":"e30","signatures":[]}"#, JOSEError(.notCompact)),
  ])
  func `another number of parts or the JSON form is refused`(text: String, error: JOSEError) {
    #expect(throws: error) { try parse(text) }
  }

  // RFC 7515 section 2: the URL-safe alphabet, no padding, no white space.
  @Test(arguments: ["=", "+", "/", " ", "\n", "\r", "\t", "\0", "é", "{", "\u{7f}"])
  func `a character that base64url does not use is refused wherever it is`(character: Character) {
    for token in [Samples.p256Token, Samples.edwardsToken] {
      for offset in [1, 10, token.count / 2, token.count] {
        var changed = token
        changed.insert(character, at: changed.index(changed.startIndex, offsetBy: offset))
        #expect(throws: JOSEError(.invalidCharacter)) { try parse(changed) }
      }
    }
  }

  @Test func `a token before or after white space is refused`() {
    #expect(throws: JOSEError(.invalidCharacter)) { try parse(Samples.p256Token + "\n") }
    #expect(throws: JOSEError(.invalidCharacter)) { try parse(" " + Samples.p256Token) }
  }

  // RFC 4648 section 3.5: the unused bits are zero.
  @Test func `stray bits and impossible lengths are refused in every part`() {
    let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
    for token in ["\(header).e30.AB", "\(header).e31.AQID", "\(header).e30.A", "\(header).e.AQID", "e.e30.AQID"] {
      #expect(throws: JOSEError(.invalidBase64URL)) { try parse(token) }
    }
    let headerWithBits = Base64URL.encode(Array(#"{"alg":"ES256" }"#.utf8)).dropLast() + "R"
    #expect(throws: JOSEError(.invalidBase64URL)) { try parse(headerWithBits + ".e30.AQID") }
  }

  @Test func `an empty signature is refused`() {
    let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
    #expect(throws: JOSEError(.emptySignature)) { try parse(header + ".e30.") }
  }

  @Test func `the longest token is read, a longer one is not`() throws {
    let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
    let payload = String(repeating: "A", count: 65_536 - header.utf8.count - ".".utf8.count - ".AQID".utf8.count)
    let longest = "\(header).\(payload).AQID"
    #expect(longest.utf8.count == UnverifiedJWS.maximumByteCount)
    #expect(try parse(longest).unverifiedPayload.count == payload.utf8.count * 3 / 4)
    #expect(throws: JOSEError(.tooLong)) { try parse(longest + "A") }
  }

  @Test func `a header of more than 8,192 bytes is refused`() throws {
    let overhead = #"{"alg":"ES256","x":""}"#.utf8.count
    func header(_ count: Int) -> String {
      #"{"alg":"ES256","x":""# + String(repeating: "y", count: count - overhead) + #""}"#
    }
    #expect(try parse(unsigned(header(8192))).algorithm == .ES256)
    #expect(throws: JOSEError(.tooLong)) { try parse(unsigned(header(8193))) }
  }

  @Test(arguments: [Samples.rsaToken, Samples.p256Token, Samples.p521Token, Samples.edwardsToken])
  func `a token cut short anywhere is never verified`(token: String) throws {
    let keys = JWKSet(try [Samples.rsaKey, Samples.p256Key, Samples.p521Key, Samples.edwardsKey].map { try JWK($0) })
    _ = try parse(token).verified(by: keys, algorithms: everyAlgorithm)
    for count in 0..<token.utf8.count {
      #expect(throws: JOSEError.self) {
        try parse(String(token.prefix(count))).verified(by: keys, algorithms: everyAlgorithm)
      }
    }
  }

  /// The result for a token: its header, or the error.
  private func verdict(on token: [UInt8], after last: UnverifiedJWS?) -> Result<[String], JOSEError> {
    Result { () throws(JOSEError) in
      let token = try UnverifiedJWS(compact: token.span, after: last)
      return [token.algorithm.rawValue, token.keyID ?? "-", "\(token.unverifiedPayload)", "\(token.header.names)"]
    }
  }

  @Test func `the token before changes no verdict, whether its header is the same or not`() throws {
    let first = Array(Samples.p256Token.utf8)
    let others = [Samples.rsaToken, Samples.p521Token, unsigned(#"{"alg":"ES256","kid":"k"}"#)].map { Array($0.utf8) }
    let befores = try (others + [first]).map { try UnverifiedJWS(compact: $0.span) }
    var tokens = others + [first, Array(first.dropLast(3)), first + Array(".AA".utf8), Array("e30.e30.AA.AA".utf8), []]
    for index in first.indices {
      var changed = first
      changed[index] ^= 1
      tokens += [changed, Array(first[...index])]
      changed[index] = UInt8(ascii: ".")
      tokens.append(changed)
    }
    for token in tokens {
      let alone = verdict(on: token, after: nil)
      for before in befores { #expect(verdict(on: token, after: before) == alone) }
    }
  }

  @Test(arguments: [Samples.rsaToken, Samples.p256Token, Samples.p521Token, Samples.edwardsToken])
  func `a token with one changed bit is never verified`(token: String) throws {
    let keys = JWKSet(try [Samples.rsaKey, Samples.p256Key, Samples.p521Key, Samples.edwardsKey].map { try JWK($0) })
    let bytes = Array(token.utf8)
    let last = try parse(token)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        for before in [nil, last] {
          #expect(throws: JOSEError.self) {
            try UnverifiedJWS(compact: changed.span, after: before).verified(by: keys, algorithms: everyAlgorithm)
          }
        }
      }
    }
  }
}
