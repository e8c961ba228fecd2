package import Crypto
internal import Encoding

/// The key that an account's tokens are bound to (RFC 9449 section 3), created for one sign-in.
package final class DPoPKey: Sendable {
  /// Algorithms for signing proofs, in order of preference.
  package static let algorithms: [JWSAlgorithm] = [.ES256, .Ed25519, .EdDSA, .PS256, .ES384, .RS256]
  /// The maximum length of ``serialized()``, in bytes.
  private static let maxBytes = 4096
  /// The length of an RSA key, in bits (RFC 7518 section 3.3).
  private static let rsaBits = 2048
  private static let separator = UInt8(ascii: ".")

  package let algorithm: JWSAlgorithm
  private let key: PrivateKey
  private let jwk: JWK

  /// Selects a proof algorithm that the server supports (RFC 9449 section 5.1), or returns nil.
  ///
  /// - Parameters:
  ///   - announced: The server's algorithms; nil if not announced.
  ///   - resource: The resource's algorithms (RFC 9728 section 2); nil if not announced.
  ///   - profile: Allows only this profile's algorithms.
  package static func algorithm(
    announced: [String]?, resource: [String]? = nil, profile: SecurityProfile? = nil
  ) -> JWSAlgorithm? {
    let permitted = algorithms.filter { profile == nil || FAPI2.algorithms.contains($0) }
    return permitted.first { algorithm in
      [announced, resource].allSatisfy { $0?.contains(algorithm.rawValue) ?? true }
    }
  }

  /// Generates a key, by default for ES256 on P-256.
  ///
  /// - Parameters:
  ///   - algorithm: One of ``algorithms``.
  ///   - device: The device for the key, which must be for ES256; nil for this process.
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

  /// Parses the output of ``serialized()``.
  ///
  /// - Parameter device: The device that contains the key, if any. It is not contacted.
  /// - Throws: `cryptoFailure` if the text is invalid.
  package static func parse(_ text: SharedSecret, in device: any KeyDevice) throws(OAuthError) -> DPoPKey {
    do throws(CryptoError) {
      var buffer = SecretBuffer(capacity: maxBytes)
      let algorithm = text.bytes.withBytes { (text) -> JWSAlgorithm? in
        guard text.count <= maxBytes else { return nil }
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

  /// The algorithm named in the text, nil if unknown, and the offset of the key. ES256 if the text names none.
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

  /// Serializes the key as one printable word for the vault: ``PrivateKey/serializedForVault()`` in base64url, preceded
  /// by the algorithm's name and a dot unless it is ES256.
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

  /// The SHA-256 thumbprint, sent as `jkt` (RFC 9449 section 6.1, RFC 7638).
  package var thumbprint: String { jwk.thumbprint() }

  /// The public key for the header of a proof (RFC 9449 section 4.2).
  var publicMembers: JSONObject { jwk.requiredMembers }

  /// Signs a proof as a compact JWS.
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
