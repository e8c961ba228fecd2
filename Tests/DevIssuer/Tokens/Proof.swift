import Crypto
import Encoding
import JOSE

/// Whose nonces a proof must hold: those of one role are nothing to the other (RFC 9449 section 9).
enum ProofRole: Sendable, CaseIterable { case authorizationServer, resourceServer }

/// A proof of possession whose signature and content were checked (RFC 9449 section 4.3).
struct PossessionProof: Sendable {
  /// Of the key (section 6.1).
  let thumbprint: String
  let claims: JSONObject
}

extension DevelopmentIssuer {
  /// What is taken (section 5.1): asymmetric, and none that is weak.
  static let proofAlgorithms = ["ES256", "ES384", "ES512", "PS256", "RS256", "EdDSA", "Ed25519"]

  /// The proof of a request to the authorization server; nil when there is none and none is needed (sections 5 and 5.2).
  mutating func proof(atAuthorizationServer request: IssuerRequest, isNeeded: Bool) throws -> PossessionProof? {
    do {
      let proof = try proof(of: request, .authorizationServer)
      if proof == nil, isNeeded { throw Self.wrongProof("a proof is needed") }
      return proof
    } catch {
      count(.proofRefusals)
      throw error
    }
  }

  /// Checks the proof of a request and uses it up (sections 4.3 and 11.1); nil when there is none.
  mutating func proof(of request: IssuerRequest, _ role: ProofRole) throws -> PossessionProof? {
    let values = request.values(of: "dpop")
    guard let value = values.first else { return nil }
    try check(values.count == 1, "invalid_dpop_proof", "more than one DPoP header")
    let proof = try Self.verified(value)
    try check(proof.claims["htm"]?.string == request.method, "invalid_dpop_proof", "htm is another method")
    // Section 4.3, item 9: without query and fragment.
    guard let target = proof.claims["htu"]?.string.flatMap({ try? URI($0) }), target.query == nil,
      target.fragment == nil, target.origin + target.path == url + request.path
    else { throw Self.wrongProof("htu is another URL") }
    guard let identifier = proof.claims["jti"]?.string, (8...256).contains(identifier.utf8.count) else {
      throw Self.wrongProof("jti is missing, too short or too long")
    }
    let issuedAt = try check(proof.claims["iat"]?.int, "invalid_dpop_proof", "iat is missing")
    count(.proofs)
    let window = wall - settings.proofWindow...wall + settings.proofWindow
    try check(window.contains(issuedAt), "invalid_dpop_proof", "iat is not now")
    guard usedProofs["\(proof.thumbprint) \(identifier)"] == nil else {
      count(.proofReplays)
      throw Self.wrongProof("the proof was used before")
    }
    usedProofs["\(proof.thumbprint) \(identifier)"] = true
    if role == .authorizationServer, let fault = settings.faults[.dpop], fault.refusesProofs {
      throw Refusal(nonce: try Self.opaque())
    }
    let nonce = proof.claims["nonce"]?.string
    if settings.wantsNonce, let known = nonces[role], nonce != known.current, nonce == nil || nonce != known.previous {
      throw Refusal(nonce: known.current)
    }
    return proof
  }

  private static func wrongProof(_ text: String) -> Refusal { Refusal("invalid_dpop_proof", text) }

  private static func verified(_ text: String) throws -> PossessionProof {
    do {
      let jws = try UnverifiedJWS(compact: Array(text.utf8).span)
      guard jws.type == "dpop+jwt" else { throw JOSEError(.wrongType) }
      guard let members = jws.header["jwk"]?.object else { throw JOSEError(.invalidHeader) }
      let jwk = try JWK(members)
      let algorithms = Set(proofAlgorithms.compactMap(JWSAlgorithm.init(name:)))
      let payload = try jws.verified(
        by: JWKSet([jwk]), algorithms: algorithms, allowedTypes: .required(["dpop+jwt"])
      ).payload
      return PossessionProof(thumbprint: jwk.thumbprint(), claims: try JWTClaims(payload: payload).object)
    } catch let error as JOSEError {
      throw wrongProof("it is no JWT with a public key in jwk (\(error.code))")
    }
  }

  /// Adds the nonce that the next request shall use (section 8.2).
  mutating func handOutNonce(with answer: inout IssuerAnswer, _ role: ProofRole) throws {
    guard settings.wantsNonce, let known = nonces[role] else { return }
    if settings.rotatesNonce { nonces[role] = (try Self.opaque(), known.current) }
    answer[header: "DPoP-Nonce"] = nonces[role]?.current
  }

  // MARK: Tokens of requests

  /// The token of the Authorization header, the only place where it is taken (RFC 6750 section 2.1, RFC 9449 section 7.1).
  func presentedToken(_ request: IssuerRequest) throws -> (text: String, isDPoP: Bool) {
    let malformed = Refusal.challenge("invalid_request", "send one Bearer token in the header", status: 400)
    let values = request.values(of: "authorization")
    guard let value = values.first else {
      let inQuery = (request.query ?? "").split(separator: "&").contains { $0.hasPrefix("access_token=") }
      // No attempt was made: no error code either (RFC 6750 section 3.1).
      throw inQuery ? malformed : Refusal.challenge(nil)
    }
    let parts = value.split(separator: " ").map(String.init)
    guard values.count == 1, let scheme = parts.first?.lowercased() else { throw malformed }
    guard scheme == "bearer" || scheme == "dpop" else { throw Refusal.challenge(nil) }
    guard parts.count == 2 else { throw malformed }
    return (parts[1], scheme == "dpop")
  }

  /// The access token of a request to a protected resource, which is taken by the scheme of its type only (RFC 9449
  /// sections 7.1 and 7.2).
  mutating func accessToken(of request: IssuerRequest) throws -> (token: IssuedAccess, grant: IssuerGrant) {
    let presented = try presentedToken(request)
    let unbound = Refusal.challenge("invalid_token", "unknown, expired or revoked")
    let bound = Refusal.challenge("invalid_token", "unknown, expired, revoked, or of another scheme", scheme: "DPoP")
    guard let found = goodAccess(presented.text) else { throw presented.isDPoP ? bound : unbound }
    guard presented.isDPoP == (found.token.dpopThumbprint != nil) else { throw bound }
    guard let thumbprint = found.token.dpopThumbprint else { return found }
    do {
      let proof = try check(proof(of: request, .resourceServer), "invalid_dpop_proof", "a proof is needed")
      try check(proof.thumbprint == thumbprint, "invalid_dpop_proof", "the token is bound to another key")
      let hash = Base64URL.encode(try Digest.sha256.hash(Array(presented.text.utf8).span))
      try check(proof.claims["ath"]?.string == hash, "invalid_dpop_proof", "ath is not the hash of the token")
      return found
    } catch let refusal as Refusal {
      count(.proofRefusals)
      // Section 7.1: told by a challenge.
      var challenge = Refusal.challenge(refusal.code, refusal.description, scheme: "DPoP")
      challenge.answer[header: "DPoP-Nonce"] = refusal.answer[header: "DPoP-Nonce"]
      throw challenge
    }
  }
}
