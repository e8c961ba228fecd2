/// The optional parts of an authorization request (OpenID Connect Core section 3.1.2.1).
package struct AuthorizationOptions: Sendable, Hashable {
  package var prompt: String?
  package var loginHint: String?
  package var acrValues: [String] = []
  /// Seconds since the user's authentication.
  package var maxAge: Int?
  /// Absolute URIs (RFC 8707 section 2).
  package var resources: [String] = []
  /// Replaces `resource` at some servers.
  package var audience: String?
  /// Binds the code to a DPoP key (RFC 9449 section 10).
  package var dpopKeyThumbprint: String?
  /// Parameters from the account's settings.
  package var extras = ExtraParameters()
  /// Required by a resource's challenge.
  package var challengedClaims: RequestedClaims?

  /// The `iss` in a known provider's responses, if not the issuer.
  var responseIssuer: String?
  var providerParameters: [Provider.Parameter] = []

  var profile: SecurityProfile?

  /// Whether to refuse servers that do not announce PKCE, as MCP requires.
  package var needsAnnouncedPKCE = false

  /// Whether to push the request (RFC 9126) only if server or profile require it.
  package var pushesIfNeeded = false

  package init() {}
}
