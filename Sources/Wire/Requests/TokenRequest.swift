internal import Encoding
package import Vocabulary

/// Asks for an access token of one account.
package struct TokenRequest: Sendable, Hashable {
  /// The account; nil means the active one.
  package var account: String?

  /// The smallest remaining lifetime in seconds, 0 to 86,400; nil means the daemon's default.
  package var minimumValiditySeconds: Int?

  /// The longest wait for an unreachable server, 1 to 3600 seconds; nil does not wait.
  package var waitSeconds: Int?

  /// Whether the token is refreshed even if the cached one is valid.
  package var forceRefresh: Bool

  /// The requested scope and resources, if they are not those of the grant.
  package var target = Target()

  /// The scope, resources, audience and authorization details of a token; empty means the account's own token.
  package struct Target: Sendable, Hashable {
    package var scope: [String] = []
    package var resources: [String] = []
    package var audience: String?
    /// `authorization_details` (RFC 9396), a JSON array.
    package var authorizationDetails: String?
    /// Whether the account's own token is exchanged for it (RFC 8693).
    package var isExchanged = false

    package init(
      scope: [String] = [], resources: [String] = [], audience: String? = nil, authorizationDetails: String? = nil,
      isExchanged: Bool = false
    ) {
      self.scope = scope
      self.resources = resources
      self.audience = audience
      self.authorizationDetails = authorizationDetails
      self.isExchanged = isExchanged
    }

    init(_ members: RequestMembers) throws(Failure) {
      scope = try members.texts("scope")
      resources = try members.texts("resource")
      audience = try members.text("audience")
      authorizationDetails = try members.text("authorization_details")
      isExchanged = try members.flag("exchange")
    }

    func addMembers(to members: inout MemberWriter) {
      members.add("scope", scope)
      members.add("resource", resources)
      members.add("audience", audience)
      members.add("authorization_details", authorizationDetails)
      members.add("exchange", isExchanged)
    }
  }

  /// Where the caller is going to send the token, if it says so. The account is then the one that lists the place, never
  /// the active one, and the settings of the place decide which token it is.
  package var place: Place?

  /// The place that a caller is going to send a token to.
  package struct Place: Sendable, Hashable {
    /// A URL, or a host with or without a port and a path; nil where the account alone decides.
    package var url: String?
    /// The user name that the caller wants to use; nil for any.
    package var user: String?
    /// The token that is wanted unless the settings of the place name one; nil means the access token.
    package var kind: TokenKind?
    /// The place has refused the token that was handed out for it before.
    package var isRefused = false

    package init(url: String?, user: String? = nil, kind: TokenKind? = nil, isRefused: Bool = false) {
      self.url = url
      self.user = user
      self.kind = kind
      self.isRefused = isRefused
    }

    init?(_ members: RequestMembers) throws(Failure) {
      url = try members.text("url")
      user = try members.text("user")
      kind = try members.choice("use", TokenKind.self)
      isRefused = try members.flag("refused")
      if url == nil, user == nil, kind == nil, !isRefused { return nil }
    }

    func addMembers(to members: inout MemberWriter) {
      members.add("url", url)
      members.add("user", user)
      members.add("use", kind?.rawValue)
      members.add("refused", isRefused)
    }
  }

  /// Whether a peer of a lease gets the token; never on the wire.
  package var isLent = false

  /// The optional parts of the answer.
  package var extras: Extras

  /// The optional parts of an answer.
  package struct Extras: Sendable, Hashable {
    /// The ID Token in compact form.
    package var idToken = false

    /// All claims of the verified ID Token.
    package var claims = false

    /// The variables that the account's settings name, and whatever of the above they need.
    package var variables = false

    package init(idToken: Bool = false, claims: Bool = false, variables: Bool = false) {
      self.idToken = idToken
      self.claims = claims
      self.variables = variables
    }
  }

  package init(
    account: String? = nil, minimumValiditySeconds: Int? = nil, forceRefresh: Bool = false, extras: Extras = Extras()
  ) {
    self.account = account
    self.minimumValiditySeconds = minimumValiditySeconds
    self.forceRefresh = forceRefresh
    self.extras = extras
  }

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    minimumValiditySeconds = try members.integer("min_valid", in: 0...86_400)
    waitSeconds = try members.integer("wait", in: 1...WireProtocol.maximumTimeoutSeconds)
    forceRefresh = try members.flag("force_refresh")
    target = try Target(members)
    place = try Place(members)
    extras = Extras(
      idToken: try members.flag("id_token"), claims: try members.flag("claims"),
      variables: try members.flag("variables"))
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("min_valid", minimumValiditySeconds)
    members.add("wait", waitSeconds)
    members.add("force_refresh", forceRefresh)
    target.addMembers(to: &members)
    place?.addMembers(to: &members)
    members.add("id_token", extras.idToken)
    members.add("claims", extras.claims)
    members.add("variables", extras.variables)
  }
}

/// Drops the cached token of a place, if it is the one whose bytes come in a descriptor beside the request: the place has
/// refused it. The session stays what it is.
package struct ForgetRequest: Sendable, Hashable {
  /// The account; nil means the one that lists the place, never the active one.
  package var account: String?
  /// A URL, or a host with or without a port and a path.
  package var url: String

  package init(account: String? = nil, url: String) {
    self.account = account
    self.url = url
  }

  init(_ members: RequestMembers) throws(Failure) {
    guard let url = try members.text("url") else { throw Failure(.invalidRequest, "the request names no URL") }
    self.url = url
    account = try members.text("account")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("url", url)
  }
}

/// Ends one session, or all.
package struct LogoutRequest: Sendable, Hashable {
  /// The account; nil means the active one, unless ``all`` is set.
  package var account: String?
  package var all: Bool

  /// Whether the session is removed only here, without a revocation at the authorization server.
  package var local: Bool

  /// Whether the result has the URL that ends the browser's session.
  package var browser: Bool

  package init(account: String? = nil, all: Bool = false, local: Bool = false, browser: Bool = false) {
    self.account = account
    self.all = all
    self.local = local
    self.browser = browser
  }

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    all = try members.flag("all")
    local = try members.flag("local")
    browser = try members.flag("browser")
    if local && browser { throw Failure(.invalidRequest, "a browser signs out at the server, which local does not") }
    if all && account != nil { throw Failure(.invalidRequest, "name an account or all of them, not both") }
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("all", all)
    members.add("local", local)
    members.add("browser", browser)
  }
}
