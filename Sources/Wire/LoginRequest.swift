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
  /// Tell ``Event/qrCode(_:)`` too.
  package var wantsQRCode = false

  package init() {}

  /// The members of ``settings``.
  package subscript<Value>(dynamicMember member: WritableKeyPath<AccountSettings, Value>) -> Value {
    get { settings[keyPath: member] }
    set { settings[keyPath: member] = newValue }
  }

  /// Whether anything but the account's name was given, so that stored settings would change.
  package var changesSettings: Bool {
    var bare = LoginRequest()
    bare.account = account
    bare.wantsQRCode = wantsQRCode
    bare.settings.proxy = settings.proxy
    bare.settings.proxyExclusions = settings.proxyExclusions
    return self != bare
  }
}

extension LoginRequest {
  init(_ members: RequestMembers) throws(Failure) {
    self.init()
    account = try members.text("account")
    settings = try AccountSettings(members)
    handsOver = try HandedSecret.read(members)
    wantsQRCode = try members.flag("qr_code")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    settings.addMembers(to: &members)
    HandedSecret.addMembers(handsOver, to: &members)
    members.add("qr_code", wantsQRCode)
  }
}
