/// The optional parts of an authorization request (OpenID Connect Core section 3.1.2.1 and others).
package struct AuthorizationOptions: Sendable, Hashable {
  /// The `prompt`, such as `login` or `consent`.
  package var prompt: String?
  /// The user name to suggest.
  package var loginHint: String?
  /// Acceptable authentication contexts, of which one must be met.
  package var acrValues: [String] = []
  /// The maximum age of the user's authentication, in seconds.
  package var maxAge: Int?
  /// Absolute URIs (RFC 8707 section 2).
  package var resources: [String] = []
  /// Sent to servers that expect it instead of `resource`.
  package var audience: String?
  /// The DPoP key to bind the code to (RFC 9449 section 10).
  package var dpopKeyThumbprint: String?
  /// Parameters added by the account's settings.
  package var extras = ExtraParameters()
  /// The claims that a resource's challenge requires.
  package var challengedClaims: RequestedClaims?

  /// The `iss` in a known provider's responses, if it is not the issuer.
  var responseIssuer: String?
  var providerParameters: [Provider.Parameter] = []

  var profile: SecurityProfile?

  /// Whether to refuse servers that do not announce PKCE, as MCP requires of resource clients.
  package var needsAnnouncedPKCE = false

  /// Whether to push the request (RFC 9126) only if the server or profile requires it.
  package var pushesIfNeeded = false

  package init() {}
}
