import Crypto
import Encoding
import JOSE

extension AuthorizationServer {
  private static let manyCount = 2000

  /// The JWK Set (RFC 7517 section 5).
  func jwks() throws(OAuthFailure) -> Response {
    let (key, fault) = withState { (state) -> (SigningKey, KeySetFault?) in
      state.count(.jwks)
      if state.settings.keySetFault != nil { state.count(.misbehaviours) }
      return (state.key, state.settings.keySetFault)
    }
    let keys = try checked { () throws(CryptoError) in try Self.keys(key, fault) }
    return Self.cacheable(["keys": .array(keys)])
  }

  private static func keys(_ key: SigningKey, _ fault: KeySetFault?) throws(CryptoError) -> [JSON] {
    switch fault {
    case nil: [key.jwk]
    case .empty: []
    case .many: [JSON](repeating: key.jwk, count: manyCount)
    case .mixed: [key.jwk, .object(["kty": "oct", "k": .string(Base64URL.encode(try Random.bytes(32)))])]
    case .privateKey: [changed(key.jwk, "d", .string(Base64URL.encode(try Random.bytes(32))))]
    case .weak: [try weak(key)]
    case .several: [key.jwk, try SigningKey(key.algorithm).jwk]
    case .duplicate: [key.jwk, changed(try SigningKey(key.algorithm).jwk, "kid", .string(key.keyID))]
    }
  }

  private static func changed(_ jwk: JSON, _ name: String, _ value: JSON) -> JSON {
    guard var members = jwk.object else { return jwk }
    members[name] = value
    return .object(members)
  }

  /// Nobody knows the factors of this one, if it has any; nobody is to come that far.
  private static func weak(_ key: SigningKey) throws(CryptoError) -> JSON {
    var modulus = try Random.bytes(128)
    modulus[0] |= 0x80
    modulus[127] |= 1
    return .object([
      "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": "AQAB", "kid": .string(key.keyID), "use": "sig",
    ])
  }
}
