/// A signature scheme with its hash.
package enum SignatureAlgorithm: Sendable, Hashable {
  /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
  case rsaPKCS1(Digest)
  /// RSASSA-PSS with MGF1 on the same hash and a salt as long as the hash (RFC 7518 section 3.5).
  case rsaPSS(Digest)
  /// ECDSA, with the signature as fixed-width R and S (RFC 7518 section 3.4).
  case ecdsa(Curve, Digest)
  /// Hashes the message itself.
  case raw(RawKeyType)

  /// Nil if the algorithm hashes the message itself.
  var digest: Digest? {
    switch self {
    case .rsaPKCS1(let digest), .rsaPSS(let digest), .ecdsa(_, let digest): digest
    case .raw: nil
    }
  }

  package func fits(_ kind: PublicKey.Kind) -> Bool {
    switch (self, kind) {
    case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa): true
    case (.ecdsa(let curve, _), _): curve == kind.curve
    case (.raw(let type), _): kind == .raw(type)
    default: false
    }
  }
}
