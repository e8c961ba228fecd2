import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

// RFC 9449 section 10.1.
@Suite struct `A pushed request with a proof` {
  private let issuer: TestIssuer
  private let key: Prover

  init() throws {
    issuer = try TestIssuer.approving()
    key = try Prover()
  }

  private func push(_ key: Prover?, jkt: String? = nil, nonce: String? = nil) throws -> Reply {
    var parameters = TestIssuer.goodRequest
    parameters["dpop_jkt"] = jkt
    let proof = try key?.proof("POST", issuer.issuer + "/par", nonce: nonce)
    return try issuer.post("/par", TestIssuer.form(parameters), headers: proof.map { ["DPoP: \($0)"] } ?? [])
  }

  private func code(_ pushed: Reply) throws -> String {
    let uri = try #require(pushed.json?["request_uri"]?.string, "\(pushed.text)")
    return try #require(try issuer.answer(try issuer.authorize(["request_uri": uri]))["code"])
  }

  private func redeem(_ code: String, _ key: Prover) throws -> Reply {
    try issuer.redeem(code, headers: ["DPoP: \(try key.proof("POST", issuer.issuer + "/token"))"])
  }

  @Test(arguments: [false, true]) func `binds the code to its key`(alsoNamed: Bool) throws {
    let jkt = alsoNamed ? key.jwk.thumbprint() : nil
    #expect(try redeem(code(try push(key, jkt: jkt)), Prover()).failure == "400 invalid_dpop_proof")
    #expect(try issuer.redeem(code(try push(key, jkt: jkt))).failure == "400 invalid_dpop_proof")
    #expect(try redeem(code(try push(key, jkt: jkt)), key).status == 200)
  }

  @Test func `must name no other key`() throws {
    let reply = try push(key, jkt: try Prover().jwk.thumbprint())
    #expect(reply.failure == "400 invalid_dpop_proof")
    #expect(try issuer.counter("proof_refusals") == 1 && issuer.counter("pushed_requests") == 0)
  }

  @Test func `may name a key without a proof`() throws {
    #expect(try redeem(code(try push(nil, jkt: key.jwk.thumbprint())), key).status == 200)
  }

  @Test func `must have a good one, for this endpoint`() throws {
    let proof = try key.proof("POST", issuer.issuer + "/token")
    let reply = try issuer.post("/par", TestIssuer.form(TestIssuer.goodRequest), headers: ["DPoP: \(proof)"])
    #expect(reply.failure == "400 invalid_dpop_proof")
  }

  @Test func `is asked for a nonce, and gets the next one (section 8)`() throws {
    try issuer.control("dpop_nonce=on")
    let asked = try push(key)
    #expect(asked.failure == "400 use_dpop_nonce")
    let reply = try push(key, nonce: asked[header: "DPoP-Nonce"])
    #expect(reply.status == 201)
    #expect(reply[header: "DPoP-Nonce"] != nil && reply[header: "DPoP-Nonce"] != asked[header: "DPoP-Nonce"])
  }
}

// RFC 9449 section 5.2.
@Suite struct `A client of bound tokens` {
  private func register(_ issuer: TestIssuer, _ member: JSON?) throws -> Reply {
    var client = try #require(`Clients that register themselves`.native.object)
    client["dpop_bound_access_tokens"] = member
    return try issuer.send("POST", "/register", .object(client))
  }

  @Test(arguments: [true, false]) func `needs a proof for each token request`(isForced: Bool) throws {
    let more = isForced ? ["--dpop-required"] : []
    let issuer = try TestIssuer("--approve=always", "--open-registration", more: more)
    let json = try register(issuer, isForced ? nil : true).json
    #expect(json?["dpop_bound_access_tokens"] == true)
    try issuer.control("dpop_required=off")
    let id = try #require(json?["client_id"]?.string)
    let key = try Prover()
    let code = try issuer.code(["client_id": id])
    #expect(try issuer.redeem(code, ["client_id": id]).failure == "400 invalid_dpop_proof")
    let proof = "DPoP: \(try key.proof("POST", issuer.issuer + "/token"))"
    let reply = try issuer.redeem(code, ["client_id": id], headers: [proof])
    #expect(reply.json?["token_type"] == "DPoP", "\(reply.text)")
  }

  @Test func `is one only where it says so`() throws {
    let issuer = try TestIssuer.approving("--open-registration")
    for member in [nil, false] as [JSON?] {
      #expect(try register(issuer, member).json?["dpop_bound_access_tokens"] == nil)
    }
    #expect(try register(issuer, "true").failure == "400 invalid_client_metadata")
  }
}

// RFC 9728 section 2.
@Suite struct `Resources that want bound tokens` {
  @Test func `say so, and take no others`() throws {
    let issuer = try TestIssuer.approving("--require-dpop")
    let place = "/.well-known/oauth-protected-resource/resource"
    #expect(try issuer.get(place).json?["dpop_bound_access_tokens_required"] == true)
    let bearer = try issuer.tokens(of: try issuer.redeem(try issuer.code())).access
    let refused = try issuer.get("/resource", bearer: bearer)
    #expect(refused.status == 401 && refused[header: "WWW-Authenticate"]?.hasPrefix("DPoP ") == true)
    let key = try Prover()
    let proof = "DPoP: \(try key.proof("POST", issuer.issuer + "/token"))"
    let bound = try issuer.tokens(of: try issuer.redeem(try issuer.code(), headers: [proof])).access
    let use = try key.proof("GET", issuer.issuer + "/resource", token: bound)
    let reply = try issuer.get("/resource", headers: ["Authorization: DPoP \(bound)", "DPoP: \(use)"])
    #expect(reply.status == 200)
    try issuer.control("require_dpop=off")
    #expect(try issuer.get(place).json?["dpop_bound_access_tokens_required"] == nil)
    #expect(try issuer.get("/resource", bearer: bearer).status == 200)
  }
}
