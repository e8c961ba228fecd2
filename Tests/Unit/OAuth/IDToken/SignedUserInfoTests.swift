import Crypto
import Encoding
@testable import OAuth
import Testing
import Vocabulary

// OpenID Connect Core 1.0 section 5.3.2 and 5.3.4.
@Suite struct `Signed UserInfo` {
  private static let claims: JSONObject = [
    "iss": .string(issuerText), "aud": "agent", "sub": "alice", "email": "a@as.example",
  ]

  /// The rules for the response; `fetched` are the keys that a fetch returns.
  private func rules(
    _ keys: JWKSet? = nil, fetched: JWKSet? = nil, required: Bool = false
  ) throws -> UserInfoRules {
    let known = try keys ?? SigningKey.shared.get(.ES256).set
    var sets = [known, fetched].compactMap(\.self)[...]
    return UserInfoRules(algorithms: [.ES256, .RS256], requiresSignature: required, now: now) { sets.popFirst() }
  }

  private func ask(_ answer: HTTPResponse, _ rules: UserInfoRules?, subject: String? = "alice") throws -> JSONObject {
    try testServer(ScriptedHTTP(answer)).fetchUserInfo(
      accessToken: secret("at"), expectedSubject: subject, rules: rules)
  }

  private func signed(_ claims: JSONObject, header: JSONObject = JSONObject()) throws -> HTTPResponse {
    try response(type: "application/jwt", SigningKey.shared.get(.ES256).sign(claims, header: header))
  }

  private func changing(_ name: String, _ value: JSON?) -> JSONObject {
    var claims = Self.claims
    claims[name] = value
    return claims
  }

  private func rejected(_ reason: Phrase) -> OAuthError { OAuthError(.userInfoRejected, .reason(reason)) }

  @Test func `a good answer is verified and read`() throws {
    #expect(try ask(signed(Self.claims), rules()) == Self.claims)
    #expect(try ask(signed(changing("aud", ["other", "agent"])), rules(required: true))["sub"] == "alice")
    let answer = try response(
      type: "Application/JWT; charset=utf-8", SigningKey.shared.get(.ES256).sign(Self.claims))
    #expect(try ask(answer, rules())["email"] == "a@as.example")
  }

  @Test func `an answer about anyone else is void, signed or not`() throws {
    #expect(throws: OAuthError(.userInfoMismatch, .endpoint(.userinfo))) {
      try ask(signed(changing("sub", "bob")), rules())
    }
    #expect(throws: expected(.malformedResponse, .member("sub", of: .endpoint(.userinfo)), status: 200)) {
      try ask(signed(changing("sub", nil)), rules())
    }
  }

  // Section 5.3.4: no downgrade.
  @Test func `a plain answer is refused where the client is registered for signed ones`() throws {
    let plain = try response(#"{"sub":"alice"}"#)
    #expect(throws: rejected("it is not signed")) { try ask(plain, rules(required: true)) }
    #expect(try ask(plain, rules())["sub"] == "alice")
  }

  @Test func `the issuer and the client are those of the account`() throws {
    // The issuer is optional: the key is one of its own (section 5.3.2 recommends it).
    #expect(try ask(signed(changing("iss", nil)), rules())["sub"] == "alice")
    for issuer: JSON? in [.string(issuerText + "/"), "https://evil.example"] {
      #expect(throws: rejected("it is from another issuer")) { try ask(signed(changing("iss", issuer)), rules()) }
    }
    for audience: JSON? in [nil, "other", ["other"]] {
      #expect(throws: rejected("it is for another client")) { try ask(signed(changing("aud", audience)), rules()) }
    }
    for (name, value) in [("iss", 1), ("aud", []), ("exp", "1"), ("nbf", true), ("iat", -1)] as [(String, JSON)] {
      #expect(throws: rejected("\(name) is malformed")) { try ask(signed(changing(name, value)), rules()) }
    }
  }

  // RFC 7519 sections 4.1.4 to 4.1.6, if the claims are present.
  @Test func `an answer out of its time is refused`() throws {
    #expect(throws: rejected("it has expired")) { try ask(signed(changing("exp", .int(now - 60))), rules()) }
    #expect(try ask(signed(changing("exp", .int(now - 59))), rules())["sub"] == "alice")
    #expect(throws: rejected("it is from the future")) { try ask(signed(changing("nbf", .int(now + 61))), rules()) }
    #expect(throws: rejected("it is from the future")) { try ask(signed(changing("iat", .int(now + 601))), rules()) }
  }

  @Test func `an answer out of its time names a wrong clock, where the server's date differs`() throws {
    // 60, 61 and 7200 seconds before ``now``, and 90 after it.
    let (near, far) = ("Tue, 14 Nov 2023 22:12:20 GMT", "Tue, 14 Nov 2023 22:12:19 GMT")
    let (earlier, later) = ("Tue, 14 Nov 2023 20:13:20 GMT", "Tue, 14 Nov 2023 22:14:50 GMT")
    let cases: [(claim: String, value: Int, date: String, reason: Phrase, clockAheadSeconds: Int?)] = [
      ("exp", now - 60, near, "it has expired", nil), ("exp", now - 60, far, "it has expired", 61),
      ("exp", now - 60, earlier, "it has expired", 7200), ("nbf", now + 61, later, "it is from the future", -90),
      ("iat", now + 601, later, "it is from the future", -90), ("aud", 1, later, "\("aud") is malformed", nil),
    ]
    let key = try SigningKey.shared.get(.ES256)
    for (claim, value, date, reason, clockAheadSeconds) in cases {
      let answer = try response(
        type: "application/jwt", headers: [("Date", date)], key.sign(changing(claim, .int(value))))
      var error = rejected(reason)
      error.clockAheadSeconds = clockAheadSeconds
      if clockAheadSeconds != nil { error.advice = "check this machine's clock" }
      #expect(throws: error) { try ask(answer, rules()) }
    }
  }

  // RFC 8725 sections 3.1, 3.11 and 3.12.
  @Test func `another algorithm, type or kind of token is refused`() throws {
    let other = try SigningKey.shared.get(.EdDSA)
    let answer = try response(type: "application/jwt", other.sign(Self.claims))
    #expect(throws: rejected("its signature algorithm is not accepted")) { try ask(answer, rules(other.set)) }
    for type in ["at+jwt", "dpop+jwt", "logout+jwt"] {
      #expect(throws: rejected("it is another kind of token")) {
        try ask(signed(Self.claims, header: ["typ": .string(type)]), rules())
      }
    }
    // A logout token has events. An ID Token contains the same claims about the user, and more.
    for claim in ["events", "nonce", "at_hash", "c_hash", "s_hash"] {
      #expect(throws: rejected("it must not have \(claim)")) { try ask(signed(changing(claim, "x")), rules()) }
    }
    for (body, code) in [
      ("", .notCompact), ("{}", .notCompact), (#"{"sub":"alice"}"#, .notCompact), ("a.b", .notCompact),
      ("eyJhbGciOiJFUzI1NiJ9.e30.AQID ", .invalidCharacter),
    ] as [(String, JOSEError.Code)] {
      #expect(throws: rejected(code.reason)) { try ask(response(type: "application/jwt", body), rules()) }
    }
    #expect(throws: rejected("it is encrypted, which is not supported")) {
      try ask(response(type: "application/jwt", "a.b.c.d.e"), rules())
    }
    for (name, reason) in [
      ("none", "it is not signed"), ("HS256", "its signature algorithm is not accepted"),
    ] as [(String, Phrase)] {
      let token = Base64URL.encode(Array(#"{"alg":"\#(name)"}"#.utf8)) + ".e30.AQID"
      #expect(throws: rejected(reason)) {
        try ask(response(type: "application/jwt", token), rules())
      }
    }
  }

  // Section 10.1.1: the keys may have changed.
  @Test func `keys are fetched once more when the known ones do not fit`() throws {
    let other = try SigningKey.shared.get(.RS256).set
    let right = try SigningKey.shared.get(.ES256).set
    #expect(try ask(signed(Self.claims), rules(other, fetched: right))["sub"] == "alice")
    let unknown = rejected("it was not signed with any usable key of the issuer")
    #expect(throws: unknown) { try ask(signed(Self.claims), rules(other, fetched: other)) }
    #expect(throws: unknown) { try ask(signed(Self.claims), rules(other)) }
    let replaced = try SigningKey(.generateEC(.p256), .ES256, "ec").set
    #expect(throws: rejected("its signature is invalid")) { try ask(signed(Self.claims), rules(replaced)) }
  }

  @Test func `an answer with a changed bit is refused`() throws {
    let key = try SigningKey.shared.get(.ES256)
    let good = Array(try key.sign(Self.claims).utf8)
    for index in good.indices {
      var changed = good
      changed[index] ^= 1
      let error = #expect(throws: OAuthError.self) {
        try ask(response(type: "application/jwt", bytes: changed), rules())
      }
      #expect(error?.code == .userInfoRejected)
    }
  }
}
