package import Crypto
internal import Encoding

/// The key that a sign-in's tokens are bound to (RFC 9449 section 3).
package final class DPoPKey: Sendable {
  /// In order of preference.
  package static let algorithms: [JWSAlgorithm] = [.ES256, .Ed25519, .EdDSA, .PS256, .ES384, .RS256]
  /// Limits ``serialized()``.
  private static let maximumBytes = 4096
  /// The minimum key size (RFC 7518 section 3.3).
  private static let rsaBits = 2048
  private static let separator = UInt8(ascii: ".")

  package let algorithm: JWSAlgorithm
  private let key: PrivateKey
  private let jwk: JWK

  /// The preferred algorithm that server (RFC 9449 section 5.1), resource (RFC 9728 section 2) and profile allow. Nil
  /// lists allow all.
  package static func algorithm(
    announced: [String]?, resource: [String]? = nil, profile: SecurityProfile? = nil
  ) -> JWSAlgorithm? {
    let permitted = algorithms.filter { profile == nil || FAPI2.algorithms.contains($0) }
    return permitted.first { algorithm in
      [announced, resource].allSatisfy { $0?.contains(algorithm.rawValue) ?? true }
    }
  }

  /// Generates a key for one of ``algorithms``, in `device` if any (ES256 only).
  package static func generate(
    for algorithm: JWSAlgorithm = .ES256, in device: (any KeyDevice)? = nil
  ) throws(OAuthError) -> DPoPKey {
    do throws(CryptoError) {
      if let device { return try DPoPKey(try .make(in: device), algorithm) }
      return try DPoPKey(try key(for: algorithm), algorithm)
    } catch {
      throw OAuthError(signing: error, subject)
    }
  }

  private static func key(for algorithm: JWSAlgorithm) throws(CryptoError) -> PrivateKey {
    switch algorithm.signatureAlgorithm {
    case .rsaPKCS1, .rsaPSS: try .generateRSA(bits: rsaBits)
    case .raw(let type): try .generate(type)
    case .ecdsa(let curve, _): try .generateEC(curve)
    }
  }

  /// Parses the result of ``serialized()`` without contacting the device. Throws `cryptoFailure` if invalid.
  package static func parse(_ text: SharedSecret, in device: any KeyDevice) throws(OAuthError) -> DPoPKey {
    do throws(CryptoError) {
      var buffer = SecretBuffer(capacity: maximumBytes)
      let algorithm = text.bytes.withBytes { (text) -> JWSAlgorithm? in
        guard text.count <= maximumBytes else { return nil }
        let (algorithm, start) = algorithmBefore(text)
        do { try Base64URL.decode(text.extracting(start..<text.count), to: &buffer) } catch { return nil }
        return algorithm
      }
      guard let algorithm else { throw CryptoError(.invalidKey, "DPoP key") }
      let bytes = try buffer.finish()
      let key = try bytes.withBytes { (bytes) throws(CryptoError) in try PrivateKey(stored: bytes, in: device) }
      return try DPoPKey(key, algorithm)
    } catch {
      throw failure
    }
  }

  /// The algorithm before the key (ES256 if absent, nil if unknown) and the key's offset.
  private static func algorithmBefore(_ text: Span<UInt8>) -> (JWSAlgorithm?, Int) {
    guard let end = text.indices.first(where: { text[$0] == separator }) else { return (.ES256, 0) }
    let name = (0..<end).map { text[$0] }
    return (algorithms.first { $0.rawValue.utf8.elementsEqual(name) }, end + 1)
  }

  private init(_ key: consuming PrivateKey, _ algorithm: JWSAlgorithm) throws(CryptoError) {
    guard let jwk = try? JWK(key.publicComponents), jwk.fits(algorithm) else {
      throw CryptoError(.invalidKey, "DPoP key")
    }
    self.algorithm = algorithm
    self.jwk = jwk
    self.key = key
  }

  /// Returns ``PrivateKey/serializedForVault()`` in base64url, after the algorithm and a dot unless ES256.
  package func serialized() throws(OAuthError) -> SharedSecret {
    do throws(CryptoError) {
      let structure = try key.serializedForVault()
      var text = SecretBuffer(capacity: 8 + Base64URL.encodedCount(structure.count))
      if algorithm != .ES256 {
        text.append(utf8: algorithm.rawValue)
        text.append(Self.separator)
      }
      structure.withBytes { Base64URL.append($0, to: &text) }
      return SharedSecret(try text.finish())
    } catch {
      throw Self.failure
    }
  }

  package var isInDevice: Bool { key.isInDevice }

  /// The SHA-256 thumbprint (RFC 7638), sent as `jkt` (RFC 9449 section 6.1).
  package var thumbprint: String { jwk.thumbprint() }

  /// The public key for a proof's header (RFC 9449 section 4.2).
  var publicMembers: JSONObject { jwk.requiredMembers }

  func sign(header: JSONObject, _ claims: JSONObject) throws(OAuthError) -> String {
    do throws(CryptoError) {
      return try JWSSigner.sign(
        header: header, payload: JSON.object(claims).serialized(), key: key, algorithm: algorithm)
    } catch {
      throw OAuthError(signing: error, Self.subject)
    }
  }

  private static let subject = OAuthError.Subject.dpopKey

  static var failure: OAuthError { OAuthError(.cryptoFailure, subject) }
}
