import Crypto
import Encoding
import Platform

/// What a client asks for at the authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect Core 1.0 section 3.1.2.1),
/// after its identity and its redirect URI were found good.
struct CodeRequest: Sendable {
  static let promptValues = ["none", "login", "consent", "select_account"]

  let client: IssuerClient
  let target: RedirectTarget
  /// The SHA-256 of the code verifier (RFC 7636 section 4.2); nil only for a confidential client.
  let challenge: [UInt8]?
  let nonce: String?
  let scope: [String]
  /// Resources and audiences (RFC 8707 section 2.1).
  let targets: [String]
  let loginHint: String?
  let prompt: Set<String>
  /// Seconds.
  let maxAge: Int?
  /// The first is the one that the client would like best.
  let acrValues: [String]
  /// The key that the code is bound to (RFC 9449 section 10).
  var dpopThumbprint: String?

  /// - Throws: What the client is told by a redirect.
  init(_ parameters: IssuerParameters, _ client: IssuerClient, _ target: RedirectTarget, targets: [String]) throws {
    try client.requireGrantType(GrantType.authorizationCode)
    try check(parameters["request"] == nil, "request_not_supported", "request objects are not supported")
    try check(parameters.required("response_type") == "code", "unsupported_response_type", "only code")
    try check(parameters["response_mode"] ?? "query" == "query", "invalid_request", "response_mode: only query")
    self.client = client
    self.target = target
    self.targets = targets
    challenge = try Self.challenge(parameters, isRequired: !client.isConfidential)
    nonce = parameters["nonce"]
    scope = try parameters.scope() ?? ["openid", "profile", "email"]
    loginHint = parameters["login_hint"]
    prompt = Set(Self.values(parameters["prompt"]))
    let isNoneAlone = prompt.count == 1 || !prompt.contains("none")
    try check(prompt.isSubset(of: Self.promptValues) && isNoneAlone, "invalid_request", "prompt: unknown, or not alone")
    maxAge = parameters["max_age"].flatMap { ASCII.number($0, in: 0...Int.max) }
    try check(maxAge != nil || parameters["max_age"] == nil, "invalid_request", "max_age: a number of seconds")
    acrValues = Self.values(parameters["acr_values"])
    dpopThumbprint = parameters["dpop_jkt"]
  }

  /// The login hint when it is a name that users can have here.
  var validHint: String? { loginHint.flatMap { DevelopmentIssuer.isUsername($0) ? $0 : nil } }

  private static func values(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }

  /// Public clients must use PKCE (RFC 8252 section 6, RFC 9700 section 2.1.1), and `plain` is of no use. A missing method
  /// means `plain` (RFC 7636 section 4.3).
  private static func challenge(_ parameters: IssuerParameters, isRequired: Bool) throws -> [UInt8]? {
    guard let text = parameters["code_challenge"] else {
      guard !isRequired, parameters["code_challenge_method"] == nil else {
        throw Refusal("invalid_request", "code challenge required")
      }
      return nil
    }
    try check(parameters["code_challenge_method"] == "S256", "invalid_request", "transform algorithm not supported")
    guard let bytes = try? Base64URL.decode(text), bytes.count == 32 else {
      throw Refusal("invalid_request", "malformed code_challenge")
    }
    return bytes
  }

  /// Checks what a token request brings to show that the code is its own (RFC 6749 section 4.1.3, RFC 7636 section 4.6,
  /// RFC 9449 section 10). A verifier without a challenge is the mark of a downgrade (RFC 9700 section 4.8.2).
  func checkRedemption(_ form: IssuerParameters, thumbprint: String?) throws {
    try check(form["redirect_uri"] == target.uri.text, "invalid_grant", "redirect_uri is not the one of the request")
    let found = try form["code_verifier"].map { verifier in
      let isWellFormed = verifier.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._~".utf8.contains($0) }
      try check(isWellFormed && (43...128).contains(verifier.utf8.count), "invalid_grant", "malformed code_verifier")
      return try Digest.sha256.hash(Array(verifier.utf8).span)
    }
    switch (challenge, found) {
    case (nil, nil): break
    case (let expected?, let found?) where ConstantTime.isEqual(expected.span, found.span): break
    case (nil, _?): throw Refusal("invalid_grant", "a code_verifier for a request without code_challenge")
    default: throw Refusal("invalid_grant", "code_verifier is missing or wrong")
    }
    try check(dpopThumbprint ?? thumbprint == thumbprint, "invalid_dpop_proof", "the code is bound to another key")
  }
}

/// Where the answer of the authorization endpoint goes.
struct RedirectTarget: Sendable {
  let uri: URI
  /// Comes back as it was sent (RFC 6749 section 4.1.2).
  let state: String?

  /// The source of the Content Security Policy that covers the URI. An IPv6 address cannot be written there.
  var policySource: String { uri.host.hasPrefix("[") ? uri.scheme.lowercased() + ":" : uri.origin }
}

/// An authorization code and all that it is bound to (RFC 6749 section 4.1.2).
struct IssuedCode: Sendable {
  let request: CodeRequest
  /// Of the user that approved.
  let session: BrowserSession
  let expiresAt: Instant
  /// The grant of its first use.
  var usedFor: String?
}

/// A user who is signed in at the issuer in one browser.
struct BrowserSession: Sendable {
  /// How users can sign in, the weaker first. Both are a matter of saying so.
  static let contexts = ["basic", "strong"]
  static let cookieName = "devissuer_session"

  let username: String
  /// Unix seconds.
  let authTime: Int
  /// One of ``contexts``.
  let acr: String

  /// Whether this sign-in is what the request wants, without asking the user again (OpenID Connect Core 1.0 section
  /// 3.1.2.1).
  func suits(_ wanted: CodeRequest, at unixSeconds: Int) -> Bool {
    wanted.prompt.isDisjoint(with: ["login", "select_account"]) && wanted.validHint ?? username == username
      && unixSeconds - authTime <= wanted.maxAge ?? Int.max
      && (wanted.acrValues.isEmpty || wanted.acrValues.contains(acr))
  }
}
