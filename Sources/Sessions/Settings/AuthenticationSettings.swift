internal import Encoding

/// The ways in which a client can prove who it is (RFC 6749 section 2.3, OpenID Connect Core 1.0 section 9,
/// RFC 8705 section 2), by their names in metadata.
package enum ClientAuthenticationMethod: String, Sendable, CaseIterable {
  case none
  case secretBasic = "client_secret_basic"
  case secretPost = "client_secret_post"
  case privateKeyJWT = "private_key_jwt"
  case tlsClientAuth = "tls_client_auth"
  case selfSignedTLSClientAuth = "self_signed_tls_client_auth"
}

/// How a client proves who it is, beyond the method's name. Nothing here is secret, and nothing here decides
/// where a secret goes.
package struct AuthenticationSettings: Sendable, Hashable {
  /// HTTP Basic without the form encoding of RFC 6749 section 2.3.1, for servers that do not undo it.
  package var isBasicUnencoded = false
  /// A certificate is shown in the TLS handshake: to prove who the client is where the method says so, and to
  /// bind tokens to it (RFC 8705). The certificate itself is in the vault.
  package var showsCertificate = false
  /// The `alg` of assertions; nil leaves it to the key.
  package var keyAlgorithm: String?
  /// The `kid` of assertions.
  package var keyID: String?
  /// The `aud` of assertions: `issuer`, which nil means too, `token_endpoint` or `endpoint`.
  package var assertionAudience: String?

  package init() {}

  /// Whether a client with these settings needs no secret of its own.
  func isPublic(_ method: String) -> Bool { method == ClientAuthenticationMethod.none.rawValue && !showsCertificate }

  init(_ reader: SettingsReader) throws(ConfigurationError) {
    isBasicUnencoded = try reader.flag("basic_unencoded")
    showsCertificate = try reader.flag("client_certificate")
    keyAlgorithm = try reader.text("client_key_algorithm")
    keyID = try reader.text("client_key_id")
    assertionAudience = try reader.text("assertion_audience")
  }

  /// The settings by name; nil for those with their default value.
  var members: [(String, JSON?)] {
    [
      ("basic_unencoded", isBasicUnencoded ? true : nil), ("client_certificate", showsCertificate ? true : nil),
      ("client_key_algorithm", keyAlgorithm.map { .string($0) }), ("client_key_id", keyID.map { .string($0) }),
      ("assertion_audience", assertionAudience.map { .string($0) }),
    ]
  }
}
