package import Crypto
internal import Encoding

/// The `alg` values of tokens under a shared secret (RFC 7518 section 3.2).
///
/// They are no ``JWSAlgorithm``: no key set can ever serve as a secret (RFC 8725 section 2.1), and no header chooses
/// between a key and a secret.
package enum MACAlgorithm: String, Sendable, Hashable, CaseIterable {
  // The names are those on the wire.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case HS256, HS384, HS512

  /// The algorithm of exactly that name; case matters (RFC 7515 section 4.1.1).
  package init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else { return nil }
    self = match
  }

  /// The hash in the algorithm's name.
  package var digest: Digest {
    switch self {
    case .HS256: .sha256
    case .HS384: .sha384
    case .HS512: .sha512
    }
  }

  /// The shortest secret, in bytes: as long as the hash (RFC 7518 section 3.2).
  package var minimumSecretByteCount: Int { digest.byteCount }

  /// Whether `found` is the left half of the hash of `value` (OpenID Connect Core 1.0 section 3.1.3.6).
  package func isLeftHalfHash(_ found: String, of value: Span<UInt8>) throws(JOSEError) -> Bool {
    try LeftHalfHash.isSame(found, digest, of: value)
  }
}
