internal import Encoding

/// The keys published by an issuer (RFC 7517 section 5).
package struct JWKSet: Sendable {
  package static let maximumByteCount = 1 << 20
  package static let maximumKeyCount = 512

  /// Why a key must not be published. It is skipped.
  package enum Warning: Sendable, Hashable, CaseIterable {
    case symmetricKey
    /// Allows every reader of the set to sign tokens.
    case privateKey
  }

  /// In the order of the set.
  package let keys: [JWK]
  /// Skipped keys: unsupported, malformed, weak, or with a warning.
  package let skippedCount: Int
  /// Only those with a `kid`.
  private let skippedKeys: [(keyID: String, reason: JOSEError.Code)]
  /// Skipped keys, except those for encryption.
  package let unusableCount: Int
  package let warnings: [Warning]
  /// Whether the format lacks key IDs, so that a token's `kid` is ignored.
  private let isUnnamed: Bool

  package init(_ keys: [JWK]) { self.init(keys, isUnnamed: false) }

  /// Keys without IDs, for tokens with any `kid`.
  init(unnamed keys: [JWK]) { self.init(keys, isUnnamed: true) }

  private init(_ keys: [JWK], isUnnamed: Bool) {
    self.keys = keys
    self.isUnnamed = isUnnamed
    (skippedCount, unusableCount) = (0, 0)
    (skippedKeys, warnings) = ([], [])
  }

  /// Parses a set, skipping unusable keys.
  ///
  /// - Parameter isPublished: Whether an issuer published the set, which then may not mix symmetric and public keys
  ///   (RFC 7517 section 9.2). Otherwise, symmetric keys are skipped.
  /// - Throws: ``JOSEError``: `tooLong`, `invalidKeySet`, `tooManyKeys` or `mixedKeySet`.
  package init(parsing text: [UInt8], isPublished: Bool = true) throws(JOSEError) {
    guard text.count <= Self.maximumByteCount else { throw JOSEError(.tooLong) }
    guard let value = try? JSON(parsing: text), let members = value["keys"]?.array
    else { throw JOSEError(.invalidKeySet) }
    guard members.count <= Self.maximumKeyCount else { throw JOSEError(.tooManyKeys) }
    let objects = members.compactMap(\.object)
    let symmetric = objects.count(where: JWK.isSymmetric)
    if isPublished, symmetric > 0, symmetric < objects.count { throw JOSEError(.mixedKeySet) }

    var usable: [JWK] = []
    var skippedKeys: [(keyID: String, reason: JOSEError.Code)] = []
    var unusable = members.count - objects.count
    for object in objects {
      do throws(JOSEError) { usable.append(try JWK(object)) } catch {
        if object["use"]?.string != "enc" { unusable += 1 }
        if let keyID = object["kid"]?.string { skippedKeys.append((keyID, error.code)) }
      }
    }
    (keys, self.skippedKeys, self.unusableCount) = (usable, skippedKeys, unusable)
    skippedCount = members.count - keys.count
    warnings = objects.compactMap(Self.warning)
    isUnnamed = false
  }

  private static func warning(_ members: JSONObject) -> Warning? {
    if JWK.isSymmetric(members) { return .symmetricKey }
    return JWK.hasPrivateMembers(members) ? .privateKey : nil
  }

  /// The key with the token's `kid`, or without a `kid`, the only suitable one (OpenID Connect Core section 10.1).
  /// Throws ``JOSEError``: `unknownKey` if fetching the set again may help; `unsuitableKey` or `ambiguousKey`; for a
  /// skipped key, the reason (``JOSEError/Code/forSkippedKey``).
  package func key(for algorithm: JWSAlgorithm, keyID: String?) throws(JOSEError) -> JWK {
    var (isKnown, found) = (false, JWK?.none)
    for key in keys {
      if let keyID, !isUnnamed {
        guard let name = key.keyID, name.hasSameBytes(as: keyID) else { continue }
        isKnown = true
      }
      guard key.fits(algorithm) else { continue }
      // The same key may be in the set twice.
      if let other = found, other.thumbprint() != key.thumbprint() || other.issuer != key.issuer {
        throw JOSEError(.ambiguousKey)
      }
      found = key
    }
    if let found { return found }
    if let keyID, !isKnown, let out = skippedKeys.first(where: { $0.keyID.hasSameBytes(as: keyID) }) {
      throw JOSEError(out.reason.forSkippedKey)
    }
    throw JOSEError(keyID == nil || !isKnown && !isUnnamed ? .unknownKey : .unsuitableKey)
  }

  package func serialized() -> [UInt8] {
    JSON.object(["keys": .array(keys.map { .object($0.published) })]).serialized()
  }
}
