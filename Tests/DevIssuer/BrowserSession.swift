/// A user who is signed in at the issuer in one browser.
struct BrowserSession: Sendable, Hashable {
  /// How users can sign in, the weaker first. Both are a matter of saying so.
  static let contexts = ["basic", "strong"]
  static let cookieName = "devissuer_session"

  let username: String
  /// Unix seconds.
  let authTime: Int
  /// One of ``contexts``.
  let acr: String

  /// Whether this sign-in is what the request wants, without asking the user again
  /// (OpenID Connect Core 1.0 section 3.1.2.1).
  func suits(_ wanted: AuthorizationRequest, at unixSeconds: Int) -> Bool {
    guard wanted.prompt.isDisjoint(with: ["login", "select_account"]) else { return false }
    if let hint = wanted.validHint, hint != username { return false }
    if let maxAge = wanted.maxAge, unixSeconds - authTime > maxAge { return false }
    return wanted.acrValues.isEmpty || wanted.acrValues.contains(acr)
  }
}
