package import Crypto
package import JOSE

/// The algorithm that protects an ID Token (OpenID Connect Core 1.0 section 3.1.3.7, steps 6 to 8).
package enum IDTokenAlgorithm: Sendable, Hashable {
  /// A signature by a key that the issuer publishes.
  case signature(JWSAlgorithm)
  /// A code under the client's secret.
  case secret(MACAlgorithm)

  /// The `alg` value.
  package var name: String {
    switch self {
    case .signature(let algorithm): algorithm.rawValue
    case .secret(let algorithm): algorithm.rawValue
    }
  }

  /// Whether `found` is what `at_hash` or `c_hash` says of `value`.
  func isLeftHalfHash(_ found: String, of value: Span<UInt8>) throws(JOSEError) -> Bool {
    switch self {
    case .signature(let algorithm): try algorithm.isLeftHalfHash(found, of: value)
    case .secret(let algorithm): try algorithm.isLeftHalfHash(found, of: value)
    }
  }
}

/// The client's secret as the key of ID Tokens (step 8). Only an account that says so has one; no token under a key
/// is accepted for it then.
package struct IDTokenSecret: Sendable {
  package let algorithm: MACAlgorithm
  /// The UTF-8 bytes of the client secret.
  package let secret: SharedSecret

  package init(algorithm: MACAlgorithm, secret: SharedSecret) {
    self.algorithm = algorithm
    self.secret = secret
  }
}
