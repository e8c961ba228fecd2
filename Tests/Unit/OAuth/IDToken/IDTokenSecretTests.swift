import Crypto
import Encoding
@testable import OAuth
import Testing
import Vocabulary

// OpenID Connect Core 1.0 section 3.1.3.7 step 8: the key is the UTF-8 text of the client secret.
@Suite struct `ID Tokens under the client secret` {
  private static let secretText = "a client secret of 32 bytes or more"

  private func make(_ claims: JSONObject, _ algorithm: MACAlgorithm, secret: String = secretText) throws -> String {
    let header: JSONObject = ["alg": .string(algorithm.rawValue)]
    let text = [JSON.object(header), .object(claims)].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
    let (key, message) = (Array(secret.utf8), Array(text.utf8))
    return text + "." + Base64URL.encode(try HMAC.code(algorithm.digest, key: key.span, message.span))
  }

  private func check(
    _ token: String, _ algorithm: MACAlgorithm = .HS256, clientSecret: String = secretText, _ accessToken: String? = nil
  ) throws -> IDToken {
    var expecting = IDTokenExpectation(
      issuer: try testIssuer(), clientID: "agent", accessToken: try accessToken.map(secret),
      algorithms: Set(JWSAlgorithm.allCases), now: now)
    expecting.secret = IDTokenSecret(algorithm: algorithm, secret: try secret(clientSecret))
    return try IDToken.verify(secret(token), keys: SigningKey.shared.get(.ES256).set, expecting: expecting)
  }

  @Test func `a good token is accepted where the account says so`() throws {
    let token = try check(make(goodClaims, .HS256))
    #expect(token.identity.subject == "alice" && token.algorithm.name == "HS256")
    #expect(throws: IDTokenError(.wrongAudience(isMissing: false))) { try check(make(with("aud", "other"), .HS256)) }
  }

  @Test func `no token under a key is accepted then`() throws {
    let token = try SigningKey.shared.get(.ES256).sign(goodClaims)
    #expect(throws: IDTokenError(.signature(.algorithmNotAllowed))) { try check(token) }
    #expect(throws: IDTokenError(.signature(.algorithmNotAllowed))) { try check(make(goodClaims, .HS512), .HS256) }
  }

  @Test func `a token under another secret or a short one is refused`() throws {
    #expect(throws: IDTokenError(.signature(.badSignature))) {
      try check(make(goodClaims, .HS256), clientSecret: Self.secretText + "!")
    }
    let short = String(repeating: "s", count: 31)
    #expect(throws: IDTokenError(.signature(.weakKey))) {
      try check(make(goodClaims, .HS256, secret: short), clientSecret: short)
    }
  }

  // RFC 8725 section 2.1.
  @Test func `a token under the issuer's public keys is refused where no secret is agreed on`() throws {
    let keys = try SigningKey.shared.get(.RS256).set
    let token = try make(goodClaims, .HS256, secret: String(decoding: keys.serialized(), as: UTF8.self))
    let expecting = IDTokenExpectation(
      issuer: try testIssuer(), clientID: "agent", algorithms: Set(JWSAlgorithm.allCases), now: now)
    #expect(throws: IDTokenError(.signature(.algorithmNotAllowed))) {
      try IDToken.verify(secret(token), keys: keys, expecting: expecting)
    }
  }

  // Section 3.1.3.6: the hash is that of the algorithm.
  @Test func `the hash of the access token is that of the algorithm`() throws {
    for algorithm in MACAlgorithm.allCases {
      let full = try algorithm.digest.hash(Array("at".utf8).span)
      let half = Base64URL.encode(Array(full.prefix(full.count / 2)))
      let key = String(repeating: "k", count: 64)
      let token = try make(with("at_hash", .string(half)), algorithm, secret: key)
      #expect(try check(token, algorithm, clientSecret: key, "at").algorithm == .secret(algorithm))
      #expect(throws: IDTokenError(.wrongHash(claim: "at_hash"))) {
        try check(token, algorithm, clientSecret: key, "other")
      }
    }
  }
}

// RFC 7519 section 4.1.4 allows small clock differences; a large one is a machine's fault.
@Suite struct `A wrong clock of this machine` {
  @Test func `is named when a time is wrong and the server's date differs`() throws {
    let faults: [TokenFault] = [
      .expired(at: 1), .issuedInFuture(at: 1), .notYetValid(until: 1), .authenticationTooOld,
    ]
    for error in faults.map(IDTokenError.init) {
      #expect(error.comparing(serverDate: now - 7200, now: now).clockAheadSeconds == 7200)
      #expect(error.comparing(serverDate: now + 61, now: now).clockAheadSeconds == -61)
      for near in [now - 60, now, now + 60] {
        #expect(error.comparing(serverDate: near, now: now) == error)
      }
      #expect(error.comparing(serverDate: nil, now: now) == error)
      #expect(error.comparing(serverDate: .min, now: now) == error)
    }
  }

  @Test func `is not named for another failure`() {
    for error in [IDTokenError(.wrongNonce), IDTokenError(.signature(.badSignature))] {
      #expect(error.comparing(serverDate: 0, now: now) == error)
    }
  }

  @Test func `is told with what helps`() {
    var error = OAuthError(IDTokenError(.expired(at: now)).comparing(serverDate: now - 7200, now: now))
    #expect(
      error.message
        == "the ID Token was rejected: it has expired; this machine's clock is 7200 seconds ahead of the server's")
    #expect(error.advice == "check this machine's clock")
    error = OAuthError(IDTokenError(.issuedInFuture(at: now)).comparing(serverDate: now + 90, now: now))
    #expect(
      error.message
        == "the ID Token was rejected: it is from the future; this machine's clock is 90 seconds behind the server's")
  }
}
