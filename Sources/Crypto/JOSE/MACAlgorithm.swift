/// `alg` values with a MAC (RFC 7518 section 3.2). Not part of ``JWSAlgorithm``, so that no key set is used as a secret
/// (RFC 8725 section 2.1).
package enum MACAlgorithm: String, Sendable, Hashable, CaseIterable {
  // The names match the `alg` values.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case HS256, HS384, HS512

  package var digest: Digest {
    switch self {
    case .HS256: .sha256
    case .HS384: .sha384
    case .HS512: .sha512
    }
  }

  /// In bytes (RFC 7518 section 3.2).
  package var minimumSecretByteCount: Int { digest.byteCount }

  /// Whether `found` is the left half of `value`'s hash (OpenID Connect Core section 3.1.3.6).
  package func isLeftHalfHash(_ found: String, of value: Span<UInt8>) throws(JOSEError) -> Bool {
    try LeftHalfHash.isSame(found, digest, of: value)
  }
}
