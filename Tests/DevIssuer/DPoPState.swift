import Crypto
import Platform

/// What has to be remembered about proofs of possession.
struct DPoPState: Sendable {
  /// Used identifiers beyond these are forgotten.
  private static let identifierCapacity = 20_000

  enum Role: Sendable, Hashable { case authorizationServer, resourceServer }

  /// By its server: those of one role are nothing to the other (RFC 9449 section 9).
  private var nonces: [Role: DPoPNonces]
  private var identifiers = BoundedTable<String, Int>(capacity: identifierCapacity)

  init() throws(CryptoError) {
    nonces = [
      .authorizationServer: DPoPNonces(try .random()), .resourceServer: DPoPNonces(try .random()),
    ]
  }

  func takes(_ nonce: String?, for role: Role) -> Bool { nonces[role]?.takes(nonce) ?? false }

  func nonce(for role: Role) -> String? { nonces[role]?.current.text }

  mutating func rotate(_ role: Role, to next: OpaqueKey) { nonces[role]?.rotate(to: next) }

  /// Takes none of the nonces that were handed out.
  mutating func replaceAll(by next: [OpaqueKey]) {
    for (role, key) in zip([Role.authorizationServer, .resourceServer], next) { nonces[role]?.replace(by: key) }
  }

  /// Notes the use of a proof; false for one that was used before (RFC 9449 section 11.1).
  mutating func use(_ proof: DPoPProof) -> Bool {
    let name = proof.thumbprint + " " + proof.identifier
    guard identifiers[name] == nil else { return false }
    identifiers[name] = proof.issuedAt
    return true
  }
}
