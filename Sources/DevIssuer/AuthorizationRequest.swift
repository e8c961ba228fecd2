import Encoding

/// What a client asks for at the authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect
/// Core 1.0 section 3.1.2.1), after its identity and its redirect URI were found good.
struct AuthorizationRequest: Sendable {
  let clientID: String
  let clientName: String
  let target: RedirectTarget
  /// The SHA-256 of the code verifier (RFC 7636 section 4.2); nil only for a confidential client.
  let challenge: [UInt8]?
  let nonce: String?
  let scope: ScopeSet
  let loginHint: String?

  /// - Throws: What the client is told by a redirect.
  init(
    _ parameters: Parameters, client: RegisteredClient, target: RedirectTarget
  ) throws(OAuthFailure) {
    guard parameters["request"] == nil else {
      throw OAuthFailure(.requestNotSupported, "request objects are not supported")
    }
    guard try parameters.required("response_type") == "code" else {
      throw OAuthFailure(.unsupportedResponseType, "only code")
    }
    guard parameters["response_mode"] ?? "query" == "query" else {
      throw OAuthFailure(.invalidRequest, "response_mode: only query")
    }
    clientID = client.id
    clientName = client.name
    self.target = target
    challenge = try Self.challenge(parameters, isRequired: client.secret == nil)
    nonce = parameters["nonce"]
    scope = try AuthorizationServer.scope(parameters) ?? .standard
    loginHint = parameters["login_hint"]
  }

  /// Public clients must use PKCE (RFC 8252 section 6, RFC 9700 section 2.1.1), and `plain` is of no use.
  /// A missing method means `plain` (RFC 7636 section 4.3).
  private static func challenge(_ parameters: Parameters, isRequired: Bool) throws(OAuthFailure) -> [UInt8]? {
    guard let text = parameters["code_challenge"] else {
      guard !isRequired, parameters["code_challenge_method"] == nil else {
        throw OAuthFailure(.invalidRequest, "code challenge required")
      }
      return nil
    }
    guard parameters["code_challenge_method"] == "S256" else {
      throw OAuthFailure(.invalidRequest, "transform algorithm not supported")
    }
    guard let bytes = try? Base64URL.decode(text), bytes.count == 32 else {
      throw OAuthFailure(.invalidRequest, "malformed code_challenge")
    }
    return bytes
  }
}
