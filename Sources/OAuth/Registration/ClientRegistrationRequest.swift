package import Encoding

/// The metadata that a native client registers (RFC 7591 section 2, OpenID Connect Dynamic Client Registration 1.0
/// section 2).
package struct ClientRegistrationRequest: Sendable {
  /// The name that the person sees when they are asked to approve.
  package var name: String
  package var softwareID: String
  package var softwareVersion: String
  package var grantTypes: [String] = []
  /// Only for the authorization code grant.
  package var redirectURIs: [String] = []
  package var tokenEndpointAuthMethod = "none"
  package var scope: Scope?
  /// Public keys, for `private_key_jwt`.
  package var keys: [JSONObject] = []
  /// Tokens are to be bound to the client's certificate (RFC 8705 section 3.4).
  package var bindsTokensToCertificate = false
  /// Tokens are to be bound to a key (RFC 9449 section 5.2).
  package var bindsTokensToKey = false
  /// The `alg` of ID Tokens; nil leaves it to the server.
  package var idTokenAlgorithm: String?
  /// The `alg` of UserInfo, which is to be signed then.
  package var userInfoAlgorithm: String?

  package init(name: String, softwareID: String, softwareVersion: String) {
    self.name = name
    self.softwareID = softwareID
    self.softwareVersion = softwareVersion
  }

  var json: JSONObject {
    let usesCode = grantTypes.contains(AuthorizationServer.GrantType.code)
    var object: JSONObject = [
      "application_type": "native", "client_name": .string(name), "software_id": .string(softwareID),
      "software_version": .string(softwareVersion), "grant_types": .array(grantTypes.map { .string($0) }),
      "response_types": usesCode ? ["code"] : [],
      "token_endpoint_auth_method": .string(tokenEndpointAuthMethod),
    ]
    if usesCode { object["redirect_uris"] = .array(redirectURIs.map { .string($0) }) }
    if let scope, !scope.isEmpty { object["scope"] = .string(scope.text) }
    if !keys.isEmpty { object["jwks"] = .object(["keys": .array(keys.map { .object($0) })]) }
    if bindsTokensToKey { object["dpop_bound_access_tokens"] = true }
    if bindsTokensToCertificate { object["tls_client_certificate_bound_access_tokens"] = true }
    object["id_token_signed_response_alg"] = idTokenAlgorithm.map { .string($0) }
    object["userinfo_signed_response_alg"] = userInfoAlgorithm.map { .string($0) }
    return object
  }
}
