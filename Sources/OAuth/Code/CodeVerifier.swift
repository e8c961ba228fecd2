package import Crypto
internal import Encoding

/// The secret that binds a code to its sign-in (PKCE, RFC 7636).
package struct CodeVerifier: Sendable {
  package let secret: SharedSecret

  /// The `code_challenge` by `S256` (RFC 7636 section 4.2).
  package let challenge: String

  /// Not `plain`, which shows the secret in the request (RFC 7636 section 7.2).
  package static let method = "S256"

  /// Creates 43 characters from 32 random bytes (RFC 7636 section 7.1).
  package init() throws(OAuthError) {
    do {
      let random = try SecretBytes.random(32)
      var text = SecretBuffer(capacity: Base64URL.encodedCount(32))
      random.withBytes { Base64URL.append($0, to: &text) }
      try self.init(SharedSecret(try text.finish()))
    } catch {
      throw OAuthError(.cryptoFailure, .signIn)
    }
  }

  /// `secret` has 43 to 128 characters (RFC 7636 section 4.1).
  package init(_ secret: SharedSecret) throws(CryptoError) {
    self.secret = secret
    challenge = Base64URL.encode(
      try secret.bytes.withBytes { (bytes) throws(CryptoError) in try Digest.sha256.hash(bytes) })
  }
}
