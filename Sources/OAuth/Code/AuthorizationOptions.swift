/// The optional parts of an authorization request.
package struct AuthorizationOptions: Sendable, Hashable {
  /// The prompt to request, such as `login` or `consent` (OpenID Connect Core section 3.1.2.1).
  package var prompt: String?
  /// The user name to suggest (`login_hint`, section 3.1.2.1).
  package var loginHint: String?
  /// Acceptable authentication contexts. One must be met (section 3.1.2.1).
  package var acrValues: [String] = []
  /// The maximum age of the user's authentication, in seconds (section 3.1.2.1).
  package var maxAge: Int?
  /// The requested resources, as absolute URIs (RFC 8707 section 2).
  package var resources: [String] = []
  /// The requested audience, for servers that use it instead of `resource`.
  package var audience: String?
  /// The thumbprint of the DPoP key to bind the code to (RFC 9449 section 10).
  package var dpopKeyThumbprint: String?
  /// Parameters added by the account's settings.
  package var extras = ExtraParameters()
  /// The claims that a resource's challenge requires.
  package var challengedClaims: RequestedClaims?

  /// The `iss` of a known provider's responses, if it is not the issuer itself.
  var responseIssuer: String?
  /// The extra parameters that a known provider requires.
  var providerParameters: [Provider.Parameter] = []

  var profile: SecurityProfile?

  /// Whether to refuse servers that do not announce PKCE, as MCP requires of resource clients.
  package var needsAnnouncedPKCE = false

  /// Whether to push the request (RFC 9126) only if required by the server or profile.
  package var pushesIfNeeded = false

  package init() {}
}
