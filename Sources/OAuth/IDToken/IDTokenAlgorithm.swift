package import Crypto

/// An ID Token's algorithm (OpenID Connect Core section 3.1.3.7, steps 6 to 8).
package enum IDTokenAlgorithm: Sendable, Hashable {
  /// A signature by a published key of the issuer.
  case signature(JWSAlgorithm)
  /// A MAC with the client secret.
  case secret(MACAlgorithm)

  package var name: String {
    switch self {
    case .signature(let algorithm): algorithm.rawValue
    case .secret(let algorithm): algorithm.rawValue
    }
  }

  /// Whether `found` is the `at_hash` or `c_hash` of `value`.
  func isLeftHalfHash(_ found: String, of value: Span<UInt8>) throws(JOSEError) -> Bool {
    switch self {
    case .signature(let algorithm): try algorithm.isLeftHalfHash(found, of: value)
    case .secret(let algorithm): try algorithm.isLeftHalfHash(found, of: value)
    }
  }
}

/// The client secret as the only MAC key of ID Tokens (OpenID Connect Core section 3.1.3.7, step 8).
package struct IDTokenSecret: Sendable {
  package let algorithm: MACAlgorithm
  package let secret: SharedSecret

  package init(algorithm: MACAlgorithm, secret: SharedSecret) {
    self.algorithm = algorithm
    self.secret = secret
  }
}
