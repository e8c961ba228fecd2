internal import Crypto
package import Encoding

/// A token under a shared secret with a checked form and an unchecked code (RFC 7515 section 7.1, RFC 7518 section
/// 3.2).
package struct UnverifiedMAC: Sendable {
  private let form: CompactForm
  /// `alg`, which must be the caller's own.
  package let algorithm: MACAlgorithm

  /// Reads the compact serialization, by the rules and limits of ``UnverifiedJWS``.
  ///
  /// - Throws: ``JOSEError``; `algorithmNotAllowed` for a token that is signed by a key.
  package init(compact: Span<UInt8>) throws(JOSEError) {
    form = try CompactForm(compact)
    guard let algorithm = MACAlgorithm(name: form.header.algorithmName) else { throw JOSEError(.algorithmNotAllowed) }
    self.algorithm = algorithm
  }

  /// Checks the code.
  ///
  /// - Parameters:
  ///   - secret: The shared secret. It never comes from a key set (RFC 8725 section 2.1).
  ///   - algorithm: The algorithm of the client's registration. The token does not choose it (RFC 8725 section 3.1).
  ///   - allowedTypes: Accepted `typ` values; `JWT` or none unless said otherwise.
  /// - Throws: ``JOSEError``: `weakKey` for a secret shorter than the hash (RFC 7518 section 3.2), `badSignature`.
  package func verified(
    by secret: Span<UInt8>, algorithm: MACAlgorithm, allowedTypes: AllowedTypes = .optional(["JWT"])
  ) throws(JOSEError) -> VerifiedMAC {
    guard self.algorithm == algorithm else { throw JOSEError(.algorithmNotAllowed) }
    guard allowedTypes.allow(form.header.type) else { throw JOSEError(.wrongType) }
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

/// A token with a code that was verified with the shared secret. Only ``UnverifiedMAC`` makes one.
package struct VerifiedMAC: Sendable {
  /// All members of the header, which the code covers.
  package let header: JSONObject
  /// The bytes that the code covers.
  package let payload: [UInt8]
  package let algorithm: MACAlgorithm

  fileprivate init(header: JSONObject, payload: [UInt8], algorithm: MACAlgorithm) {
    self.header = header
    self.payload = payload
    self.algorithm = algorithm
  }
}
