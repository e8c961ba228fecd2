package import Crypto
package import Encoding

/// The claims of one proof: the sender of a request holds the key (RFC 9449 section 4.2). Each request has a proof of
/// its own, a repeated one too.
package struct DPoPProof: Sendable {
  /// The longest nonce that is taken from a server, in bytes.
  package static let longestNonce = 1024
  private static let identifierBytes = 16

  /// As it is sent; case matters.
  package var method: String
  package var url: URI
  /// The token that the request carries; nil at a token endpoint.
  package var accessToken: SharedSecret?
  /// The one that the server asked for.
  package var nonce: String?
  /// Unix seconds.
  package var issuedAt: Int

  package init(method: String, url: URI, accessToken: SharedSecret?, nonce: String?, issuedAt: Int) {
    self.method = method
    self.url = url
    self.accessToken = accessToken
    self.nonce = nonce
    self.issuedAt = issuedAt
  }

  /// The value of the `DPoP` header, with an identifier that no other proof has.
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

  /// The `htu`: the URL without query and fragment, normalised so that every server compares it the same
  /// (RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3).
  package var target: String { url.origin + (url.path.isEmpty ? "/" : url.path) }

  /// The `ath` of a token: the hash of its characters.
  package static func hash(of accessToken: SharedSecret) throws(OAuthError) -> String {
    do throws(CryptoError) {
      return Base64URL.encode(
        try accessToken.bytes.withBytes { (bytes) throws(CryptoError) in try Digest.sha256.hash(bytes) })
    } catch {
      throw DPoPKey.failure
    }
  }

  /// Whether a text can be a nonce: 1 to 1,024 characters NQCHAR (RFC 9449 section 8.1).
  package static func isNonce(_ text: String) -> Bool {
    (1...longestNonce).contains(text.utf8.count)
      && text.utf8.allSatisfy(\.isUnquotedASCII)
  }
}
