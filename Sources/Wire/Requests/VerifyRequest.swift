package import Vocabulary

/// Verifies tokens. It has two descriptors: the tokens are read from the first, one a line, and the results are written
/// to the second, one a line. A descriptor with a key set comes before them, if there is one.
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

  package var audience: String?
  /// Accepted `alg` values; empty means all supported ones.
  package var algorithms: [String] = []
  package var type: String?
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
    audience = try members.text("audience")
    algorithms = try members.texts("algorithms")
    type = try members.text("type")
    signatureOnly = try members.flag("signature_only")
    clockSkew = try members.integer("clock_skew", in: 0...Self.maximumClockSkew)
    brief = try members.flag("brief")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("issuer", issuer)
    members.add(settings, among: AccountSetting.connection)
    members.add("jwks_descriptor", bringsKeys)
    members.add("audience", audience)
    members.add("algorithms", algorithms)
    members.add("type", type)
    members.add("signature_only", signatureOnly)
    members.add("clock_skew", clockSkew)
    members.add("brief", brief)
  }
}
