import Crypto
import Encoding
import Platform

/// A valid authorization request of a known client (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
struct CodeRequest: Sendable {
  static let promptValues = ["none", "login", "consent", "select_account"]

  let client: IssuerClient
  let target: RedirectTarget
  /// The SHA-256 hash of the code verifier (RFC 7636 section 4.2); nil only for a confidential client.
  let challenge: [UInt8]?
  let parameters: IssuerParameters
  let scope: [String]
  /// The requested resources and audiences (RFC 8707 section 2.1).
  let targets: [String]
  let prompt: Set<String>
  /// The maximum age of the authentication, in seconds.
  let maxAge: Int?
  /// The thumbprint of the code's key (RFC 9449 section 10).
  var dpopThumbprint: String?
  /// The expiry while waiting for the user or after being pushed.
  var expiresAt: Instant

  /// - Throws: The error to send to the client by redirect.
  init(
    _ parameters: IssuerParameters, _ client: IssuerClient, _ target: RedirectTarget, targets: [String], until: Instant
  ) throws {
    try client.requireGrantType(GrantType.authorizationCode)
    try check(parameters["request"] == nil, "request_not_supported", "request objects are not supported")
    try check(parameters.required("response_type") == "code", "unsupported_response_type", "only code")
    try check(parameters["response_mode"] ?? "query" == "query", "invalid_request", "response_mode: only query")
    (self.parameters, self.client, self.target, self.targets, expiresAt) = (parameters, client, target, targets, until)
    challenge = try Self.challenge(parameters, isRequired: !client.isConfidential)
    scope = try parameters.scope() ?? IssuerParameters.defaultScope
    prompt = Set(parameters.words("prompt"))
    let isNoneAlone = prompt.count == 1 || !prompt.contains("none")
    try check(prompt.isSubset(of: Self.promptValues) && isNoneAlone, "invalid_request", "prompt: unknown, or not alone")
    maxAge = parameters["max_age"].flatMap { ASCII.number($0, in: 0...Int.max) }
    try check(maxAge != nil || parameters["max_age"] == nil, "invalid_request", "max_age: a number of seconds")
    dpopThumbprint = parameters["dpop_jkt"]
  }

  /// The acceptable `acr` values, in the client's order of preference.
  var acrValues: [String] { parameters.words("acr_values") }

  var validHint: String? { parameters["login_hint"].flatMap { User.isName($0) ? $0 : nil } }

  /// The challenge in the parameters. Public clients must use PKCE (RFC 8252 section 6, RFC 9700 section 2.1.1).
  /// `plain`, the default method (RFC 7636 section 4.3), is rejected.
  private static func challenge(_ parameters: IssuerParameters, isRequired: Bool) throws -> [UInt8]? {
    let (challenge, method) = (parameters["code_challenge"], parameters["code_challenge_method"])
    if challenge == nil, method == nil, !isRequired { return nil }
    let text = try check(challenge, "invalid_request", "code challenge required")
    try check(method == "S256", "invalid_request", "transform algorithm not supported")
    let bytes = try check(try? Base64URL.decode(text), "invalid_request", "malformed code_challenge")
    try check(bytes.count == 32, "invalid_request", "malformed code_challenge")
    return bytes
  }

  /// Throws if a token request may not redeem the code (RFC 6749 section 4.1.3, RFC 7636 section 4.6, RFC 9449
  /// section 10). A verifier without a challenge reveals a downgrade (RFC 9700 section 4.8.2).
  func checkRedemption(_ order: TokenOrder) throws {
    let (form, thumbprint) = (order.form, order.thumbprint)
    try check(form["redirect_uri"] == target.uri.text, "invalid_grant", "redirect_uri is not the one of the request")
    let verifier = Array((form["code_verifier"] ?? "").utf8)
    let isWellFormed = verifier.allSatisfy { $0.isASCIIAlphanumeric || "-._~".utf8.contains($0) }
    try check(challenge != nil || verifier.isEmpty, "invalid_grant", "a code_verifier without code_challenge")
    if let challenge {
      try check(isWellFormed && (43...128).contains(verifier.count), "invalid_grant", "no good code_verifier")
      let found = try Digest.sha256.hash(verifier.span)
      try check(ConstantTime.isEqual(challenge.span, found.span), "invalid_grant", "code_verifier is wrong")
    }
    try check(dpopThumbprint ?? thumbprint == thumbprint, "invalid_dpop_proof", "the code is bound to another key")
  }
}

/// The redirect for the response of the authorization endpoint.
struct RedirectTarget: Sendable {
  let uri: URI
  /// The client's `state`, returned as received (RFC 6749 section 4.1.2).
  let state: String?

  /// Redirects the browser with the state, always by GET (RFC 9700 section 4.12).
  func answer(_ pairs: [(String, String)] = []) -> IssuerAnswer {
    .empty(303).with("Location", uri.appendingQuery(pairs + (state.map { [("state", $0)] } ?? [])))
      .with("Referrer-Policy", "no-referrer")
  }
}

/// An authorization code, with everything to which it is bound (RFC 6749 section 4.1.2).
struct IssuedCode: Sendable {
  let request: CodeRequest
  let grant: IssuerGrant
  let expiresAt: Instant
  /// The key of the grant that its first use created.
  var usedFor: String?
}

/// A user who is signed in at the issuer in one browser.
struct BrowserSession: Sendable {
  static let cookieName = "devissuer_session"

  let username: String
  /// In unix seconds.
  let authTime: Int
  /// The authentication's strength, one of ``User/contexts``.
  let acr: String

  /// Whether the request needs no new sign-in (OpenID Connect Core section 3.1.2.1).
  func suits(_ wanted: CodeRequest, at unixSeconds: Int) -> Bool {
    wanted.prompt.isDisjoint(with: ["login", "select_account"]) && wanted.validHint ?? username == username
      && unixSeconds - authTime <= wanted.maxAge ?? Int.max
      && (wanted.acrValues.isEmpty || wanted.acrValues.contains(acr))
  }
}
