package import Crypto
package import Encoding

/// A proof of possession (RFC 9449 section 4.2). Each request and retry needs a new one.
package struct DPoPProof: Sendable {
  package static let maximumNonceBytes = 1024
  /// Random bytes in `jti`.
  private static let identifierBytes = 16

  /// Case-sensitive.
  package var method: String
  package var url: URI
  /// Nil at a token endpoint.
  package var accessToken: SharedSecret?
  package var nonce: String?
  /// `iat`, in unix seconds.
  package var issuedAt: Int

  /// Signs the proof with a new `jti`. Returns the `DPoP` header.
  package func signed(by key: DPoPKey) throws(OAuthError) -> String {
    let identifier: [UInt8]
    do { identifier = try Random.bytes(Self.identifierBytes) } catch { throw DPoPKey.failure }
    var claims = JSONObject([
      ("jti", .string(Base64URL.encode(identifier))), ("htm", .string(method)), ("htu", .string(target)),
      ("iat", .int(issuedAt)),
    ])
    if let accessToken { claims["ath"] = .string(try Self.hash(of: accessToken)) }
    if let nonce { claims["nonce"] = .string(nonce) }
    return try key.sign(header: ["typ": "dpop+jwt", "jwk": .object(key.publicMembers)], claims)
  }

  /// The `htu` claim: the normalized URL without query and fragment (RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and
  /// 6.2.3).
  package var target: String { url.origin + (url.path.isEmpty ? "/" : url.path) }

  /// The `ath` claim (RFC 9449 section 4.2).
  package static func hash(of accessToken: SharedSecret) throws(OAuthError) -> String {
    do throws(CryptoError) {
      return Base64URL.encode(
        try accessToken.bytes.withBytes { (bytes) throws(CryptoError) in try Digest.sha256.hash(bytes) })
    } catch {
      throw DPoPKey.failure
    }
  }

  /// Whether `text` is 1 to 1,024 NQCHAR characters (RFC 9449 section 8.1).
  package static func isNonce(_ text: String) -> Bool {
    (1...maximumNonceBytes).contains(text.utf8.count)
      && text.utf8.allSatisfy(\.isUnquotedASCII)
  }
}
