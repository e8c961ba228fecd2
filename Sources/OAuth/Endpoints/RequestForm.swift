internal import Crypto
internal import Encoding

/// A form-encoded request body, built in secret memory.
struct RequestForm: ~Copyable {
  private var buffer = SecretBuffer()
  private var isFirst = true
  private var hasClientID = false

  /// Skips a second client ID, which client authentication may add (RFC 6749 section 3.2).
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

  /// Skips an empty scope, which some servers read as all scopes.
  mutating func add(_ scope: Scope?) {
    if let scope, !scope.isEmpty { add(.scope, scope.text) }
  }

  consuming func finish() throws(OAuthError) -> SecretBytes {
    do { return try buffer.finish() } catch { throw OAuthError(.cryptoFailure, .request) }
  }
}
