internal import Crypto
internal import Encoding

/// The body of a request while it is written. It may hold tokens, so it is written on the secure heap.
struct RequestForm: ~Copyable {
  private var buffer = SecretBuffer()
  private var isFirst = true
  private var namesClient = false

  /// The client ID is added only once: some requests must have it, and so do some methods of authentication (RFC 6749
  /// section 3.2: no parameter twice).
  mutating func add(_ name: RequestParameter, _ value: String) { add(named: name.rawValue, value) }

  /// The same for a name that a provider or the account has chosen.
  mutating func add(named name: String, _ value: String) {
    if name.utf8.elementsEqual(RequestParameter.clientID.rawValue.utf8) {
      if namesClient { return }
      namesClient = true
    }
    Form.append(name: name, value: value, to: &buffer, isFirst: &isFirst)
  }

  mutating func add(_ name: RequestParameter, secret: SharedSecret) {
    secret.bytes.withBytes { Form.append(name: name.rawValue, secret: $0, to: &buffer, isFirst: &isFirst) }
  }

  /// An empty scope is never sent: some servers take it for all scopes.
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
    /// The name that Glewlwyd registers for it.
    package static let unregisteredDevice = "device_authorization"
    package static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// The grants by which a person can sign in.
    package static let signIn = [code, device, unregisteredDevice]
  }
}
