internal import Crypto
internal import Encoding

/// Authenticates the client with a new signed token for each attempt (RFC 7523 section 2.2, OpenID Connect Core section
/// 9).
package struct ClientAssertion: Sendable {
  /// In seconds.
  package static let lifetime = 60

  private let key: ClientKey
  let audience: AssertionAudience
  private let wallSeconds: @Sendable () -> Int

  /// `wallSeconds` returns unix seconds.
  package init(_ key: ClientKey, audience: AssertionAudience = .issuer, wallSeconds: @escaping @Sendable () -> Int) {
    self.key = key
    self.audience = audience
    self.wallSeconds = wallSeconds
  }

  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  func algorithm(at metadata: AuthorizationServerMetadata) -> JWSAlgorithm {
    key.algorithm(announced: metadata.tokenEndpointAuthSigningAlgorithms)
  }

  func make(
    clientID: String, for endpoint: Endpoint, of metadata: AuthorizationServerMetadata
  ) throws(OAuthError) -> SharedSecret {
    let now = wallSeconds()
    var header: JSONObject = ["typ": "client-authentication+jwt"]
    header["kid"] = key.keyID.map { .string($0) }
    do throws(CryptoError) {
      let claims: JSONObject = [
        "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience.text(endpoint, metadata)),
        "jti": .string(Base64URL.encode(try Random.bytes(16))), "iat": .int(now), "exp": .int(now + Self.lifetime),
      ]
      let token = try JWSSigner.sign(
        header: header, payload: JSON.object(claims).serialized(), key: key.key,
        algorithm: algorithm(at: metadata))
      var secret = SecretBuffer(capacity: token.utf8.count)
      secret.append(utf8: token)
      return SharedSecret(try secret.finish())
    } catch {
      throw OAuthError(signing: error, .clientKey)
    }
  }
}
