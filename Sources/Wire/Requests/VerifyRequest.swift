/// Verifies tokens. Descriptors, in order: the key set if ``passesKeySet``, the tokens (one per line), and a pipe or
/// socket for the results.
package struct VerifyRequest: RequestBody {
  /// In seconds.
  package static let maximumClockSkew = 300

  /// The account whose issuer's keys are used; nil for the active one.
  package var account: String?
  /// The required issuer, whose keys are used by default.
  package var issuer: String?
  /// ``AccountSetting/connection`` settings for fetching keys without an account.
  package var settings = AccountSettings()
  /// Whether a descriptor contains the key set.
  package var passesKeySet = false

  /// Accepted audiences; if empty, any.
  package var audiences: [String] = []
  /// Accepted `alg` values; if empty, all supported ones.
  package var algorithms: [String] = []
  /// The required `typ`, if any.
  package var type: String?
  /// The required kind of token.
  package var profile: TokenProfile?
  package var requiredClaims: [String] = []
  package var allowsMissingExpiry = false
  /// Required claims, as `NAME=VALUE`.
  package var claims: [String] = []
  package var signatureOnly = false
  /// In seconds, for time claims; nil for 60.
  package var clockSkew: Int?

  /// Whether valid tokens' results have only ``briefMembers`` and ``briefClaims``.
  package var brief = false
  package static let briefMembers = ["alg", "kid"]
  package static let briefClaims = ["iss", "sub", "exp"]

  package init() {}

  package var properties: RequestProperties {
    let needsAccount = issuer == nil && !passesKeySet
    return RequestProperties(
      "verify", from: .authorizationServer, about: needsAccount ? .accountOrActive(account) : .accountOrAny(account))
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText(
      "account", &account,
      "The account whose issuer's keys are used (default: the active one, unless `issuer` is there).")
    try members.visitText(
      "issuer", &issuer,
      "The issuer whose keys are used, and which the tokens must name. The issuer of an account is reached like that"
        + " account's, unless one of the next two members is there.")
    try members.visitSettings(&settings, among: AccountSetting.connection)
    try members.visitFlag(
      "jwks_descriptor", &passesKeySet,
      "A descriptor with a JWK Set, a public JWK or public keys in PEM form follows. No issuer is contacted; excludes"
        + " `account`. The tokens must still name `issuer`.")
    try members.visitTexts(
      "audience", &audiences, orOne: true, "The accepted audiences: one is enough.")
    try members.visitTexts("algorithms", &algorithms, "The accepted algorithms (default: all supported).")
    try members.visitText("type", &type, "The required type (`typ`).")
    try members.visitChoice("profile", &profile, "The required kind of token; see agent-verify(1).")
    try members.visitTexts("require", &requiredClaims, "Required claims besides `exp`.")
    try members.visitFlag("allow_missing", &allowsMissingExpiry, "Accept tokens without `exp`.")
    try members.visitTexts("claims", &claims, "Required values of claims, as `NAME=VALUE`.")
    try members.visitFlag("signature_only", &signatureOnly, "Check no claims; the payload may be any.")
    try members.visitNumber(
      "clock_skew", &clockSkew, in: 0...Self.maximumClockSkew, "The tolerance in seconds (default: 60).")
    try members.visitFlag("brief", &brief, "Return only `alg`, `kid`, `iss`, `sub` and `exp` of valid tokens.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Verifies tokens. The daemon reads them from a descriptor, one a line, and writes the results to another, one a line:"
        + " objects as `agent verify --json` prints them; agent-verify(1) lists the codes. Events `notice` report ignored"
        + " keys.",
      result: VerifyTally().memberDescriptions,
      note:
        "The descriptors are the key set, if announced, then the tokens, then a pipe or socket for the results, which"
        + " becomes non-blocking. The results are complete after `tokens` lines. Without `timeout` only requests to the"
        + " issuer have a deadline.")
  }
}
