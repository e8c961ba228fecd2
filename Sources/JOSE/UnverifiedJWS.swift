package import Encoding

/// A signed token whose form was checked and whose signature was not (RFC 7515 section 7.1).
package struct UnverifiedJWS: Sendable {
  /// The longest token, in bytes.
  package static let maximumByteCount = CompactForm.maximumByteCount

  private let form: CompactForm
  /// `alg`, which the caller's list must hold (RFC 7515 section 4.1.1).
  package let algorithm: JWSAlgorithm

  /// Reads the compact serialization.
  ///
  /// - Parameter compact: At most 65,536 bytes, with a header of at most 8,192 bytes.
  /// - Throws: ``JOSEError``: how the text or the header is malformed, unsupported or unsafe. A token under a shared
  ///   secret is refused with `algorithmNotAllowed`: see ``UnverifiedMAC``.
  package init(compact: Span<UInt8>) throws(JOSEError) {
    form = try CompactForm(compact)
    guard let algorithm = JWSAlgorithm(name: form.header.algorithmName) else { throw JOSEError(.algorithmNotAllowed) }
    self.algorithm = algorithm
  }

  /// All members of the header.
  package var header: JSONObject { form.header.members }
  /// `kid`, a hint which key to use (RFC 7515 section 4.1.4). An opaque text by anyone's hand.
  package var keyID: String? { form.header.keyID }
  /// `typ` (RFC 7515 section 4.1.9).
  package var type: String? { form.header.type }

  /// What the token says, by anyone's hand. For showing it to its owner only.
  package var unverifiedPayload: [UInt8] { form.payload }

  /// Checks the signature.
  ///
  /// Nothing is fetched: `keys` is the whole trust.
  ///
  /// - Parameters:
  ///   - keys: The issuer's keys.
  ///   - algorithms: Accepted `alg` values. The token only chooses among them (RFC 8725 section 3.1).
  ///   - allowedTypes: Accepted `typ` values; `JWT` or none unless said otherwise.
  /// - Throws: ``JOSEError``. `unknownKey` and `badSignature` may be cured by fetching the keys anew.
  package func verified(
    by keys: JWKSet, algorithms: Set<JWSAlgorithm>, allowedTypes: AllowedTypes = .optional(["JWT"])
  ) throws(JOSEError) -> VerifiedJWS {
    guard algorithms.contains(algorithm) else { throw JOSEError(.algorithmNotAllowed) }
    guard allowedTypes.allow(type) else { throw JOSEError(.wrongType) }
    let key = try keys.key(for: algorithm, keyID: keyID)
    guard try key.verify(algorithm, signature: form.signature.span, message: form.signedText.span)
    else { throw JOSEError(.badSignature) }
    return VerifiedJWS(header: header, payload: form.payload, algorithm: algorithm, keyID: keyID)
  }
}

/// A token whose signature was checked with a key that the caller trusts. There is no other way to get one.
package struct VerifiedJWS: Sendable {
  /// All members of the header, which the signature covers.
  package let header: JSONObject
  /// What was signed.
  package let payload: [UInt8]
  /// The algorithm of the signature.
  package let algorithm: JWSAlgorithm
  /// The `kid` that chose the key; nil when the set had only one that fitted.
  package let keyID: String?

  fileprivate init(header: JSONObject, payload: [UInt8], algorithm: JWSAlgorithm, keyID: String?) {
    self.header = header
    self.payload = payload
    self.algorithm = algorithm
    self.keyID = keyID
  }
}
