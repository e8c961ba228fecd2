package import Vocabulary

/// Verifies tokens. It has two descriptors: the tokens are read from the first, one a line, and the results are written
/// to the second, one a line. A descriptor with a key set, or with the key of an HMAC, comes before them, if there is
/// one.
package struct VerifyRequest: Sendable, Hashable {
  /// The largest tolerance for times, in seconds.
  package static let maximumClockSkew = 300

  /// The account whose issuer's keys are used; nil means the active one, unless ``issuer`` is set.
  package var account: String?
  package var issuer: String?
  /// The settings of the connection to an issuer without an account: ``AccountSettings/caFile``,
  /// ``AccountSettings/allowHTTPLoopback`` and the proxy. The others are not sent.
  package var settings = AccountSettings()
  /// Whether a descriptor has the key set.
  package var bringsKeys = false
  /// Whether a descriptor has the key of an HMAC.
  package var bringsSecret = false

  /// The token must be for one of these; empty accepts any.
  package var audiences: [String] = []
  /// Accepted `alg` values; empty means all supported ones.
  package var algorithms: [String] = []
  package var type: String?
  package var profile: TokenProfile?
  /// The claims that must be there.
  package var requiredClaims: [String] = []
  /// Whether a token may be without `exp`.
  package var allowsMissingExpiry = false
  /// The claims with the values that they must have, as `NAME=VALUE`.
  package var claims: [String] = []
  package var signatureOnly = false
  /// The tolerance for times, in seconds; nil means 60.
  package var clockSkew: Int?

  /// Whether the result of a valid token has only ``briefMembers`` and ``briefClaims``.
  package var brief = false
  package static let briefMembers = ["alg", "kid"]
  package static let briefClaims = ["iss", "sub", "exp"]

  package init() {}

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    issuer = try members.text("issuer")
    settings = try members.settings(AccountSetting.connection)
    bringsKeys = try members.flag("jwks_descriptor")
    bringsSecret = try members.flag("hmac_key_descriptor")
    audiences = try members.texts("audience", orOne: true)
    algorithms = try members.texts("algorithms")
    type = try members.text("type")
    profile = try members.choice("profile", TokenProfile.self)
    requiredClaims = try members.texts("require")
    allowsMissingExpiry = try members.flag("allow_missing")
    claims = try members.texts("claims")
    signatureOnly = try members.flag("signature_only")
    clockSkew = try members.integer("clock_skew", in: 0...Self.maximumClockSkew)
    brief = try members.flag("brief")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("issuer", issuer)
    members.add(settings, among: AccountSetting.connection)
    members.add("jwks_descriptor", bringsKeys)
    members.add("hmac_key_descriptor", bringsSecret)
    members.add("audience", audiences)
    members.add("algorithms", algorithms)
    members.add("type", type)
    members.add("profile", profile?.rawValue)
    members.add("require", requiredClaims)
    members.add("allow_missing", allowsMissingExpiry)
    members.add("claims", claims)
    members.add("signature_only", signatureOnly)
    members.add("clock_skew", clockSkew)
    members.add("brief", brief)
  }
}
