internal import Encoding
/// Requests an access token.
package struct TokenRequest: RequestBody {
  /// Nil for the account that lists the ``destination`` or, without a destination, the active one.
  package var account: String?

  /// Up to 86,400; nil for the default.
  package var minimumValiditySeconds: Int?

  /// For an unreachable server, up to 3600; nil for none.
  package var waitSeconds: Int?

  package var forceRefresh: Bool

  package var target = Target()

  /// The requested access; if empty, the account's own token.
  package struct Target: MemberList, Sendable, Hashable {
    package var scope: [String] = []
    package var resources: [String] = []
    package var audience: String?
    /// A JSON array (RFC 9396).
    package var authorizationDetails: String?
    /// Whether to exchange the account's own token (RFC 8693).
    package var usesTokenExchange = false

    package init(
      scope: [String] = [], resources: [String] = [], audience: String? = nil, authorizationDetails: String? = nil,
      usesTokenExchange: Bool = false
    ) {
      self.scope = scope
      self.resources = resources
      self.audience = audience
      self.authorizationDetails = authorizationDetails
      self.usesTokenExchange = usesTokenExchange
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitTexts("scope", &scope, "Return another token, with these scopes only.")
      try members.visitTexts("resource", &resources, "Return a token for these resources (RFC 8707).")
      try members.visitText("audience", &audience, "Return a token with this audience.")
      try members.visitText(
        "authorization_details", &authorizationDetails,
        "A token with this JSON array (RFC 9396).")
      try members.visitFlag("exchange", &usesTokenExchange, "Exchange the account's token for it (RFC 8693).")
    }
  }

  /// The token's recipient, whose entry in `origins`, if any, selects the token.
  package var destination: Destination?

  package struct Destination: MemberList, Sendable, Hashable {
    /// A URL, or a host with optional port and path; nil for any.
    package var url: String?
    /// Nil for any.
    package var user: String?
    /// Used if the settings choose none; nil for the access token.
    package var kind: TokenKind?
    /// Whether the destination rejected the previous token.
    package var isRefused = false

    package init(url: String?, user: String? = nil, kind: TokenKind? = nil, isRefused: Bool = false) {
      self.url = url
      self.user = user
      self.kind = kind
      self.isRefused = isRefused
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitText(
        "url", &url,
        "The destination of the token: a URL, or a host with an optional port and path. The account is then the one that"
          + " lists it, never the active one, and its settings for the destination choose the token. If no account lists"
          + " it, the error is `place_not_listed`.")
      try members.visitText("user", &user, "The user name at the destination (default: any).")
      // The generic `visitChoice` would cost helpers page faults.
      var use = (kind?.rawValue).map(JSON.string)
      try members.visit("use", &use, .word { TokenKind.allCases.map(\.rawValue) }, isRequired: false) {
        "The token to return unless the settings choose one (default: the access token)."
      }
      kind = (use?.string).flatMap { TokenKind(rawValue: $0) }
      try members.visitFlag(
        "refused", &isRefused,
        "The destination has rejected the token, which is renewed unless a new one was rejected there in the last five"
          + " minutes.")
    }
  }

  /// Whether a lease's peer gets the token. Not in the protocol.
  package var isLent = false

  package var extras: Extras

  /// Optional parts of the response.
  package struct Extras: Sendable, Hashable {
    package var wantsIDToken = false

    /// Whether to return the verified ID Token's claims.
    package var wantsClaims = false

    /// Whether to return the settings' environment variables and the values that they need.
    package var wantsVariables = false

    package init(wantsIDToken: Bool = false, wantsClaims: Bool = false, wantsVariables: Bool = false) {
      self.wantsIDToken = wantsIDToken
      self.wantsClaims = wantsClaims
      self.wantsVariables = wantsVariables
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

  package var properties: RequestProperties {
    RequestProperties(
      "token", [.repeatable, .allowedForTokenPeers], from: .authorizationServer,
      about: destination == nil ? .accountOrActive(account) : .accountOrListing(account), waitSeconds: waitSeconds)
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("account", &account, "The account (default: the active one).")
    try members.visitNumber(
      "min_valid", &minimumValiditySeconds, in: 0...86_400,
      "The required remaining lifetime, in seconds (default: a minute, or a tenth of the lifetime if that is less).")
    try members.visitNumber(
      "wait", &waitSeconds, in: 1...WireProtocol.maximumTimeoutSeconds,
      "The wait for an unreachable server in addition to `timeout`, in seconds (default: none).")
    try members.visitFlag("force_refresh", &forceRefresh, "Refresh even if the cached token is valid.")
    try target.visitMembers(with: &members)
    var destination = destination ?? Destination(url: nil)
    try destination.visitMembers(with: &members)
    self.destination = destination == Destination(url: nil) ? nil : destination
    try members.visitFlag("id_token", &extras.wantsIDToken, "Return the ID Token, too.")
    try members.visitFlag("claims", &extras.wantsClaims, "Return the claims of the verified ID Token, too.")
    try members.visitFlag("variables", &extras.wantsVariables, "Return the variables in the settings, too.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Returns an access token, from memory or after a refresh that all waiting requests share.",
      result: TokenDescription.memberDescriptions)
  }
}

/// Drops the rejected token in the descriptor from the cache.
package struct ForgetRequest: RequestBody {
  /// Nil for the account that lists the destination.
  package var account: String?
  /// A URL, or a host with optional port and path.
  package var url: String

  package init(account: String? = nil, url: String) {
    self.account = account
    self.url = url
  }
  package var properties: RequestProperties { RequestProperties("forget", about: .accountOrListing(account)) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("account", &account, "The account (default: the one that lists the URL).")
    try members.visitText("url", &url, "The destination, as for `token`.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Drops the cached token for a destination that rejected it, so that the next request gets a new one. A descriptor"
        + " sent with the request has the token's bytes; any other token is kept, and so is the session.",
      result: [
        .text("account", "The account."),
        .flag("forgotten", "Whether it was the cached token."),
      ])
  }
}

/// Ends the session of one or all accounts.
package struct LogoutRequest: RequestBody {
  /// Nil for the active account, unless ``allAccounts``.
  package var account: String?
  package var allAccounts: Bool

  package var skipsRevocation: Bool

  /// Whether to return the URL that signs out the browser.
  package var returnsBrowserURL: Bool

  package init(
    account: String? = nil, allAccounts: Bool = false, skipsRevocation: Bool = false, returnsBrowserURL: Bool = false
  ) {
    self.account = account
    self.allAccounts = allAccounts
    self.skipsRevocation = skipsRevocation
    self.returnsBrowserURL = returnsBrowserURL
  }

  package var properties: RequestProperties {
    RequestProperties(
      "logout", .changesAccounts, from: .authorizationServer, about: allAccounts ? .any : .accountOrActive(account))
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("account", &account, "The account (default: the active one).")
    try members.visitFlag("all", &allAccounts, "All accounts; excludes `account`.")
    try members.visitFlag("local", &skipsRevocation, "Delete the session here without revoking it at the server.")
    try members.visitFlag(
      "browser", &returnsBrowserURL, "Return the URL that ends the session of the browser; excludes `local`.")
    try members.check(!(skipsRevocation && returnsBrowserURL), Phrase("a sign-out with a browser cannot be local"))
    try members.check(!(allAccounts && account != nil), Phrase("give an account or all accounts, not both"))
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Ends sessions here, then at the authorization server. An unreachable server is tried for a day. Settings are kept.",
      result: [
        .objects(
          "accounts", "The accounts. The daemon opens no page itself.",
          members: [
            .text("account", "The name."),
            .flag("revoked", "Whether the server confirmed the end."),
            .text("detail", "If not, why."),
            .flag("was_signed_in", "False if there was no session."),
            .text("end_session_url", "The page that ends the browser's session."),
            .object("error", "An error object if still signed in."),
          ])
      ])
  }
}
