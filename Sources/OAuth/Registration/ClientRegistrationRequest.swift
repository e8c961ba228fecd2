package import Encoding

/// Client metadata to register (RFC 7591 section 2, OpenID Connect Dynamic Client Registration 1.0 section 2) or
/// publish (draft-ietf-oauth-client-id-metadata-document-03 section 4).
package struct ClientRegistrationRequest: Sendable {
  /// The published document's URL; nil when registering.
  package var clientID: String?
  package var name: String
  package var softwareID: String?
  package var softwareVersion: String?
  package var grantTypes: [String] = []
  /// Empty without the authorization code grant.
  package var redirectURIs: [String] = []
  package var tokenEndpointAuthMethod = "none"
  package var scope: Scope?
  /// Public keys, for `private_key_jwt`.
  package var keys: [JSONObject] = []
  /// See RFC 8705 section 3.4.
  package var bindsTokensToCertificate = false
  /// Whether tokens are DPoP-bound (RFC 9449 section 5.2).
  package var bindsTokensToKey = false
  /// Nil for the server's default.
  package var idTokenAlgorithm: String?
  /// Nil if UserInfo need not be signed.
  package var userInfoAlgorithm: String?

  package init(name: String, softwareID: String? = nil, softwareVersion: String? = nil) {
    self.name = name
    self.softwareID = softwareID
    self.softwareVersion = softwareVersion
  }

  /// In a fixed order, without secrets.
  package var json: JSONObject {
    let list = { (texts: [String]) in JSON.array(texts.map { .string($0) }) }
    let usesCode = grantTypes.contains(AuthorizationServer.GrantType.code)
    let members: [(String, JSON?)] = [
      ("client_id", clientID.map { .string($0) }), ("client_name", .string(name)), ("application_type", "native"),
      ("software_id", softwareID.map { .string($0) }), ("software_version", softwareVersion.map { .string($0) }),
      ("grant_types", list(grantTypes)), ("response_types", usesCode ? ["code"] : []),
      ("redirect_uris", usesCode ? list(redirectURIs) : nil),
      ("token_endpoint_auth_method", .string(tokenEndpointAuthMethod)),
      ("jwks", keys.isEmpty ? nil : ["keys": .array(keys.map { .object($0) })]),
      ("scope", scope.flatMap { $0.isEmpty ? nil : .string($0.text) }),
      ("dpop_bound_access_tokens", bindsTokensToKey ? true : nil),
      ("tls_client_certificate_bound_access_tokens", bindsTokensToCertificate ? true : nil),
      ("id_token_signed_response_alg", idTokenAlgorithm.map { .string($0) }),
      ("userinfo_signed_response_alg", userInfoAlgorithm.map { .string($0) }),
    ]
    return JSONObject(members.compactMap { name, value in value.map { (name, $0) } })
  }
}
