package import Crypto
internal import Encoding
package import JOSE
package import Vocabulary

/// The key that an account's tokens are bound to (RFC 9449 section 3), made for one sign-in. A token without this key
/// cannot be used.
package final class DPoPKey: Sendable {
  /// The algorithms that sign proofs, in the order in which they are chosen.
  package static let algorithms: [JWSAlgorithm] = [.ES256, .PS256, .RS256]
  /// Longer than any text of ``serialized()``.
  private static let mostBytes = 4096
  /// The length of an RSA key, in bits (RFC 7518 section 3.3).
  private static let rsaBits = 2048
  private static let separator = UInt8(ascii: ".")

  /// The algorithm that signs its proofs.
  package let algorithm: JWSAlgorithm
  private let key: PrivateKey
  private let jwk: JWK

  /// The algorithm for a server that announces these (RFC 9449 section 5.1); nil when there is none.
  ///
  /// - Parameters:
  ///   - announced: Nil where the server does not say.
  ///   - resource: Those that the resource takes, which sees the same key (RFC 9728 section 2); nil where it does not say.
  ///   - profile: Has only the algorithms of the profile be chosen.
  package static func algorithm(
    announced: [String]?, resource: [String]? = nil, profile: SecurityProfile? = nil
  ) -> JWSAlgorithm? {
    let permitted = algorithms.filter { profile == nil || FAPI2.algorithms.contains($0) }
    return permitted.first { algorithm in
      [announced, resource].allSatisfy { $0?.contains(algorithm.rawValue) ?? true }
    }
  }

  /// A new key, for ES256 on P-256.
  ///
  /// - Parameters:
  ///   - algorithm: One of ``algorithms``.
  ///   - device: Where it is made; nil for this process. A device makes keys for ES256 alone.
  package static func generate(
    for algorithm: JWSAlgorithm = .ES256, in device: (any KeyDevice)? = nil
  ) throws(OAuthError) -> DPoPKey {
    do throws(CryptoError) {
      if let device { return try DPoPKey(try .make(in: device), algorithm) }
      return try DPoPKey(algorithm == .ES256 ? try .generateEC(.p256) : try .generateRSA(bits: rsaBits), algorithm)
    } catch {
      throw OAuthError(signing: error, subject)
    }
  }

  /// Reads what ``serialized()`` wrote.
  ///
  /// - Parameter device: That of the key, if it is in one. It is not asked.
  /// - Throws: `cryptoFailure` when it is anything else.
  package static func parse(_ text: SharedSecret, in device: any KeyDevice) throws(OAuthError) -> DPoPKey {
    do throws(CryptoError) {
      var buffer = SecretBuffer(capacity: mostBytes)
      let algorithm = text.bytes.withBytes { (text) -> JWSAlgorithm? in
        guard text.count <= mostBytes else { return nil }
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

  /// The algorithm that a text names, and where its key begins.
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

  /// The key as one word of printable text, for the vault: as ``PrivateKey/stored()`` gives it, in base64url, for another
  /// algorithm than ES256 after its name and a dot.
  package func serialized() throws(OAuthError) -> SharedSecret {
    do throws(CryptoError) {
      let structure = try key.stored()
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

  /// Whether it never leaves a device.
  package var isHeld: Bool { key.isHeld }

  /// The `jkt` that servers know the key by: its SHA-256 thumbprint (RFC 9449 section 6.1, RFC 7638).
  package var thumbprint: String { jwk.thumbprint() }

  /// The public key as the header of a proof holds it: the members that it needs and no others
  /// (RFC 9449 section 4.2).
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
