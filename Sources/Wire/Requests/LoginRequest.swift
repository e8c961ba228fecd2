/// Starts a sign-in and, when an issuer is named, sets up the account for it.
///
/// No secret is a member: see ``handsOver``.
@dynamicMemberLookup
package struct LoginRequest: Sendable, Hashable {
  /// The account; nil means the active one, or a name made from the issuer's host.
  package var account: String?

  /// Without an issuer, the account's stored settings are signed in with again; what is named here
  /// beside it changes them.
  package var settings = AccountSettings()
  package var handsOver: Set<HandedSecret> = []

  /// Register a client for the account first (RFC 7591); no client id is named then.
  package var registersClient = false
  /// A session without a user, by the client's own credentials (RFC 6749, section 4.4).
  package var isGuest = false
  /// Ask for `offline_access` beside the scope, where the server says that it knows it.
  package var asksToStay = false
  /// Tell ``Event/qrCode(_:)`` too.
  package var wantsQRCode = false

  /// How to sign in; nil leaves the choice to the daemon.
  package var flow: Flow?
  /// A browser can be opened where the caller is, for the daemon's choice.
  package var canOpenBrowser = false

  /// Answer as soon as it is known what the person must do, and let the sign-in go on by itself.
  package var isDetached = false
  /// What is asked of how the person signs in; a device code cannot carry it.
  package var demands = SignInDemands()

  /// The ways to sign in.
  package enum Flow: String, Sendable, CaseIterable {
    /// A browser on this machine, whose answer the daemon listens for.
    case browser
    /// A code that is typed on any device (RFC 8628).
    case device
    /// A browser anywhere, whose answer is pasted.
    case paste
  }

  package init() {}

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
    settings = try AccountSettings(members)
    handsOver = try HandedSecret.read(members)
    if try members.flag("initial_access_token_descriptor") { handsOver.insert(.initialAccessToken) }
    registersClient = try members.flag("register")
    isGuest = try members.flag("guest")
    asksToStay = try members.flag("offline_access")
    wantsQRCode = try members.flag("qr_code")
    flow = try members.text("flow").map { (name) throws(Failure) in try Self.flow(name) }
    canOpenBrowser = try members.flag("can_open_browser")
    isDetached = try members.flag("start")
    demands = try SignInDemands(members)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    settings.addMembers(to: &members)
    HandedSecret.addMembers(handsOver, to: &members)
    members.add("register", registersClient)
    members.add("guest", isGuest)
    members.add("offline_access", asksToStay)
    members.add("qr_code", wantsQRCode)
    members.add("flow", flow?.rawValue)
    members.add("can_open_browser", canOpenBrowser)
    members.add("start", isDetached)
    demands.addMembers(to: &members)
  }

  private static func flow(_ name: String) throws(Failure) -> Flow {
    guard let flow = Flow(rawValue: name) else {
      throw Failure(.invalidRequest, "\"flow\" must be browser, device or paste")
    }
    return flow
  }
}
