import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

@Suite struct `The rules for tokens of a kind` {
  private static let claims: [TokenProfile: JSONObject] = [
    .idToken: [
      "iss": .string(issuerText), "sub": "alice", "aud": "cli", "exp": .int(now + 300), "iat": .int(now), "nonce": "n",
    ],
    .accessToken: [
      "iss": .string(issuerText), "sub": "alice", "aud": ["api"], "exp": .int(now + 300), "iat": .int(now),
      "client_id": "cli", "jti": "1",
    ],
    .logoutToken: [
      "iss": .string(issuerText), "sub": "alice", "sid": "s", "aud": "cli", "exp": .int(now + 300), "iat": .int(now),
      "jti": "1", "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
    ],
  ]

  private static let types: [TokenProfile: String] = [
    .idToken: "JWT", .accessToken: "at+jwt", .logoutToken: "logout+jwt",
  ]

  /// Verifies a token with some claims changed, or removed if nil.
  private func verify(
    _ kind: TokenProfile?, as profile: TokenProfile? = nil, _ changes: [(String, JSON?)] = [],
    header: JSONObject? = nil, algorithm: JWSAlgorithm = .ES256, _ change: (inout TokenRules) -> Void = { _ in }
  ) throws {
    var claims = try #require(Self.claims[kind ?? .idToken])
    for (name, value) in changes { claims[name] = value }
    let key = try SigningKey.shared.get(algorithm)
    let type = Self.types[kind ?? .idToken].map { JSON.string($0) }
    let text = Array(try key.sign(claims, header: header ?? JSONObject([("typ", type ?? .null)])).utf8)
    var rules = TokenRules()
    rules.profile = profile ?? kind
    change(&rules)
    _ = try rules.verify(TokenRules.read(text.span), by: key.set, now: now)
  }

  private func fault(
    _ kind: TokenProfile?, as profile: TokenProfile? = nil, _ changes: [(String, JSON?)] = [],
    header: JSONObject? = nil, algorithm: JWSAlgorithm = .ES256, _ change: (inout TokenRules) -> Void = { _ in }
  ) throws -> TokenFault? {
    do { try verify(kind, as: profile, changes, header: header, algorithm: algorithm, change) } catch {
      return try #require(error as? TokenFault)
    }
    return nil
  }

  @Test(arguments: TokenProfile.allCases) func `let one through, and no token of another kind`(
    kind: TokenProfile
  ) throws {
    try verify(kind)
    for other in TokenProfile.allCases where other != kind { #expect(try fault(kind, as: other) != nil) }
  }

  @Test func `take no token of another kind for its type alone`() throws {
    let jwt: JSONObject = ["typ": "JWT"]
    #expect(try fault(.logoutToken, as: .idToken, header: jwt) == .logoutToken(claim: "events"))
    #expect(try fault(.logoutToken, as: .idToken, [("exp", nil)], header: jwt) == .logoutToken(claim: "exp"))
    #expect(try fault(.idToken, as: .logoutToken, header: jwt) == .missingClaim("jti"))
    #expect(try fault(.idToken, as: .accessToken, header: ["typ": "at+jwt"]) == .missingClaim("client_id"))
    #expect(try fault(.accessToken, as: .idToken, header: ["typ": "at+jwt"]) == .signature(.wrongType))
  }

  // OpenID Connect Core 1.0 section 2, RFC 9068 section 2.2, OpenID Connect Back-Channel Logout 1.0 section 2.4.
  @Test(arguments: [
    (TokenProfile.idToken, ["iss", "sub", "aud", "exp", "iat"]),
    (.accessToken, ["iss", "sub", "aud", "exp", "iat", "client_id", "jti"]),
    (.logoutToken, ["iss", "aud", "exp", "iat", "jti", "events"]),
  ])
  func `demand the claims of the kind`(kind: TokenProfile, names: [String]) throws {
    for name in names { #expect(try fault(kind, [(name, nil)]) == .missingClaim(name)) }
    for name in names where name != "events" && name != "exp" && name != "iat" {
      #expect(try fault(kind, [(name, 1)]) == .malformedClaim(name))
    }
  }

  @Test func `demand the type of an access token, and none of the others`() throws {
    try verify(.accessToken, header: ["typ": "application/AT+JWT"])
    for header: JSONObject in [[:], ["typ": "JWT"]] {
      #expect(try fault(.accessToken, header: header) == .signature(.wrongType))
      try verify(.idToken, header: header)
      try verify(.logoutToken, header: header)
    }
  }

  @Test func `demand of a logout token whom it is about, the event, and no nonce`() throws {
    try verify(.logoutToken, [("sub", nil)])
    try verify(.logoutToken, [("sid", nil)])
    #expect(try fault(.logoutToken, [("sub", nil), ("sid", nil)]) == .missingClaim("sub, sid"))
    #expect(try fault(.logoutToken, [("nonce", "n")]) == .unexpectedClaim("nonce"))
    for events: JSON in [[:], ["http://schemas.openid.net/event/other": [:]], "x", []] {
      #expect(try fault(.logoutToken, [("events", events)]) == .malformedClaim("events"))
    }
    let text: JSON = ["http://schemas.openid.net/event/backchannel-logout": true]
    #expect(try fault(.logoutToken, [("events", text)]) == .malformedClaim("events"))
    try verify(.logoutToken, [("exp", nil)]) { $0.requiresExpiry = false }
  }

  // OpenID Connect Core 1.0 section 3.1.3.7, steps 3 to 5.
  @Test func `take an ID Token for no audience but those that are named`() throws {
    func fault(_ aud: JSON, azp: JSON? = nil, _ audiences: [String]) throws -> TokenFault? {
      try self.fault(.idToken, [("aud", aud), ("azp", azp)]) { $0.audiences = audiences }
    }
    #expect(try fault("cli", ["cli"]) == nil)
    #expect(try fault("cli", ["other", "cli"]) == nil)
    #expect(try fault("cli", ["other"]) == .wrongAudience(isMissing: false))
    #expect(try fault(["cli", "api"], azp: "cli", ["cli"]) == .untrustedAudience([]))
    #expect(try fault(["cli", "api"], azp: "cli", ["cli", "api"]) == nil)
    #expect(try fault(["cli", "api"], ["cli", "api"]) == .missingClaim("azp"))
    #expect(try fault("cli", azp: "api", ["cli"]) == .wrongAuthorizedParty)
    #expect(try fault(["cli", "cli"], ["cli"]) == nil)
    #expect(try fault(["cli", "api"], []) == nil)
    // For other tokens, one matching audience is enough.
    try verify(.accessToken, [("aud", ["api", "more"])]) { $0.audiences = ["x", "api"] }
  }

  @Test func `take the algorithms that the issuer announces`() throws {
    func fault(_ profile: TokenProfile?, _ announced: [String], named: Bool = false) throws -> TokenFault? {
      try self.fault(profile) {
        $0.hasChosenAlgorithms = named
        $0.restrictAlgorithms(toAnnounced: announced)
      }
    }
    let refused = TokenFault.signature(.algorithmNotAllowed)
    for profile: TokenProfile? in [.idToken, .logoutToken, nil] {
      #expect(try fault(profile, ["RS256"]) == refused)
      #expect(try fault(profile, ["HS256", "x"]) == refused)
      #expect(try fault(profile, ["RS256", "ES256"]) == nil)
    }
    for profile in [TokenProfile.idToken, .logoutToken] {
      #expect(try fault(profile, []) == refused)
      #expect(try fault(profile, ["RS256"], named: true) == refused)
    }
    #expect(try self.fault(.idToken, algorithm: .RS256) { $0.restrictAlgorithms(toAnnounced: []) } == nil)
    // Metadata do not cover access tokens; the caller's algorithms are enough for any token.
    #expect(try fault(.accessToken, ["RS256"]) == nil)
    #expect(try fault(nil, ["RS256"], named: true) == nil)
    #expect(try fault(nil, []) == nil)
  }

  // MARK: Requirements of the caller

  @Test func `demand what the caller requires`() throws {
    try verify(nil) { $0.requiredClaims = ["sub", "nonce"] }
    #expect(try fault(nil) { $0.requiredClaims = ["sub", "email"] } == .missingClaim("email"))
    #expect(try fault(nil, [("email", .null)]) { $0.requiredClaims = ["email"] } == .missingClaim("email"))
    #expect(try fault(nil, [("exp", nil)]) { $0.requiredClaims = ["sub"] } == .missingClaim("exp"))
  }

  private static let comparisons: [(String, JSON, Bool)] = [
    ("text=o/r", "o/r", true), ("text=o/", "o/r", false), ("text=O/r", "o/r", false),
    ("a=b=c", "b=c", true), ("empty=", "", true), ("é=e\u{301}", "é", false), ("n=7", 7, true), ("n=7.0", 7, true),
    ("n=70e-1", 7, true), ("n=8", 7, false), ("n=07", 7, false), ("n=", 7, false), ("n=7", "7", true),
    ("n=0.5", number("0.50"), true),
    ("n=1e400", number("2e400"), false),
    ("n=9007199254740993.5", number("9007199254740993.25"), false),
    ("flag=true", true, true), ("flag=false", true, false), ("flag=1", true, false), ("flag=true", "true", true),
    ("list=a", ["b", "a"], true), ("list=a", ["b", ["a"]], false), ("list=7", ["b", 7], true), ("list=c", ["b"], false),
    ("list=[\"a\",\"b\"]", ["a", "b"], true), ("list=[\"a\"]", ["a", "b"], false), ("list=", [], false),
    ("object={\"a\":1}", ["a": 1], true), ("object={\"a\":2}", ["a": 1], false), ("object=a", ["a": 1], false),
  ]

  private static func number(_ text: String) -> JSON { (try? JSON(parsing: Array(text.utf8))) ?? .null }

  @Test(arguments: comparisons)
  func `compare a claim as its type demands`(text: String, value: JSON, holds: Bool) throws {
    let demand = try #require(ClaimRequirement(text))
    let expected: TokenFault? = holds ? nil : .wrongValue(demand)
    #expect(try fault(nil, [(demand.name, value)]) { $0.claimRequirements = [demand] } == expected)
  }

  @Test func `take a claim that is missing for none`() throws {
    let demand = try #require(ClaimRequirement("repository=null"))
    #expect(try fault(nil) { $0.claimRequirements = [demand] } == .missingClaim("repository"))
    #expect(try fault(nil, [("repository", .null)]) { $0.claimRequirements = [demand] } == .missingClaim("repository"))
    #expect(ClaimRequirement("name") == nil && ClaimRequirement("=value") == nil && ClaimRequirement("") == nil)
    // All requirements must be met.
    let requirements = try ["groups=a", "groups=b"].map { try #require(ClaimRequirement($0)) }
    try verify(nil, [("groups", ["a", "b"])]) { $0.claimRequirements = requirements }
    #expect(try fault(nil, [("groups", ["a"])]) { $0.claimRequirements = requirements } == .wrongValue(requirements[1]))
  }

  @Test func `say what they did not compare`() {
    var rules = TokenRules()
    #expect(rules.uncheckedClaims == ["iss", "aud"])
    rules.issuer = issuerText
    rules.audiences = ["cli"]
    #expect(rules.uncheckedClaims == [])
    rules.isSignatureOnly = true
    #expect(rules.uncheckedClaims == ["iss", "aud", "exp", "nbf", "iat"])
  }
}
