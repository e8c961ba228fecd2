import Crypto
import Encoding
import Testing

@testable import devissuer

extension TestIssuer {
  fileprivate func poll(_ device: Device, _ proof: String...) throws -> Reply {
    try post(
      "/token",
      "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=\(device.deviceCode)&client_id=agent-cli",
      headers: proof.map { "DPoP: \($0)" })
  }

  fileprivate func approvedDevice() throws -> Device {
    let device = try authorizeDevice()
    try control("approve=\(device.userCode)")
    return device
  }

  fileprivate func signIn(_ prover: Prover) throws -> Tokens {
    try tokens(of: poll(approvedDevice(), prover.proof("POST", issuer + "/token")))
  }

  fileprivate func refresh(_ token: String, proof: String?) throws -> Reply {
    try post(
      "/token", "grant_type=refresh_token&refresh_token=\(token)&client_id=agent-cli",
      headers: proof.map { ["DPoP: \($0)"] } ?? [])
  }

  fileprivate func get(_ path: String, token: String, scheme: String = "DPoP", proof: String...) throws -> Reply {
    try get(path, headers: ["Authorization: \(scheme) \(token)"] + proof.map { "DPoP: \($0)" })
  }
}

// RFC 9449.
@Suite struct `Proofs of possession` {
  @Test func `are announced with their algorithms (section 5.1)`() throws {
    let names = try TestIssuer().get("/.well-known/openid-configuration").json?["dpop_signing_alg_values_supported"]
    #expect(names == ["ES256", "ES384", "ES512", "PS256", "RS256", "EdDSA", "Ed25519"])
  }

  @Test(arguments: [JWSAlgorithm.ES256, .ES384, .EdDSA, .PS256])
  func `bind the access token to their key (sections 5 and 6)`(algorithm: JWSAlgorithm) throws {
    let issuer = try TestIssuer()
    let key: Prover =
      switch algorithm {
      case .ES384: try Prover(.generateEC(.p384), algorithm)
      case .EdDSA: try Prover(.generate(.ed25519), algorithm)
      case .PS256: try Prover(.generateRSA(bits: 2048), algorithm)
      default: try Prover()
      }
    let tokens = try issuer.signIn(key)
    #expect(tokens.json["token_type"] == "DPoP")
    for path in ["/resource", "/userinfo"] {
      let proof = try key.proof("GET", issuer.issuer + path, token: tokens.access)
      #expect(try issuer.get(path, token: tokens.access, proof: proof).status == 200)
    }
    let introspected = try issuer.post(
      "/introspect", "token=\(tokens.access)&client_id=agent-confidential&client_secret=s3cret%3Awith%2Bsigns"
    ).json
    #expect(introspected?["token_type"] == "DPoP")
    #expect(introspected?["cnf"] == ["jkt": .string(key.jwk.thumbprint())])
  }

  @Test func `are not needed, and then tokens are not bound`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn()
    #expect(tokens.json["token_type"] == "Bearer")
    // RFC 9449 section 7.2: such a token is not accepted with the scheme DPoP.
    let proof = try Prover().proof("GET", issuer.issuer + "/resource", token: tokens.access)
    #expect(try issuer.get("/resource", token: tokens.access, proof: proof).status == 401)
  }

  @Test func `can be required`() throws {
    let issuer = try TestIssuer("--dpop-required")
    let device = try issuer.approvedDevice()
    #expect(try issuer.poll(device).failure == "400 invalid_dpop_proof")
    let key = try Prover()
    #expect(try issuer.poll(device, key.proof("POST", issuer.issuer + "/token")).status == 200)
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var header: JSONObject = [:]
    var claims: JSONObject = [:]
    var method = "POST"
    var path = "/token"
  }

  // Section 4.3, in its order.
  @Test(arguments: [
    Wrong(testDescription: "typ", header: ["typ": "JWT"]), Wrong(testDescription: "no typ", header: ["typ": .null]),
    Wrong(testDescription: "no key", header: ["jwk": .null]),
    Wrong(testDescription: "a key that is none", header: ["jwk": ["kty": "EC"]]),
    Wrong(testDescription: "no jti", claims: ["jti": .null]), Wrong(testDescription: "short jti", claims: ["jti": "x"]),
    Wrong(testDescription: "no htm", claims: ["htm": .null]), Wrong(testDescription: "htm", method: "GET"),
    Wrong(testDescription: "htm in small letters", method: "post"), Wrong(testDescription: "htu", path: "/resource"),
    Wrong(testDescription: "htu with a query", path: "/token?x"),
    Wrong(testDescription: "no htu", claims: ["htu": .null]),
    Wrong(testDescription: "no iat", claims: ["iat": .null]),
    Wrong(testDescription: "iat too old", claims: ["iat": .int(TestIssuer.startSeconds - 61)]),
    Wrong(testDescription: "iat too new", claims: ["iat": .int(TestIssuer.startSeconds + 61)]),
    Wrong(testDescription: "iat of no clock", claims: ["iat": .int(.max)]),
  ])
  func `are refused when they are wrong`(wrong: Wrong) throws {
    let issuer = try TestIssuer()
    let key = try Prover()
    let proof = try key.proof(
      wrong.method, issuer.issuer + wrong.path, header: wrong.header, claims: wrong.claims)
    let device = try issuer.approvedDevice()
    #expect(try issuer.poll(device, proof).failure == "400 invalid_dpop_proof")
    #expect(try issuer.counter("proof_refusals") == 1)
    // Nothing was spent.
    #expect(try issuer.poll(device, key.proof("POST", issuer.issuer + "/token")).status == 200)
  }

  @Test func `are refused with another signature, a private key, or twice in a request`() throws {
    let issuer = try TestIssuer()
    let (key, other) = (try Prover(), try Prover())
    let device = try issuer.approvedDevice()
    let url = issuer.issuer + "/token"
    var jwk = key.jwk.requiredMembers
    let forged = try other.proof("POST", url, header: ["jwk": .object(jwk)])
    jwk["d"] = "AAAA"
    let embedded = try key.proof("POST", url, header: ["jwk": .object(jwk)])
    for proof in [forged, embedded, "no.jwt.atall", ""] {
      #expect(try issuer.poll(device, proof).failure == "400 invalid_dpop_proof")
    }
    #expect(
      try issuer.poll(device, key.proof("POST", url), key.proof("POST", url)).failure == "400 invalid_dpop_proof")
  }

  @Test func `are good once (section 11.1)`() throws {
    let issuer = try TestIssuer()
    let key = try Prover()
    let proof = try key.proof("POST", issuer.issuer + "/token")
    let device = try issuer.authorizeDevice()
    #expect(try issuer.poll(device, proof).failure == "400 authorization_pending")
    #expect(try issuer.poll(device, proof).failure == "400 invalid_dpop_proof")
    #expect(try issuer.counter("proof_replays") == 1)
  }

  @Test func `bind the refresh token of a public client (section 5)`() throws {
    let issuer = try TestIssuer()
    let (key, other) = (try Prover(), try Prover())
    let url = issuer.issuer + "/token"
    let refresh = try #require(try issuer.signIn(key).refresh)
    #expect(try issuer.refresh(refresh, proof: nil).failure == "400 invalid_grant")
    #expect(try issuer.refresh(refresh, proof: other.proof("POST", url)).failure == "400 invalid_grant")
    let renewed = try issuer.tokens(of: issuer.refresh(refresh, proof: key.proof("POST", url)))
    #expect(renewed.json["token_type"] == "DPoP")
    #expect(try issuer.counter("reuse_detected") == 0)
  }

  // Sections 7.1 and 7.2.
  @Test func `go with their token and no other way`() throws {
    let issuer = try TestIssuer()
    let (key, other) = (try Prover(), try Prover())
    let token = try issuer.signIn(key).access
    let url = issuer.issuer + "/resource"
    let good = try key.proof("GET", url, token: token)
    #expect(try issuer.get("/resource", token: token).status == 401)
    #expect(try issuer.get("/resource", token: token, scheme: "Bearer", proof: good).status == 401)
    #expect(try issuer.get("/resource", token: token, scheme: "Bearer").status == 401)
    for proof in [
      try other.proof("GET", url, token: token), try key.proof("GET", url), try key.proof("GET", url, token: "other"),
      try key.proof("POST", url, token: token), try key.proof("GET", issuer.issuer + "/userinfo", token: token),
    ] {
      let reply = try issuer.get("/resource", token: token, proof: proof)
      #expect(reply.status == 401)
      #expect(
        reply[header: "WWW-Authenticate"]?.contains(#", error="invalid_dpop_proof""#) == true)
    }
    #expect(try issuer.get("/resource?x=1", token: token, scheme: "dpop", proof: good).status == 200)
  }
}

// RFC 9449 section 10.
@Suite struct `A code with a proof` {
  private let issuer: TestIssuer
  private let key: Prover

  init() throws {
    issuer = try TestIssuer.approving()
    key = try Prover()
  }

  private func redeem(_ code: String, _ key: Prover?) throws -> Reply {
    let proof = try key.map { "DPoP: \(try $0.proof("POST", issuer.issuer + "/token"))" }
    return try issuer.redeem(code, headers: proof.map { [$0] } ?? [])
  }

  @Test func `gives bound tokens`() throws {
    let tokens = try issuer.tokens(of: redeem(try issuer.code(), key))
    #expect(tokens.json["token_type"] == "DPoP")
  }

  @Test func `is good only with the key that the request named`() throws {
    let bound = ["dpop_jkt": Optional(key.jwk.thumbprint())]
    #expect(try redeem(try issuer.code(bound), Prover()).failure == "400 invalid_dpop_proof")
    #expect(try redeem(try issuer.code(bound), nil).failure == "400 invalid_dpop_proof")
    #expect(try redeem(try issuer.code(bound), key).status == 200)
  }

  @Test func `is not used up when a nonce is asked for`() throws {
    try issuer.control("dpop_nonce=on")
    let code = try issuer.code()
    let asked = try redeem(code, key)
    #expect(asked.failure == "400 use_dpop_nonce")
    let nonce = asked[header: "DPoP-Nonce"]
    let proof = try key.proof("POST", issuer.issuer + "/token", nonce: nonce)
    #expect(try issuer.redeem(code, headers: ["DPoP: \(proof)"]).status == 200)
  }
}

// RFC 9449 sections 8 and 9.
@Suite struct `Nonces for proofs` {
  private let key: Prover
  private let issuer: TestIssuer

  init() throws {
    key = try Prover()
    issuer = try TestIssuer("--dpop-nonce")
  }

  /// Polls until approved, and returns the response.
  private func signIn() throws -> Reply {
    let device = try issuer.approvedDevice()
    let asked = try issuer.poll(device, try key.proof("POST", issuer.issuer + "/token"))
    #expect(asked.failure == "400 use_dpop_nonce")
    let nonce = try #require(asked[header: "DPoP-Nonce"])
    return try issuer.poll(device, try key.proof("POST", issuer.issuer + "/token", nonce: nonce))
  }

  private func get(_ token: String, nonce: String?) throws -> Reply {
    try issuer.get(
      "/resource", token: token, proof: key.proof("GET", issuer.issuer + "/resource", token: token, nonce: nonce))
  }

  @Test func `are asked for, taken, and replaced by the answer`() throws {
    let reply = try signIn()
    let refresh = try #require(try issuer.tokens(of: reply).refresh)
    let next = try #require(reply[header: "DPoP-Nonce"])
    let renewed = try issuer.refresh(
      refresh, proof: key.proof("POST", issuer.issuer + "/token", nonce: next))
    #expect(renewed.status == 200)
    #expect(renewed[header: "DPoP-Nonce"] != next)
  }

  @Test func `of the token endpoint are none of the resource's`() throws {
    let reply = try signIn()
    let token = try issuer.tokens(of: reply).access
    let asked = try get(token, nonce: reply[header: "DPoP-Nonce"])
    #expect(asked.status == 401)
    #expect(asked[header: "WWW-Authenticate"]?.contains(#"error="use_dpop_nonce""#) == true)
    let good = try get(token, nonce: asked[header: "DPoP-Nonce"])
    #expect(good.status == 200 && good[header: "DPoP-Nonce"] != nil)
  }

  @Test func `that were replaced are taken no more, but for the last`() throws {
    let token = try issuer.tokens(of: try signIn()).access
    let first = try #require(try get(token, nonce: nil)[header: "DPoP-Nonce"])
    let second = try #require(try get(token, nonce: first)[header: "DPoP-Nonce"])
    #expect(try get(token, nonce: first).status == 200)
    #expect(try get(token, nonce: first).status == 401)
    try issuer.control("replace_dpop_nonces=1")
    #expect(try get(token, nonce: second).status == 401)
  }

  @Test func `may stay the same`() throws {
    try issuer.control("dpop_nonce_rotation=off")
    let token = try issuer.tokens(of: try signIn()).access
    let nonce = try #require(try get(token, nonce: nil)[header: "DPoP-Nonce"])
    #expect(try get(token, nonce: nonce)[header: "DPoP-Nonce"] == nonce)
  }

  @Test func `may be asked for without end`() throws {
    try issuer.control("break_dpop=nonce_storm")
    let device = try issuer.approvedDevice()
    var nonce: String?
    var seen: Set<String> = []
    for _ in 0..<5 {
      let reply = try issuer.poll(device, try key.proof("POST", issuer.issuer + "/token", nonce: nonce))
      #expect(reply.failure == "400 use_dpop_nonce")
      nonce = reply[header: "DPoP-Nonce"]
      seen.insert(try #require(nonce))
    }
    #expect(seen.count == 5)
    try issuer.control("break_dpop=missing_nonce")
    let reply = try issuer.poll(device, try key.proof("POST", issuer.issuer + "/token"))
    #expect(reply.failure == "400 use_dpop_nonce" && reply[header: "DPoP-Nonce"] == nil)
  }

  @Test func `are no help when the server gives a Bearer token all the same`() throws {
    try issuer.control("dpop_nonce=off&break_dpop=bearer")
    let tokens = try issuer.signIn(key)
    #expect(tokens.json["token_type"] == "Bearer")
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 200)
  }
}
