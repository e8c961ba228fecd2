internal import Crypto
internal import Encoding

/// A sign-in by authorization code and PKCE (RFC 6749 section 4.1, RFC 7636), with its secrets. Use once.
package struct AuthorizationRequest: Sendable {
  package let issuer: Issuer
  package let clientID: String
  /// Sent again to exchange the code (RFC 6749 section 4.1.3).
  package let redirectURI: String
  package let scope: Scope?
  package let options: AuthorizationOptions
  /// 43 random characters, required in responses (RFC 6749 section 10.12).
  package let state: String
  /// 43 random characters; nil if no ID Token was requested.
  package let nonce: String?
  package let verifier: CodeVerifier
  /// Whether every response contains `iss` (RFC 9207 section 3).
  package let responsesNameIssuer: Bool
  /// The template for a multi-tenant server's `iss`.
  let tenant: TenantIssuer?

  init(
    _ metadata: AuthorizationServerMetadata, clientID: String, redirectURI: String, scope: Scope?,
    options: AuthorizationOptions
  ) throws(OAuthError) {
    issuer = metadata.issuer
    responsesNameIssuer = metadata.responsesNameIssuer
    tenant = metadata.tenant
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scope = scope
    self.options = options
    state = try Self.random()
    nonce = scope?.contains("openid") == true ? try Self.random() : nil
    verifier = try CodeVerifier()
  }

  private static func random() throws(OAuthError) -> String {
    do { return Base64URL.encode(try Random.bytes(32)) } catch { throw OAuthError(.cryptoFailure, .signIn) }
  }

  package var requirements: IDTokenRequirements {
    IDTokenRequirements(nonce: nonce, maxAge: options.maxAge, acrValues: options.acrValues)
  }

  /// All parameters except client authentication. None is secret.
  var parameters: [(String, String)] {
    var parameters: [(String, String)] = []
    func add(_ name: RequestParameter, _ value: String?) {
      if let value, !value.isEmpty { parameters.append((name.rawValue, value)) }
    }
    add(.responseType, "code")
    add(.clientID, clientID)
    add(.redirectURI, redirectURI)
    add(.scope, scope?.text)
    add(.state, state)
    add(.codeChallenge, verifier.challenge)
    add(.codeChallengeMethod, CodeVerifier.method)
    add(.nonce, nonce)
    let known = options.providerParameters
    add(.prompt, prompt)
    parameters += known.filter { $0.name != RequestParameter.prompt.rawValue }.map { ($0.name, $0.value) }
    add(.loginHint, options.loginHint)
    add(.acrValues, options.acrValues.joined(separator: " "))
    add(.maxAge, options.maxAge.map { String($0) })
    for resource in options.resources { add(.resource, resource) }
    add(.audience, options.audience)
    add(.dpopJKT, options.dpopKeyThumbprint)
    parameters += options.extras.parameters(adding: options.challengedClaims)
    return parameters
  }

  /// The requested prompts, plus the provider's or, if it has none, ``defaultPrompt``. A requested `none` excludes
  /// others (OpenID Connect Core section 3.1.2.1).
  private var prompt: String? {
    let asked = options.prompt?.split(separator: " ").map { String($0) } ?? []
    if asked == ["none"] { return "none" }
    let known = options.providerParameters.first { $0.name == RequestParameter.prompt.rawValue }?.value
    let needed = (known ?? defaultPrompt)?.split(separator: " ").map { String($0) } ?? []
    return (asked + needed.filter { !asked.contains($0) }).joined(separator: " ")
  }

  /// `consent` for `openid` with `offline_access`, which requires it (OpenID Connect Core section 11).
  private var defaultPrompt: String? {
    scope?.contains("offline_access") == true && nonce != nil ? "consent" : nil
  }
}
