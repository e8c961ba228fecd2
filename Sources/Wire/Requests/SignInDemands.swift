/// Requirements of a browser sign-in for the user's authentication (OpenID Connect Core, section 3.1.2.1).
package struct SignInDemands: MemberList, Sendable, Hashable {
  /// `login`, `consent`, `select_account` and so on, separated by spaces.
  package var prompt: String?
  /// The user name to suggest.
  package var loginHint: String?
  /// Acceptable authentication context classes.
  package var acrValues: [String] = []
  /// The maximum age of the authentication, up to 31,536,000 seconds.
  package var maxAge: Int?
  /// The claims in a resource's challenge: JSON, plain or in base64.
  package var claimsChallenge: String?

  package init() {}

  /// The options of `agent login`, with values. Not for the device flow.
  package var options: [(name: String, values: [String])] {
    [
      ("acr", acrValues), ("max-age", maxAge.map { ["\($0)s"] } ?? []), ("prompt", prompt.map { [$0] } ?? []),
      ("login-hint", loginHint.map { [$0] } ?? []), ("claims-challenge", claimsChallenge.map { [$0] } ?? []),
    ]
  }
}

extension SignInDemands {
  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    try members.text("prompt", &prompt, "The `prompt` parameter (OpenID Connect Core, section 3.1.2.1).")
    try members.text("login_hint", &loginHint, "The user name to suggest.")
    try members.texts("acr_values", &acrValues, "The acceptable authentication context classes.")
    try members.number(
      "max_age", &maxAge, in: 0...31_536_000, "The largest age of the user's authentication, in seconds.")
    try members.text(
      "claims_challenge", &claimsChallenge, "The claims that a resource requested: JSON, plain or in base64.")
  }
}
