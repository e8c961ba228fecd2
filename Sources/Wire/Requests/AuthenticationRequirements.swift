/// A browser sign-in's requirements for the user's authentication (OpenID Connect Core section 3.1.2.1).
package struct AuthenticationRequirements: MemberList, Sendable, Hashable {
  /// OpenID Connect prompts, such as `login` and `consent`, separated by spaces.
  package var prompt: String?
  package var loginHint: String?
  /// Acceptable authentication context classes.
  package var acrValues: [String] = []
  /// In seconds, up to 31,536,000.
  package var maxAge: Int?
  /// JSON from a resource's challenge, maybe in base64.
  package var claimsChallenge: String?

  package init() {}

  /// The options of `agent login`, with values.
  package var options: [(name: String, values: [String])] {
    [
      ("acr", acrValues), ("max-age", maxAge.map { ["\($0)s"] } ?? []), ("prompt", prompt.map { [$0] } ?? []),
      ("login-hint", loginHint.map { [$0] } ?? []), ("claims-challenge", claimsChallenge.map { [$0] } ?? []),
    ]
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("prompt", &prompt, "The `prompt` of OpenID Connect Core, section 3.1.2.1.")
    try members.visitText("login_hint", &loginHint, "The user name to suggest.")
    try members.visitTexts("acr_values", &acrValues, "The acceptable authentication context classes.")
    try members.visitNumber(
      "max_age", &maxAge, in: 0...31_536_000, "The largest age of the user's authentication, in seconds.")
    try members.visitText(
      "claims_challenge", &claimsChallenge, "The resource's claims: JSON, plain or in base64.")
  }
}
