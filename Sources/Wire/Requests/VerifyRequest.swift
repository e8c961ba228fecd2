/// Asks whether tokens hold. Two descriptors come with the line: the tokens are read from the first, one a line, and
/// what came of each is written to the second, one line each. Before them comes one with a key set, if there is one.
package struct VerifyRequest: Sendable, Hashable {
  /// The largest tolerance for times, in seconds.
  package static let maximumClockSkew = 300

  /// The account whose issuer's keys count; nil means the active one, unless ``issuer`` is there.
  package var account: String?
  package var issuer: String?
  /// How a server that no account has is reached: ``AccountSettings/caFile``, ``AccountSettings/allowHTTPLoopback`` and
  /// the proxy. The others do not travel.
  package var settings = AccountSettings()
  /// The keys come with the line.
  package var bringsKeys = false

  package var audience: String?
  /// Accepted `alg` values; empty means all that are known.
  package var algorithms: [String] = []
  package var type: String?
  package var signatureOnly = false
  /// In seconds; nil means a minute.
  package var clockSkew: Int?

  /// Of tokens that hold, only what a person is told is wanted: ``briefMembers`` and ``briefClaims``.
  package var brief = false
  package static let briefMembers = ["alg", "kid"]
  package static let briefClaims = ["iss", "sub", "exp"]

  package init() {}

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    issuer = try members.text("issuer")
    settings.caFile = try members.text("ca_file")
    settings.allowHTTPLoopback = try members.flag("allow_http_loopback")
    settings.proxy = try members.text("proxy")
    settings.proxyExclusions = try members.text("no_proxy")
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
    members.add("ca_file", settings.caFile)
    members.add("allow_http_loopback", settings.allowHTTPLoopback)
    members.add("proxy", settings.proxy)
    members.add("no_proxy", settings.proxyExclusions)
    members.add("jwks_descriptor", bringsKeys)
    members.add("audience", audience)
    members.add("algorithms", algorithms)
    members.add("type", type)
    members.add("signature_only", signatureOnly)
    members.add("clock_skew", clockSkew)
    members.add("brief", brief)
  }
}
