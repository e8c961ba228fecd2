package import Encoding

/// Starts a sign-in; with an issuer, adds the account.
@dynamicMemberLookup
package struct LoginRequest: RequestBody {
  /// Nil for the active account or, with an issuer, a name derived from its host.
  package var account: String?

  /// The settings to change or, with an issuer, of a new account.
  package var settings = AccountSettings()
  package var passedSecrets: Set<PassedSecret> = []

  package var registersClient = false
  /// Whether the client signs in itself, without a user (RFC 6749, section 4.4).
  package var isGuest = false
  /// Whether to add `offline_access` to the scope if announced.
  package var requestsOfflineAccess = false
  /// Whether the authorization server is from a resource's metadata.
  package var beganAtResource = false
  /// The DPoP algorithms that the resource announces.
  package var proofAlgorithms: [String] = []
  package var wantsQRCode = false
  /// For pages in the browser; nil for English.
  package var pageTranslations: Translations?

  /// Nil if the daemon chooses.
  package var flow: Flow?
  package var canOpenBrowser = false
  /// The redirect's port, if the caller receives the redirect and sends its URL as
  /// ``LoginStepRequest/redirect(loginID:url:)``.
  package var redirectPort: Int?

  /// When to skip the sign-in. The result then has `kept`.
  package var skipCondition: Condition?
  /// Whether to keep account and session only in memory.
  package var isEphemeral = false
  /// Whether not to store the access token, whatever the settings.
  package var dropsAccessToken = false
  package var activates = false

  /// Whether to return once the user can act, and continue in the background.
  package var isDetached = false
  /// Not for the device flow.
  package var requirements = AuthenticationRequirements()

  package enum Flow: String, Sendable, CaseIterable {
    /// A browser on this machine. The daemon receives the redirect.
    case browser
    /// A code for any device (RFC 8628).
    case device
    /// Any browser. The user pastes the redirect's URL.
    case paste
  }

  /// Makes a sign-in unnecessary.
  package enum Condition: String, Sendable, CaseIterable {
    /// The account has a session that is not known to have ended. No server is contacted.
    case signedIn = "signed_in"
    /// There is a token, renewed if necessary.
    case token
  }

  package init() {}

  /// Whether the request has no settings except the environment's proxy, no secrets, client options or requirements.
  package var isPlain: Bool {
    var settings = settings
    (settings.proxy, settings.proxyExclusions) = (nil, nil)
    return settings == AccountSettings() && passedSecrets.isEmpty && !registersClient && !isGuest
      && !dropsAccessToken && requirements == AuthenticationRequirements()
  }

  package subscript<Value>(dynamicMember member: WritableKeyPath<AccountSettings, Value>) -> Value {
    get { settings[keyPath: member] }
    set { settings[keyPath: member] = newValue }
  }

  package var properties: RequestProperties {
    let namesServer = settings.issuer != nil || settings.provider != nil
    return RequestProperties(
      "login", [.changesAccounts, .endless], from: .authorizationServer,
      about: namesServer ? .accountOrAny(account) : .accountOrActive(account))
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText(
      "account", &account, "The account (default: the active one, or a name made from the issuer's host).")
    try members.visitSettings(&settings)
    try PassedSecret.visitFlags(&passedSecrets, among: PassedSecret.allCases, &members)
    try members.visitFlag("register", &registersClient, "Register a client first (RFC 7591); excludes `client_id`.")
    try members.visitFlag(
      "guest", &isGuest,
      "Start a session without a user: with the account's assertion, or else with the client's own credentials (RFC 6749,"
        + " section 4.4).")
    try members.visitFlag("offline_access", &requestsOfflineAccess, "Add this to `scope` if announced.")
    try members.visitFlag(
      "announced_pkce", &beganAtResource,
      "The sign-in began at `resource`, which named the authorization server: reject one that does not announce PKCE, name"
        + " the resource in each token request, and request no ID Token by default.")
    try members.visitTexts("proof_algorithms", &proofAlgorithms, "The resource's DPoP algorithms.")
    try members.visitFlag("qr_code", &wantsQRCode, "Send the event `qr_code`, too.")
    try members.visitValue(
      "pages", &pageTranslations,
      "Translations of the pages that the browser shows: `language` is the tag of the language (BCP 47), `right_to_left`"
        + " its direction, and `texts` an object with the translation of each English text.")
    try members.visitChoice("flow", &flow, "The flow (default: the daemon chooses).")
    try members.visitFlag("can_open_browser", &canOpenBrowser, "The caller can open a browser.")
    try members.visitNumber(
      "redirect_port", &redirectPort, in: 1...65_535,
      "The port of the redirect URI, unless one with a port is registered. The caller receives the response there itself"
        + " and sends it with `login_redirect`. The request is pushed (RFC 9126) only if it must be.")
    try members.visitChoice(
      "unless", &skipCondition,
      "Sign in only if the account has no session (`signed_in`), or no token that a refresh could renew (`token`). A"
        + " temporary failure is an error.")
    try members.visitFlag("use", &activates, "Make the account the active one.")
    try members.visitFlag("ephemeral", &isEphemeral, "Keep the account and its session in memory only.")
    try members.visitFlag("no_keep", &dropsAccessToken, "Unset `keep`.")
    try members.visitFlag(
      "start", &isDetached,
      "Answer as soon as the user can act, with `login`, `account`, `state` (`waiting`) and `expires_at`, and continue in"
        + " the background.")
    try requirements.visitMembers(with: &members)
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Signs in to an account and, if `issuer` is there, adds it first. A new account needs `client_id` unless the provider"
        + " has one. The events are `device_code` or `browser`, `qr_code`, `confirm`, `redirect_refused` and `notice`.",
      result: [
        .text("account", "The account."),
        .text("issuer", "Its authorization server."),
        .text("subject", "The user, according to the ID Token."),
        .text("person", "The user's email address or name."),
        .text("active_account", "The active account."),
        .flag("kept", "No sign-in was necessary; see `unless`."),
        .text("scope", "The granted scope."),
        .number("expires_at", "When the access token expires."),
        .flag("renews", "Tokens are renewed without the user."),
        .flag("ephemeral", "The account exists in memory only."),
        .flag("not_kept", "The session is an access token in memory only."),
        .flag("guest", "The session has no user."),
        .flag("assertion", "The session has no user; an assertion renews it."),
        .flag("upgraded_from_guest", "The session before it had no user."),
      ])
  }
}

extension Translations: MemberValue {
  package static let memberTypeName = "object"

  package func addMembers(to object: inout JSONObject, as name: String) {
    object[name] = .object(
      JSONObject([
        ("language", .string(language)), ("right_to_left", .bool(isRightToLeft)),
        ("texts", .object(JSONObject(templates.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))),
      ]))
  }

  package init?(_ json: JSON, _ name: String) {
    guard let value = json[name], let language = value["language"]?.string, let texts = value["texts"]?.object else {
      return nil
    }
    let pairs = texts.names.compactMap { name in texts[name]?.string.map { (name, $0) } }
    self.init(
      language: language, isRightToLeft: value["right_to_left"]?.bool ?? false,
      templates: Dictionary(pairs, uniquingKeysWith: { $1 }))
  }
}
