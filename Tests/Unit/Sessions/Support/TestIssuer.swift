import Crypto
import Encoding
import OAuth

struct TestIssuer: Sendable {
  static let text = "https://as.example/tenant"
  static let metadataURL = text + "/.well-known/openid-configuration"
  static let tokenURL = "https://as.example/token"
  static let deviceURL = "https://as.example/device"
  static let keysURL = "https://as.example/keys"
  static let userInfoURL = "https://api.as.example/userinfo"
  static let revocationURL = "https://as.example/revoke"

  static let first = try! TestIssuer(keyID: "first")
  /// The same issuer after a key rotation.
  static let second = try! TestIssuer(keyID: "second")

  /// The wall clock of `ManualTime` at the beginning of a test.
  static let now = 1_700_000_000

  private final class Key: Sendable {
    let key: PrivateKey
    init(_ key: consuming PrivateKey) { self.key = key }
  }

  private let key: Key
  let keyID: String

  private init(keyID: String) throws {
    key = Key(try .generateEC(.p256))
    self.keyID = keyID
  }

  static let metadata: JSONObject = [
    "issuer": .string(text), "token_endpoint": .string(tokenURL), "device_authorization_endpoint": .string(deviceURL),
    "jwks_uri": .string(keysURL), "userinfo_endpoint": .string(userInfoURL),
    "revocation_endpoint": .string(revocationURL), "id_token_signing_alg_values_supported": ["ES256"],
    "scopes_supported": ["openid", "offline_access"], "token_endpoint_auth_methods_supported": ["none"],
  ]

  static let origins = ["https://api.as.example", "https://as.example"]

  /// The metadata with one member changed, or removed if nil.
  static func metadata(_ name: String, _ value: JSON?) -> JSONObject {
    var changed = metadata
    changed[name] = value
    return changed
  }

  /// The JWK Set (RFC 7517 section 5).
  var keySet: JSON {
    guard case .ec(_, let x, let y) = key.key.publicComponents else { return .null }
    return [
      "keys": [
        [
          "kty": "EC", "crv": "P-256", "kid": .string(keyID), "x": .string(Base64URL.encode(x)),
          "y": .string(Base64URL.encode(y)),
        ]
      ]
    ]
  }

  static let claims: JSONObject = [
    "iss": .string(text), "sub": "alice", "aud": "cli", "iat": .int(now), "exp": .int(now + 300), "name": "Alice",
  ]

  /// A signed ID Token, optionally with one claim changed.
  func idToken(_ name: String? = nil, _ value: JSON? = nil) throws -> String {
    try idToken(JSONObject(name.map { [($0, value ?? .null)] } ?? []))
  }

  /// A signed ID Token with some claims changed, or removed if null.
  func idToken(_ changes: JSONObject) throws -> String {
    var claims = Self.claims
    for name in changes.names { claims[name] = changes[name] == .null ? nil : changes[name] }
    return try JWSSigner.sign(
      header: ["typ": "JWT", "kid": .string(keyID)], payload: JSON.object(claims).serialized(), key: key.key,
      algorithm: .ES256)
  }
}

/// A response of the token endpoint (RFC 6749 section 5.1).
func tokens(
  _ accessToken: String, refresh: String? = nil, idToken: String? = nil, expiresIn: Int? = 300, scope: String? = nil
) throws -> HTTPResponse {
  var body: JSONObject = ["access_token": .string(accessToken), "token_type": "bearer"]
  body["refresh_token"] = refresh.map { .string($0) }
  body["id_token"] = idToken.map { .string($0) }
  body["expires_in"] = expiresIn.map { .int($0) }
  body["scope"] = scope.map { .string($0) }
  return try response(200, .object(body))
}

/// An error response (RFC 6749 section 5.2).
func refusal(_ error: String, status: Int = 400, headers: [(String, String)] = []) throws -> HTTPResponse {
  try response(status, ["error": .string(error)], headers: headers)
}

func refused(_ code: OAuthError.Code, _ subject: OAuthError.Subject, _ error: String?, status: Int) -> OAuthError {
  var made = OAuthError(code, subject, httpStatus: status)
  made.serverError = error
  return made
}
