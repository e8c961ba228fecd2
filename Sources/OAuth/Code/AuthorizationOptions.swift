internal import Vocabulary

/// The optional parameters of an authorization request.
package struct AuthorizationOptions: Sendable, Hashable {
  /// Prompt that the server must show, such as `login` or `consent` (OpenID Connect Core 1.0 section 3.1.2.1).
  package var prompt: String?
  /// The user name to suggest (`login_hint`, section 3.1.2.1).
  package var loginHint: String?
  /// How the person is to authenticate; any of them will do (section 3.1.2.1).
  package var acrValues: [String] = []
  /// How long ago the person may have authenticated, in seconds (section 3.1.2.1).
  package var maxAge: Int?
  /// The resources that the token is for, as absolute URIs (RFC 8707 section 2).
  package var resources: [String] = []
  /// The same for servers that know names instead.
  package var audience: String?
  /// The thumbprint of the key that the code shall be bound to (RFC 9449 section 10).
  package var dpopKeyThumbprint: String?
  /// The account's own parameters of every sign-in.
  package var extras = ExtraParameters()
  /// The claims that a resource demanded.
  package var challengedClaims: RequestedClaims?

  /// Another name of the issuer that a known provider's answers have.
  var responseIssuer: String?
  /// The extra parameters of a known provider.
  var providerParameters: [Provider.Parameter] = []

  /// The security profile that the answer must keep; nil demands none.
  var profile: SecurityProfile?

  /// A server that does not announce PKCE is refused, as clients of resources must (Model Context Protocol,
  /// authorization).
  package var needsAnnouncedPKCE = false

  package init() {}
}
