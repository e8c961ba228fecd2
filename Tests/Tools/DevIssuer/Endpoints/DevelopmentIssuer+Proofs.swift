import Crypto
import Encoding

/// DPoP proofs (RFC 9449), and tokens presented with them.
extension DevelopmentIssuer {
  /// Verifies a request's proof and marks it as used (sections 4.3 and 11.1). Nil if absent and not required.
  ///
  /// - Parameters:
  ///   - thumbprint: The required key; nil for any.
  ///   - accessToken: The request's token, at a protected resource.
  mutating func proof(
    of request: IssuerRequest, _ role: ProofRole, isNeeded: Bool = false, thumbprint: String? = nil,
    accessToken: String? = nil
  ) throws -> PossessionProof? {
    var isGood = false
    defer { if !isGood { count(.proofRefusals) } }
    func check(_ holds: Bool, _ text: String) throws {
      if !holds { throw Refusal("invalid_dpop_proof", text) }
    }
    let values = request.values(of: "dpop")
    guard let value = values.first else {
      try check(!isNeeded, "a proof is needed")
      isGood = true
      return nil
    }
    try check(values.count == 1, "more than one DPoP header")
    let proof: PossessionProof
    do { proof = try PossessionProof(value) } catch {
      throw Refusal("invalid_dpop_proof", "it is no JWT with a public key in jwk (\(error.code))")
    }
    try check(role.algorithms(settings).contains(proof.algorithm), "alg is not one that is taken here")
    try check(proof.claims["htm"]?.string == request.method, "htm is another method")
    // `htu` has no query and fragment (section 4.3, item 9).
    let target = proof.claims["htu"]?.string.flatMap { try? URI($0) }
    let isHere = target.map { $0.origin + $0.path == url + request.path && $0.query == nil && $0.fragment == nil }
    try check(isHere ?? false, "htu is another URL")
    let identifier = proof.claims["jti"]?.string ?? ""
    try check((8...256).contains(identifier.utf8.count), "jti is missing, too short or too long")
    let issuedAt = proof.claims["iat"]?.int
    try check(issuedAt != nil, "iat is missing")
    count(.proofs)
    let window = settings.number("dpop_window")
    try check((wall - window...wall + window).contains(issuedAt ?? 0), "iat is not now")
    let isNew = used.use("\(proof.thumbprint) \(identifier)")
    if !isNew { count(.proofReplays) }
    try check(isNew, "the proof was used before")
    if role == .authorizationServer, ["missing_nonce", "nonce_storm"].contains(settings.text("break_dpop")) {
      throw Refusal(nonce: try Seal.opaque())
    }
    let nonce = proof.claims["nonce"]?.string
    if settings.isOn("dpop_nonce"), let known = nonces[role], !known.contains(where: { $0 == nonce }) {
      throw Refusal(nonce: known[0])
    }
    try check(thumbprint ?? proof.thumbprint == proof.thumbprint, "it is of another key than it must be")
    let hash = try accessToken.map { Base64URL.encode(try Digest.sha256.hash(Array($0.utf8).span)) }
    try check(hash == nil || proof.claims["ath"]?.string == hash, "ath is not the hash of the token")
    (isGood, provenTo) = (true, role)
    return proof
  }

  mutating func replaceNonces() throws {
    for role in ProofRole.allCases { nonces[role] = [try Seal.opaque()] }
  }

  /// The token in the Authorization header (RFC 6750 section 2.1, RFC 9449 section 7.1).
  static func presentedToken(_ request: IssuerRequest) throws -> (text: String, isDPoP: Bool) {
    let malformed = Refusal.challenge("invalid_request", "send one Bearer token in the header", status: 400)
    let values = request.values(of: "authorization")
    guard let value = values.first else {
      let inQuery = (request.query ?? "").split(separator: "&").contains { $0.hasPrefix("access_token=") }
      // RFC 6750 section 3.1: without authentication, there is no error code.
      throw inQuery ? malformed : Refusal.challenge(nil)
    }
    let parts = value.split(separator: " ").map(String.init)
    guard values.count == 1, let scheme = parts.first?.lowercased() else { throw malformed }
    guard scheme == "bearer" || scheme == "dpop" else { throw Refusal.challenge(nil) }
    guard parts.count == 2 else { throw malformed }
    return (parts[1], scheme == "dpop")
  }

  /// The access token of a request, with the scheme of its type (sections 7.1 and 7.2).
  mutating func accessToken(of request: IssuerRequest) throws -> (token: IssuedAccess, grant: IssuerGrant) {
    let presented = try Self.presentedToken(request)
    let unbound = Refusal.challenge("invalid_token", "unknown, expired or revoked")
    let bound = Refusal.challenge("invalid_token", "unknown, expired, revoked, or of another scheme", scheme: "DPoP")
    guard let found = state.good(presented.text, at: now) else { throw presented.isDPoP ? bound : unbound }
    guard presented.isDPoP == (found.token.dpopThumbprint != nil) else { throw bound }
    guard let thumbprint = found.token.dpopThumbprint else { return found }
    do {
      _ = try proof(
        of: request, .resourceServer, isNeeded: true, thumbprint: thumbprint, accessToken: presented.text)
      return found
    } catch let refusal as Refusal {
      // RFC 9449 section 7.1.
      var challenge = Refusal.challenge(refusal.code, refusal.description, scheme: "DPoP")
      challenge.answer[header: "DPoP-Nonce"] = refusal.answer[header: "DPoP-Nonce"]
      throw challenge
    }
  }
}

/// A server's roles for proofs, each with its own nonces (RFC 9449 section 9).
enum ProofRole: Sendable, CaseIterable {
  case authorizationServer, resourceServer

  func algorithms(_ settings: IssuerSettings) -> [String] {
    let names = settings.text(self == .authorizationServer ? "dpop_algorithms" : "resource_dpop_algorithms")
    return names?.split(separator: ",").map(String.init) ?? Refusal.proofAlgorithms
  }
}

/// A DPoP proof with a verified signature (RFC 9449 section 4.3).
struct PossessionProof: Sendable {
  /// The thumbprint of the key (section 6.1).
  let thumbprint: String
  let algorithm: String
  let claims: JSONObject

  init(_ text: String) throws(JOSEError) {
    let jws = try UnverifiedJWS(compact: Array(text.utf8).span)
    guard jws.type == "dpop+jwt" else { throw JOSEError(.wrongType) }
    guard let members = jws.header["jwk"]?.object else { throw JOSEError(.invalidHeader) }
    let jwk = try JWK(members)
    let algorithms = Set(Refusal.proofAlgorithms.compactMap(JWSAlgorithm.init(name:)))
    let verified = try jws.verified(by: JWKSet([jwk]), algorithms: algorithms, allowedTypes: .required(["dpop+jwt"]))
    thumbprint = jwk.thumbprint()
    algorithm = jws.algorithm.rawValue
    claims = try JWTClaims(payload: verified.payload).object
  }
}
