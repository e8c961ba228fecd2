package import Encoding

/// A parsed, unverified token with a MAC (RFC 7518 section 3.2).
package struct UnverifiedMAC: Sendable {
  private let form: CompactForm
  /// The `alg`, which must match the caller's algorithm.
  package let algorithm: MACAlgorithm

  /// Parses by the rules of ``UnverifiedJWS``. Throws ``JOSEError``; `algorithmNotAllowed` for a signature.
  package init(compact: Span<UInt8>) throws(JOSEError) {
    form = try CompactForm(compact)
    guard let algorithm = MACAlgorithm(rawValue: form.header.algorithmName) else {
      throw JOSEError(.algorithmNotAllowed)
    }
    self.algorithm = algorithm
  }

  /// Verifies the MAC. The secret must not be from a key set (RFC 8725 section 2.1). `algorithm` is the one registered
  /// for the client; the header's must match it (section 3.1). Throws ``JOSEError``: `weakKey` for a secret shorter
  /// than the hash (RFC 7518 section 3.2); `badSignature` for a wrong MAC.
  package func verified(
    by secret: Span<UInt8>, algorithm: MACAlgorithm, allowedTypes: AllowedTypes = .optional(["JWT"])
  ) throws(JOSEError) -> VerifiedMAC {
    guard self.algorithm == algorithm else { throw JOSEError(.algorithmNotAllowed) }
    guard allowedTypes.allows(form.header.type) else { throw JOSEError(.wrongType) }
    guard secret.count >= algorithm.minimumSecretByteCount else { throw JOSEError(.weakKey) }
    let code: [UInt8]
    do {
      code = try HMAC.code(algorithm.digest, key: secret, form.signedText.span)
    } catch {
      throw JOSEError(error)
    }
    guard ConstantTime.isEqual(code.span, form.signature.span) else { throw JOSEError(.badSignature) }
    return VerifiedMAC(header: form.header.members, payload: form.payload, algorithm: algorithm)
  }
}

/// Created only by ``UnverifiedMAC``.
package struct VerifiedMAC: Sendable {
  package let header: JSONObject
  package let payload: [UInt8]
  package let algorithm: MACAlgorithm

  fileprivate init(header: JSONObject, payload: [UInt8], algorithm: MACAlgorithm) {
    self.header = header
    self.payload = payload
    self.algorithm = algorithm
  }
}
