package import Vocabulary

/// Starts a sign-in and, if an issuer is specified, adds the account for it.
///
/// No member is a secret: see ``handsOver``.
@dynamicMemberLookup
package struct LoginRequest: RequestBody {
  /// The account; nil for the active one, or a name derived from the issuer's host.
  package var account: String?

  /// The settings to change. Without an issuer the sign-in uses the account's stored settings with these changes.
  package var settings = AccountSettings()
  package var handsOver: Set<HandedSecret> = []

  /// Whether to register a client first (RFC 7591). The client ID must then be absent.
  package var registersClient = false
  /// Whether the session has no user, only the client's credentials (RFC 6749, section 4.4).
  package var isGuest = false
  /// Whether to add `offline_access` to the scope if the server announces it.
  package var asksToStay = false
  /// Whether the sign-in began at a resource, which named the authorization server.
  package var beganAtResource = false
  /// The algorithms that the resource of the tokens accepts for DPoP proofs; empty if not announced.
  package var proofAlgorithms: [String] = []
  /// Whether to also send ``Event/qrCode(_:)``.
  package var wantsQRCode = false

  /// The flow; nil if the daemon chooses.
  package var flow: Flow?
  /// Whether the caller can open a browser, for the daemon's choice.
  package var canOpenBrowser = false
  /// The port at which the caller has another machine receive the response, in place of the daemon. The URL of the
  /// redirect then comes with ``LoginRedirectRequest``.
  package var redirectPort: Int?

  /// The condition that makes a sign-in unnecessary; nil to always sign in. The result then has `kept`.
  package var unless: Condition?
  /// Whether the account and its session have no files, and end with the daemon.
  package var isEphemeral = false
  /// Whether the access token is not stored, even if the account's settings say so.
  package var dropsAccessToken = false
  /// Whether the account becomes active.
  package var activates = false

  /// Whether to return as soon as the user can act, while the sign-in continues in the background.
  package var isDetached = false
  /// The requirements for the user's authentication, not supported by the device flow.
  package var demands = SignInDemands()

  package enum Flow: String, Sendable, CaseIterable {
    /// A browser on this machine. The daemon listens at the redirect URI.
    case browser
    /// A code that the user enters on any device (RFC 8628).
    case device
    /// A browser anywhere. The user pastes the URL of the redirect.
    case paste
  }

  /// The state of an account that may make a sign-in unnecessary.
  package enum Condition: String, Sendable, CaseIterable {
    /// A session that is not known to have ended; contacts no server.
    case signedIn = "signed_in"
    /// A token, renewed if necessary.
    case token
  }

  package init() {}

  /// Whether only the account and flow are specified. A proxy comes from the environment.
  package var isPlain: Bool {
    var settings = settings
    (settings.proxy, settings.proxyExclusions) = (nil, nil)
    return settings == AccountSettings() && handsOver.isEmpty && !registersClient && !isGuest
      && !dropsAccessToken && demands == SignInDemands()
  }

  /// The members of ``settings``.
  package subscript<Value>(dynamicMember member: WritableKeyPath<AccountSettings, Value>) -> Value {
    get { settings[keyPath: member] }
    set { settings[keyPath: member] = newValue }
  }
}

extension LoginRequest {
  package var row: RequestRow {
    let namesServer = settings.issuer != nil || settings.provider != nil
    return RequestRow(
      "login", [.change, .endless], from: .authorizationServer,
      about: namesServer ? .accountOrAny(account) : .accountOrActive(account))
  }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    try members.text(
      "account", &account, "The account (default: the active one, or a name made from the issuer's host).")
    try members.settings(&settings)
    try HandedSecret.pass(&handsOver, among: HandedSecret.allCases, &members)
    try members.flag("register", &registersClient, "Register a client first (RFC 7591); excludes `client_id`.")
    try members.flag(
      "guest", &isGuest, "Start a session without a user, with the client's own credentials (RFC 6749, section 4.4).")
    try members.flag(
      "offline_access", &asksToStay, "Add `offline_access` to `scope` if the server announces it, and keep it.")
    try members.flag(
      "announced_pkce", &beganAtResource,
      "The sign-in began at `resource`, which named the authorization server: reject one that does not announce PKCE, name"
        + " the resource in each token request, and request no ID Token by default.")
    try members.texts(
      "proof_algorithms", &proofAlgorithms,
      "The algorithms of DPoP proofs that the resource accepts. The key of the tokens fits one of them.")
    try members.flag("qr_code", &wantsQRCode, "Send the event `qr_code`, too.")
    try members.choice("flow", &flow, "The flow (default: the daemon chooses).")
    try members.flag("can_open_browser", &canOpenBrowser, "The caller can open a browser.")
    try members.number(
      "redirect_port", &redirectPort, in: 1...65_535,
      "The port of the redirect URI, unless one with a port is registered. The caller receives the response there itself"
        + " and sends it with `login_redirect`. The request is pushed (RFC 9126) only if it must be.")
    try members.choice(
      "unless", &unless,
      "Sign in only if the account has no session (`signed_in`), or no token that a refresh could renew (`token`). A"
        + " temporary failure is an error.")
    try members.flag("use", &activates, "Make the account the active one.")
    try members.flag("ephemeral", &isEphemeral, "Keep the account and its session in memory only.")
    try members.flag("no_keep", &dropsAccessToken, "Unset `keep`.")
    try members.flag(
      "start", &isDetached,
      "Answer as soon as the user can act, with `login`, `account`, `state` (`waiting`) and `expires_at`, and continue in"
        + " the background.")
    try demands.pass(&members)
  }

  package var page: RequestPage {
    RequestPage(
      "Signs in to an account and, if `issuer` is there, adds it first. A new account needs `client_id` unless the provider"
        + " has one. The events are `device_code` or `browser`, `qr_code`, `confirm`, `redirect_refused` and `notice`.",
      result: [
        MemberRow("account", "text", "The account."),
        MemberRow("issuer", "text", "Its authorization server."),
        MemberRow("subject", "text", "The user, according to the ID Token."),
        MemberRow("person", "text", "The user's email address or name."),
        MemberRow("active_account", "text", "The active account."),
        MemberRow("kept", "boolean", "No sign-in was necessary; see `unless`."),
        MemberRow("scope", "text", "The granted scope."),
        MemberRow("expires_at", "number", "When the access token expires."),
        MemberRow("renews", "boolean", "Tokens are renewed without the user."),
        MemberRow(
          "not_kept", "boolean",
          "The access token is the entire session and only in memory; `account` with `keep` stores it."),
        MemberRow("guest", "boolean", "The session has no user."),
        MemberRow("assertion", "boolean", "The session has no user, and an assertion renews it."),
        MemberRow("upgraded_from_guest", "boolean", "The session before it had no user."),
      ],
      note: "Closing the connection before the last line cancels the sign-in.")
  }
}
