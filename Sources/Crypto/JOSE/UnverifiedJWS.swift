package import Encoding

/// A parsed, unverified signed token (RFC 7515 section 7.1).
package struct UnverifiedJWS: Sendable {
  package static let maximumByteCount = CompactForm.maximumByteCount

  private let form: CompactForm
  package let algorithm: JWSAlgorithm

  /// Reuses the header of the previous token `last` if identical. Throws ``JOSEError`` if malformed, unsupported or
  /// unsafe; `algorithmNotAllowed` for a MAC (``UnverifiedMAC``).
  package init(compact: Span<UInt8>, after last: UnverifiedJWS? = nil) throws(JOSEError) {
    form = try CompactForm(compact, after: last?.form)
    guard let algorithm = JWSAlgorithm(name: form.header.algorithmName) else { throw JOSEError(.algorithmNotAllowed) }
    self.algorithm = algorithm
  }

  /// Whether the previous token has the same header.
  package var hasKnownHeader: Bool { form.hasKnownHeader }

  package var header: JSONObject { form.header.members }
  /// An unverified hint (RFC 7515 section 4.1.4).
  package var keyID: String? { form.header.keyID }
  /// RFC 7515 section 4.1.9.
  package var type: String? { form.header.type }

  /// Only for showing it to the token's owner.
  package var unverifiedPayload: [UInt8] { form.payload }

  /// Verifies by `keys`, the only trusted ones. `algorithms` are the accepted `alg` values (RFC 8725 section 3.1).
  /// Throws ``JOSEError``. After `unknownKey` or `badSignature`, newer keys may help.
  package func verified(
    by keys: JWKSet, algorithms: Set<JWSAlgorithm>, allowedTypes: AllowedTypes = .optional(["JWT"])
  ) throws(JOSEError) -> VerifiedJWS {
    guard algorithms.contains(algorithm) else { throw JOSEError(.algorithmNotAllowed) }
    guard allowedTypes.allows(type) else { throw JOSEError(.wrongType) }
    let key = try keys.key(for: algorithm, keyID: keyID)
    guard try key.verify(algorithm, signature: form.signature.span, message: form.signedText.span)
    else { throw JOSEError(.badSignature) }
    return VerifiedJWS(header: header, payload: form.payload, algorithm: algorithm, keyID: keyID, keyIssuer: key.issuer)
  }
}

/// Created only by ``UnverifiedJWS``.
package struct VerifiedJWS: Sendable {
  package let header: JSONObject
  package let payload: [UInt8]
  package let algorithm: JWSAlgorithm
  package let keyID: String?
  /// The key's `issuer` member.
  package let keyIssuer: String?

  fileprivate init(
    header: JSONObject, payload: [UInt8], algorithm: JWSAlgorithm, keyID: String?, keyIssuer: String?
  ) {
    self.header = header
    self.payload = payload
    self.algorithm = algorithm
    self.keyID = keyID
    self.keyIssuer = keyIssuer
  }
}
