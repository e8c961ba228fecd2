package import Vocabulary

/// Starts a sign-in and, if an issuer is named, adds the account for it.
///
/// No member is a secret: see ``handsOver``.
@dynamicMemberLookup
package struct LoginRequest: Sendable, Hashable {
  /// The account; nil means the active one, or a name made from the issuer's host.
  package var account: String?

  /// The settings to change. Without an issuer the sign-in uses the account's stored settings with these changes.
  package var settings = AccountSettings()
  package var handsOver: Set<HandedSecret> = []

  /// Whether a client is registered first (RFC 7591); no client id is named then.
  package var registersClient = false
  /// Whether the session has no user, only the client's credentials (RFC 6749, section 4.4).
  package var isGuest = false
  /// Whether `offline_access` is added to the scope if the server announces it.
  package var asksToStay = false
  /// An authorization server that does not announce PKCE is refused: a resource named it.
  package var needsAnnouncedPKCE = false
  /// The algorithms of DPoP proofs that the resource takes which the tokens are for; empty where it does not say.
  package var proofAlgorithms: [String] = []
  /// Whether ``Event/qrCode(_:)`` is sent too.
  package var wantsQRCode = false

  /// The flow; nil means that the daemon chooses.
  package var flow: Flow?
  /// Whether the caller can open a browser, for the daemon's choice.
  package var canOpenBrowser = false

  /// The condition that makes a sign-in needless; nil signs in always. The result then has `kept`.
  package var unless: Condition?
  /// Whether the account and its session are in no file, and end with the daemon.
  package var isEphemeral = false
  /// Whether the account becomes the active one.
  package var activates = false

  /// Whether the result comes as soon as the user can act, and the sign-in continues in the background.
  package var isDetached = false
  /// The requirements for the user's authentication; the device flow does not support them.
  package var demands = SignInDemands()

  /// The flows of a sign-in.
  package enum Flow: String, Sendable, CaseIterable {
    /// A browser on this machine; the daemon listens at the redirect URI.
    case browser
    /// A code that the user types on any device (RFC 8628).
    case device
    /// A browser anywhere; the user pastes the URL of the response.
    case paste
  }

  /// The state of an account that may make a sign-in needless.
  package enum Condition: String, Sendable, CaseIterable {
    /// A session that was not found to be over; no server is asked.
    case signedIn = "signed_in"
    /// A token, renewed if need be.
    case token
  }

  package init() {}

  /// Whether nothing but the account and the flow is named. A proxy comes from the environment.
  package var isPlain: Bool {
    var settings = settings
    (settings.proxy, settings.proxyExclusions) = (nil, nil)
    return settings == AccountSettings() && handsOver.isEmpty && !registersClient && !isGuest
      && demands == SignInDemands()
  }

  /// The members of ``settings``.
  package subscript<Value>(dynamicMember member: WritableKeyPath<AccountSettings, Value>) -> Value {
    get { settings[keyPath: member] }
    set { settings[keyPath: member] = newValue }
  }
}

extension LoginRequest {
  init(_ members: RequestMembers) throws(Failure) {
    self.init()
    account = try members.text("account")
    settings = try members.settings()
    handsOver = try HandedSecret.read(members)
    if try members.flag("initial_access_token_descriptor") { handsOver.insert(.initialAccessToken) }
    if try members.flag("assertion_descriptor") { handsOver.insert(.assertion) }
    registersClient = try members.flag("register")
    isGuest = try members.flag("guest")
    asksToStay = try members.flag("offline_access")
    needsAnnouncedPKCE = try members.flag("announced_pkce")
    proofAlgorithms = try members.texts("proof_algorithms")
    wantsQRCode = try members.flag("qr_code")
    flow = try members.choice("flow", Flow.self)
    canOpenBrowser = try members.flag("can_open_browser")
    unless = try members.choice("unless", Condition.self)
    activates = try members.flag("use")
    isEphemeral = try members.flag("ephemeral")
    isDetached = try members.flag("start")
    demands = try SignInDemands(members)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add(settings)
    HandedSecret.addMembers(handsOver, to: &members)
    members.add("register", registersClient)
    members.add("guest", isGuest)
    members.add("offline_access", asksToStay)
    members.add("announced_pkce", needsAnnouncedPKCE)
    members.add("proof_algorithms", proofAlgorithms)
    members.add("qr_code", wantsQRCode)
    members.add("flow", flow?.rawValue)
    members.add("can_open_browser", canOpenBrowser)
    members.add("unless", unless?.rawValue)
    members.add("use", activates)
    members.add("ephemeral", isEphemeral)
    members.add("start", isDetached)
    demands.addMembers(to: &members)
  }
}
