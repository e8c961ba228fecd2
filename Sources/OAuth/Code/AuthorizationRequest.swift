internal import Crypto
internal import Encoding
internal import Vocabulary

/// One sign-in by authorization code and PKCE (RFC 6749 section 4.1, RFC 7636): what was asked, and the
/// secrets that make the answer ours. Used once.
package struct AuthorizationRequest: Sendable {
  package let issuer: Issuer
  package let clientID: String
  /// Repeated byte for byte when the code is exchanged (RFC 6749 section 4.1.3).
  package let redirectURI: String
  package let scope: Scope?
  package let options: AuthorizationOptions
  /// 43 random characters; an answer without them is not ours (RFC 6749 section 10.12).
  package let state: String
  /// 43 random characters, when an ID Token was asked for.
  package let nonce: String?
  package let verifier: CodeVerifier
  /// The server says that each of its answers names it (RFC 9207 section 3).
  package let answersNameIssuer: Bool
  /// How its answers may name the issuer, where one stands for many.
  let tenant: TenantIssuer?

  init(
    _ metadata: AuthorizationServerMetadata, clientID: String, redirectURI: String, scope: Scope?,
    options: AuthorizationOptions
  ) throws(OAuthError) {
    issuer = metadata.issuer
    answersNameIssuer = metadata.answersNameIssuer
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
    do { return Base64URL.encode(try Random.bytes(32)) } catch { throw OAuthError(.cryptoFailure, "the sign-in") }
  }

  /// The requirements for the ID Token.
  package var demands: IDTokenDemands {
    IDTokenDemands(nonce: nonce, maxAge: options.maxAge, acrValues: options.acrValues)
  }

  /// All parameters but the client's own proof of who it is. None is secret: the verifier is there only as
  /// its hash.
  var parameters: [(String, String)] {
    var parameters = [("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI)]
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { parameters.append((name, value)) }
    }
    add("scope", scope?.text)
    parameters += [
      ("state", state), ("code_challenge", verifier.challenge), ("code_challenge_method", CodeVerifier.method),
    ]
    add("nonce", nonce)
    let known = options.providerParameters
    add("prompt", options.prompt ?? known.first { $0.name == "prompt" }?.value ?? usualPrompt)
    for parameter in known where parameter.name != "prompt" { add(parameter.name, parameter.value) }
    add("login_hint", options.loginHint)
    add("acr_values", options.acrValues.joined(separator: " "))
    add("max_age", options.maxAge.map { String($0) })
    for resource in options.resources { add("resource", resource) }
    add("audience", options.audience)
    add("dpop_jkt", options.dpopKeyThumbprint)
    return parameters
  }

  /// OpenID Connect Core 1.0 section 11: without it a server must ignore `offline_access`.
  private var usualPrompt: String? {
    scope?.contains("offline_access") == true && nonce != nil ? "consent" : nil
  }
}
