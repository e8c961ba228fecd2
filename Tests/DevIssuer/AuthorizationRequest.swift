import Encoding

/// What a client asks for at the authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect
/// Core 1.0 section 3.1.2.1), after its identity and its redirect URI were found good.
struct AuthorizationRequest: Sendable {
  static let promptValues = ["none", "login", "consent", "select_account"]

  let clientID: String
  let clientName: String
  let target: RedirectTarget
  /// The SHA-256 of the code verifier (RFC 7636 section 4.2); nil only for a confidential client.
  let challenge: [UInt8]?
  let nonce: String?
  let scope: ScopeSet
  /// Resources and audiences (RFC 8707 section 2.1).
  let targets: [String]
  let loginHint: String?
  let prompt: Set<String>
  /// Seconds.
  let maxAge: Int?
  /// What the client would like best comes first.
  let acrValues: [String]
  /// The key that the code is bound to (RFC 9449 section 10).
  var dpopThumbprint: String?

  /// - Throws: What the client is told by a redirect.
  init(
    _ parameters: Parameters, client: RegisteredClient, target: RedirectTarget, targets: [String]
  ) throws(OAuthFailure) {
    try client.requireGrantType(GrantType.authorizationCode)
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
    self.targets = targets
    challenge = try Self.challenge(parameters, isRequired: !client.isConfidential)
    nonce = parameters["nonce"]
    scope = try AuthorizationServer.scope(parameters) ?? .standard
    loginHint = parameters["login_hint"]
    prompt = try Self.prompt(parameters)
    maxAge = try Self.maxAge(parameters)
    acrValues = Self.values(parameters["acr_values"])
    dpopThumbprint = parameters["dpop_jkt"]
  }

  /// Whether the code may be redeemed with this key.
  func takes(_ thumbprint: String?) -> Bool { dpopThumbprint == nil || dpopThumbprint == thumbprint }

  /// The login hint when it is a name that users can have here.
  var validHint: String? {
    loginHint.flatMap { AuthorizationServer.isUsername($0) ? $0 : nil }
  }

  private static func prompt(_ parameters: Parameters) throws(OAuthFailure) -> Set<String> {
    let values = Set(values(parameters["prompt"]))
    guard values.isSubset(of: promptValues), values.count == 1 || !values.contains("none") else {
      throw OAuthFailure(.invalidRequest, "prompt: unknown, or none beside another")
    }
    return values
  }

  private static func maxAge(_ parameters: Parameters) throws(OAuthFailure) -> Int? {
    guard let text = parameters["max_age"] else { return nil }
    guard let seconds = ASCII.number(text, in: 0...Int.max) else {
      throw OAuthFailure(.invalidRequest, "max_age: a number of seconds")
    }
    return seconds
  }

  private static func values(_ text: String?) -> [String] {
    (text ?? "").split(separator: " ").map(String.init)
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
