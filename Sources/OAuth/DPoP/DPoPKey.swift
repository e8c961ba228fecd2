package import Crypto
internal import Encoding
internal import JOSE

/// The key that an account's tokens are bound to (RFC 9449 section 3): an ECDSA key on P-256, made for one sign-in. A
/// token without this key cannot be used.
package final class DPoPKey: Sendable {
  static let algorithm = JWSAlgorithm.ES256
  /// The algorithm that signs proofs, by the name that servers announce (RFC 9449 section 5.1).
  package static var algorithmName: String { algorithm.rawValue }
  /// Longer than any text of ``serialized()``.
  private static let mostBytes = 1024

  private let key: PrivateKey
  private let jwk: JWK

  /// A new key.
  package static func generate() throws(OAuthError) -> DPoPKey {
    do throws(CryptoError) {
      return try DPoPKey(try .generateEC(.p256))
    } catch {
      throw failure
    }
  }

  /// Reads what ``serialized()`` wrote.
  ///
  /// - Throws: `cryptoFailure` when it is anything else.
  package static func parse(_ text: SharedSecret) throws(OAuthError) -> DPoPKey {
    do throws(CryptoError) {
      var buffer = SecretBuffer(capacity: mostBytes)
      let isText = text.bytes.withBytes { (text) -> Bool in
        guard text.count <= mostBytes else { return false }
        do { try Base64URL.decode(text, to: &buffer) } catch { return false }
        return true
      }
      guard isText else { throw CryptoError(.invalidKey, "DPoP key") }
      let structure = try buffer.finish()
      return try DPoPKey(try structure.withBytes { (bytes) throws(CryptoError) in try PrivateKey(serialized: bytes) })
    } catch {
      throw failure
    }
  }

  private init(_ key: consuming PrivateKey) throws(CryptoError) {
    guard let jwk = try? JWK(key.publicComponents), jwk.fits(Self.algorithm) else {
      throw CryptoError(.invalidKey, "DPoP key")
    }
    self.jwk = jwk
    self.key = key
  }

  /// The key as one word of printable text, for the vault: PKCS #8 (RFC 5208) in base64url.
  package func serialized() throws(OAuthError) -> SharedSecret {
    do throws(CryptoError) {
      let structure = try key.serialized()
      var text = SecretBuffer(capacity: Base64URL.encodedCount(structure.count))
      structure.withBytes { Base64URL.append($0, to: &text) }
      return SharedSecret(try text.finish())
    } catch {
      throw Self.failure
    }
  }

  /// The `jkt` that servers know the key by: its SHA-256 thumbprint (RFC 9449 section 6.1, RFC 7638).
  package var thumbprint: String { jwk.thumbprint() }

  /// The public key as the header of a proof holds it: the members that it needs and no others
  /// (RFC 9449 section 4.2).
  var publicMembers: JSONObject { jwk.requiredMembers }

  func sign(header: JSONObject, _ claims: JSONObject) throws(OAuthError) -> String {
    do {
      return try JWSSigner.sign(
        header: header, payload: JSON.object(claims).serialized(), key: key, algorithm: Self.algorithm)
    } catch {
      throw Self.failure
    }
  }

  static var failure: OAuthError { OAuthError(.cryptoFailure, "the account's DPoP key") }
}
