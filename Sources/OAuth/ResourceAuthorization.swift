package import Crypto
package import Encoding

/// What proves to a resource that a request may be made: the one place where an access token gets into a
/// request to a resource.
package struct ResourceAuthorization: Sendable {
  private let accessToken: SharedSecret

  package init(accessToken: SharedSecret) { self.accessToken = accessToken }

  /// The fields to send with one request, which are made anew for each attempt.
  package func fields(method: ResourceMethod, uri: URI) throws(OAuthError) -> [SecretField] {
    [SecretField("Authorization", SharedSecret(try Self.value(scheme: "Bearer", accessToken)))]
  }

  /// The value of an `Authorization` header (RFC 6750 section 2.1).
  private static func value(scheme: String, _ token: SharedSecret) throws(OAuthError) -> SecretBytes {
    var value = SecretBuffer(capacity: token.bytes.count + 16)
    value.append(utf8: scheme)
    value.append(UInt8(ascii: " "))
    token.bytes.withBytes { value.append(contentsOf: $0) }
    do { return try value.finish() } catch { throw OAuthError(.cryptoFailure, "the request") }
  }
}
