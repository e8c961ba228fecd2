import Encoding
import JOSE

/// Whose nonces a proof must hold: those of one role are nothing to the other (RFC 9449 section 9).
enum ProofRole: Sendable, CaseIterable {
  case authorizationServer, resourceServer

  /// The algorithms of the proofs that it takes.
  func algorithms(_ settings: IssuerSettings) -> [String] {
    let names = settings.text(self == .authorizationServer ? "dpop_algorithms" : "resource_dpop_algorithms")
    return names?.split(separator: ",").map(String.init) ?? Refusal.proofAlgorithms
  }
}

/// A proof of possession whose signature was checked (RFC 9449 section 4.3).
struct PossessionProof: Sendable {
  /// Of the key (section 6.1).
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

/// The nonces of the issuer, and the proofs that were used.
struct ProofStore: Sendable {
  private var nonces: [ProofRole: (current: String, previous: String?)] = [:]
  private var used = BoundedTable<Bool>(capacity: 20_000)

  init() throws { try replaceNonces() }

  /// No nonce that was handed out is taken any more.
  mutating func replaceNonces() throws {
    for role in ProofRole.allCases { nonces[role] = (try Seal.opaque(), nil) }
  }

  /// False for a proof that was used before (section 11.1).
  mutating func use(_ proof: PossessionProof, _ identifier: String) -> Bool {
    used.use("\(proof.thumbprint) \(identifier)")
  }

  func checkNonce(_ nonce: String?, _ role: ProofRole) throws {
    guard let known = nonces[role], nonce != known.current, nonce == nil || nonce != known.previous else { return }
    throw Refusal(nonce: known.current)
  }

  /// The nonce that the next request shall use (section 8.2).
  mutating func nextNonce(_ role: ProofRole, rotates: Bool) throws -> String? {
    if rotates, let current = nonces[role]?.current { nonces[role] = (try Seal.opaque(), current) }
    return nonces[role]?.current
  }
}
