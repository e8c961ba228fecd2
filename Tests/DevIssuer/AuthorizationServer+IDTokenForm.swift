import Crypto
import Encoding
import JOSE

/// ID Tokens whose header, form or signature is not what it should be.
extension AuthorizationServer {
  func token(_ claims: JSONObject, by key: SigningKey, _ fault: IDTokenFault?) throws(JOSEError) -> String {
    var header = key.header
    switch fault {
    case .unsigned: return Self.unsigned(claims)
    case .signature: return Self.withWrongSignature(try key.sign(claims))
    case .padded: return try key.sign(claims) + "=="
    case .fiveParts: return Self.encrypted()
    case .hs256: return try Self.underPublicKey(claims, key)
    case .algorithm: return try Self.otherAlgorithm(claims, key)
    case .twoSUBs:
      let payload = Array("{\"sub\":\"user-mallory\",".utf8) + JSON.object(claims).serialized().dropFirst()
      return try key.sign(payload, header: header)
    case .kid: return try Self.strangeKey(key.algorithm).sign(claims)
    case .jwk, .jku:
      let stranger = try Self.strangeKey(key.algorithm)
      header = stranger.header
      header["kid"] = nil
      header[fault == .jwk ? "jwk" : "jku"] = fault == .jwk ? stranger.jwk : .string(issuer + "/echo")
      return try stranger.sign(claims, header: header)
    case .noKID: header["kid"] = nil
    case .crit:
      header["crit"] = ["https://issuer.invalid/extension"]
      header["https://issuer.invalid/extension"] = true
    case .type: header["typ"] = "at+jwt"
    default: break
    }
    return try key.sign(claims, header: header)
  }

  /// A key that the JWK Set does not hold.
  private static func strangeKey(_ algorithm: JWSAlgorithm) throws(JOSEError) -> SigningKey {
    do {
      return try SigningKey(algorithm)
    } catch {
      throw JOSEError(.library)
    }
  }

  /// An unsecured JWT (RFC 7519 section 6).
  private static func unsigned(_ claims: JSONObject) -> String {
    let header: JSON = ["alg": "none", "typ": "JWT"]
    return Base64URL.encode(header.serialized()) + "." + Base64URL.encode(JSON.object(claims).serialized()) + "."
  }

  /// The same token with one bit of the signature changed.
  private static func withWrongSignature(_ token: String) -> String {
    let parts = token.split(separator: ".").map(String.init)
    guard parts.count == 3, var signature = try? Base64URL.decode(parts[2]), !signature.isEmpty else { return token }
    signature[signature.count / 2] ^= 1
    return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
  }

  /// What an encrypted token looks like; nothing is in it.
  private static func encrypted() -> String {
    let header: JSON = ["alg": "RSA-OAEP-256", "enc": "A256GCM"]
    return ([header.serialized()] + ["key", "vector", "text", "tag"].map { Array($0.utf8) })
      .map { Base64URL.encode($0) }.joined(separator: ".")
  }

  /// The published key as if it were a shared secret (RFC 8725 section 2.1).
  private static func underPublicKey(_ claims: JSONObject, _ key: SigningKey) throws(JOSEError) -> String {
    var header = key.header
    header["alg"] = "HS256"
    let input =
      Base64URL.encode(JSON.object(header).serialized()) + "." + Base64URL.encode(JSON.object(claims).serialized())
    let (secret, message) = (key.jwk.serialized(), Array(input.utf8))
    do {
      return input + "." + Base64URL.encode(try HMAC.sha256(key: secret.span, message.span))
    } catch {
      throw JOSEError(.library)
    }
  }

  /// RSA keys serve several algorithms; of the others there is one each, so that it must be another key.
  private static func otherAlgorithm(_ claims: JSONObject, _ key: SigningKey) throws(JOSEError) -> String {
    switch key.algorithm {
    case .RS256, .RS384, .RS512: try key.sign(claims, algorithm: .PS256)
    case .PS256, .PS384, .PS512: try key.sign(claims, algorithm: .RS256)
    case .ES384: try strangeKey(.ES256).sign(claims, header: key.header)
    default: try strangeKey(.ES384).sign(claims, header: key.header)
    }
  }
}
