/// A signature scheme with its hash.
package enum SignatureAlgorithm: Sendable, Hashable {
  /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
  case rsaPKCS1(Digest)
  /// RSASSA-PSS with MGF1 on the same hash and a salt as long as the hash (RFC 7518 section 3.5).
  case rsaPSS(Digest)
  /// ECDSA, with the signature as fixed-width R and S (RFC 7518 section 3.4).
  case ecdsa(Curve, Digest)
  /// Ed25519 (RFC 8032 section 5.1).
  case ed25519

  /// The hash of the message; nil for Ed25519, which hashes internally.
  var digest: Digest? {
    switch self {
    case .rsaPKCS1(let digest), .rsaPSS(let digest), .ecdsa(_, let digest): digest
    case .ed25519: nil
    }
  }

  package func fits(_ kind: PublicKey.Kind) -> Bool {
    switch (self, kind) {
    case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.ed25519, .ed25519): true
    case (.ecdsa(let curve, _), _): curve == kind.curve
    default: false
    }
  }
}
