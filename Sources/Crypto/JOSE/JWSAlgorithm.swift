internal import Encoding

/// Supported `alg` values for signatures (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864), except
/// ``MACAlgorithm``s.
package enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable {
  // The names match the `alg` values.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519

  package init?(name: String) {
    // Excludes canonically equivalent strings.
    guard let match = Self(rawValue: name), match.rawValue.utf8.count == name.utf8.count else { return nil }
    self = match
  }

  package var signatureAlgorithm: SignatureAlgorithm {
    switch self {
    case .RS256: .rsaPKCS1(.sha256)
    case .RS384: .rsaPKCS1(.sha384)
    case .RS512: .rsaPKCS1(.sha512)
    case .PS256: .rsaPSS(.sha256)
    case .PS384: .rsaPSS(.sha384)
    case .PS512: .rsaPSS(.sha512)
    case .ES256: .ecdsa(.p256, .sha256)
    case .ES384: .ecdsa(.p384, .sha384)
    case .ES512: .ecdsa(.p521, .sha512)
    case .EdDSA, .Ed25519: .raw(.ed25519)
    }
  }

  /// SHA-512 for Ed25519, which hashes by itself.
  package var digest: Digest { signatureAlgorithm.digest ?? .sha512 }

  /// Whether `found` is the left half of `value`'s hash, as in `at_hash` and `c_hash` (OpenID Connect Core sections
  /// 3.1.3.6 and 3.3.2.11). For Ed25519, accepts SHA-512 and SHA-256: no hash is specified, and servers use either.
  package func isLeftHalfHash(_ found: String, of value: Span<UInt8>) throws(JOSEError) -> Bool {
    var digests = [digest]
    if signatureAlgorithm.digest == nil { digests.append(.sha256) }
    for digest in digests where try LeftHalfHash.isSame(found, digest, of: value) { return true }
    return false
  }
}

/// The left half of a value's hash, in base64url.
enum LeftHalfHash {
  private static func text(_ digest: Digest, of value: Span<UInt8>) throws(JOSEError) -> String {
    do {
      let hash = try digest.hash(value)
      return Base64URL.encode(hash.span.extracting(first: digest.byteCount / 2))
    } catch {
      throw JOSEError(error)
    }
  }

  static func isSame(_ found: String, _ digest: Digest, of value: Span<UInt8>) throws(JOSEError) -> Bool {
    let (left, right) = (found.utf8, try text(digest, of: value).utf8)
    return ConstantTime.isEqual(left.span, right.span)
  }
}
