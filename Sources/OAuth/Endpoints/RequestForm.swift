internal import Crypto
internal import Encoding

/// A form for a request body, on the secure heap.
struct RequestForm: ~Copyable {
  private var buffer = SecretBuffer()
  private var isFirst = true
  private var hasClientID = false

  /// Adds a parameter. Skips a second client ID, since requests and authentication methods both add it (RFC 6749
  /// section 3.2 forbids duplicates).
  mutating func add(_ name: RequestParameter, _ value: String) { add(named: name.rawValue, value) }

  mutating func add(named name: String, _ value: String) {
    if name.hasSameBytes(as: RequestParameter.clientID.rawValue) {
      if hasClientID { return }
      hasClientID = true
    }
    Form.append(name: name, value: value, to: &buffer, isFirst: &isFirst)
  }

  mutating func add(_ name: RequestParameter, secret: SharedSecret) {
    secret.bytes.withBytes { Form.append(name: name.rawValue, secret: $0, to: &buffer, isFirst: &isFirst) }
  }

  /// Adds a scope unless empty, which some servers interpret as all scopes.
  mutating func add(_ scope: Scope?) {
    if let scope, !scope.isEmpty { add(.scope, scope.text) }
  }

  consuming func finish() throws(OAuthError) -> SecretBytes {
    do { return try buffer.finish() } catch { throw OAuthError(.cryptoFailure, .request) }
  }
}

extension AuthorizationServer {
  /// Values of `grant_type` (RFC 6749 section 4, RFC 7523 section 2.1, RFC 8628 section 3.4, RFC 8693 section 2.1).
  package enum GrantType {
    package static let code = "authorization_code"
    package static let refresh = "refresh_token"
    package static let clientCredentials = "client_credentials"
    package static let device = "urn:ietf:params:oauth:grant-type:device_code"
    /// Glewlwyd's name for the device grant.
    package static let unregisteredDevice = "device_authorization"
    package static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    package static let signIn = [code, device, unregisteredDevice]
  }
}
