package import Encoding

/// A signed token with a checked form and an unchecked signature (RFC 7515 section 7.1).
package struct UnverifiedJWS: Sendable {
  /// The longest token, in bytes.
  package static let maximumByteCount = CompactForm.maximumByteCount

  private let form: CompactForm
  /// `alg`, which the caller's list must hold (RFC 7515 section 4.1.1).
  package let algorithm: JWSAlgorithm

  /// Reads the compact serialization.
  ///
  /// - Parameters:
  ///   - compact: At most 65,536 bytes, with a header of at most 8,192 bytes.
  ///   - last: A token that was read before: where both have the same header, it is not read again.
  /// - Throws: ``JOSEError``: the text or the header is malformed, unsupported or unsafe. For a token under a shared
  ///   secret it is `algorithmNotAllowed`: see ``UnverifiedMAC``.
  package init(compact: Span<UInt8>, after last: UnverifiedJWS? = nil) throws(JOSEError) {
    form = try CompactForm(compact, after: last?.form)
    guard let algorithm = JWSAlgorithm(name: form.header.algorithmName) else { throw JOSEError(.algorithmNotAllowed) }
    self.algorithm = algorithm
  }

  /// Whether the header is that of the token before.
  package var hasKnownHeader: Bool { form.hasKnownHeader }

  /// All members of the header.
  package var header: JSONObject { form.header.members }
  /// `kid`, a hint which key to use (RFC 7515 section 4.1.4). An opaque, unverified text.
  package var keyID: String? { form.header.keyID }
  /// `typ` (RFC 7515 section 4.1.9).
  package var type: String? { form.header.type }

  /// The payload, unverified. Only for showing it to its owner.
  package var unverifiedPayload: [UInt8] { form.payload }

  /// Checks the signature.
  ///
  /// Nothing is fetched: only `keys` are trusted.
  ///
  /// - Parameters:
  ///   - keys: The issuer's keys.
  ///   - algorithms: Accepted `alg` values. The token only chooses among them (RFC 8725 section 3.1).
  ///   - allowedTypes: Accepted `typ` values; `JWT` or none unless said otherwise.
  /// - Throws: ``JOSEError``. Fetching the keys again may help with `unknownKey` and `badSignature`.
  package func verified(
    by keys: JWKSet, algorithms: Set<JWSAlgorithm>, allowedTypes: AllowedTypes = .optional(["JWT"])
  ) throws(JOSEError) -> VerifiedJWS {
    guard algorithms.contains(algorithm) else { throw JOSEError(.algorithmNotAllowed) }
    guard allowedTypes.allow(type) else { throw JOSEError(.wrongType) }
    let key = try keys.key(for: algorithm, keyID: keyID)
    guard try key.verify(algorithm, signature: form.signature.span, message: form.signedText.span)
    else { throw JOSEError(.badSignature) }
    return VerifiedJWS(header: header, payload: form.payload, algorithm: algorithm, keyID: keyID, keyIssuer: key.issuer)
  }
}

/// A token with a signature that was verified with a key that the caller trusts. Only ``UnverifiedJWS`` makes one.
package struct VerifiedJWS: Sendable {
  /// All members of the header, which the signature covers.
  package let header: JSONObject
  /// The signed bytes.
  package let payload: [UInt8]
  /// The algorithm of the signature.
  package let algorithm: JWSAlgorithm
  /// The `kid` that selected the key; nil if the set had only one fitting key.
  package let keyID: String?
  /// The issuer that the key names as its own; nil where it names none.
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
