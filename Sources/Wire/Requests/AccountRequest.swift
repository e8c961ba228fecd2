package import Vocabulary

/// Manages the accounts. The set of requests is closed.
package enum AccountRequest: Sendable, Hashable {
  /// Adds an account without a sign-in; it needs an issuer and a client id.
  case add(account: String, AccountSettings)

  /// Returns an account's settings; nil means the active account.
  case show(account: String?)

  /// Changes some settings and unsets others.
  case set(account: String, AccountSettings, unset: [AccountSetting])

  case rename(account: String, to: String)

  /// Signs out, then removes the settings. With `local` the tokens are not revoked at the authorization server.
  case remove(account: String, local: Bool)

  /// Adds an account with an existing refresh token. The descriptors of the request have the token first, then the
  /// secrets in `handsOver`.
  case `import`(account: String, AccountSettings, handsOver: Set<HandedSecret>)

  /// Returns the metadata to publish for a client that is a URL: that of the account, or of the settings without one.
  case clientMetadata(account: String?, AccountSettings, handsOver: Set<HandedSecret>)

  /// The account of the request, by its name before the request; nil means the active one.
  package var account: String? {
    switch self {
    case .show(let account), .clientMetadata(let account, _, handsOver: _): account
    case .add(let account, _), .set(let account, _, unset: _), .rename(let account, to: _),
      .remove(let account, local: _), .import(let account, _, handsOver: _):
      account
    }
  }

  /// The `request` member's value.
  var name: String {
    switch self {
    case .add: "account_add"
    case .show: "account_show"
    case .set: "account_set"
    case .rename: "account_rename"
    case .remove: "account_remove"
    case .import: "account_import"
    case .clientMetadata: "account_client_metadata"
    }
  }
}

extension AccountRequest {
  /// Reads the request of this name; nil if there is none.
  init?(named name: String, _ members: RequestMembers) throws(Failure) {
    switch name {
    case "account_add": self = .add(account: try members.required("account"), try members.settings())
    case "account_show": self = .show(account: try members.text("account"))
    case "account_set":
      self = .set(account: try members.required("account"), try members.settings(), unset: try Self.unset(members))
    case "account_rename":
      self = .rename(
        account: try members.required("account"), to: try members.required("new_name"))
    case "account_remove": self = .remove(account: try members.required("account"), local: try members.flag("local"))
    case "account_import":
      self = .import(
        account: try members.required("account"), try members.settings(),
        handsOver: try HandedSecret.read(members))
    case "account_client_metadata":
      self = .clientMetadata(
        account: try members.text("account"), try members.settings(), handsOver: try HandedSecret.read(members))
    default: return nil
    }
  }

  func addMembers(to members: inout MemberWriter) {
    switch self {
    case .add(let account, let settings):
      members.add("account", account)
      members.add(settings)
    case .show(let account): members.add("account", account)
    case .set(let account, let settings, let unset):
      members.add("account", account)
      members.add(settings)
      members.add("unset", unset.map(\.name))
    case .rename(let account, let newName):
      members.add("account", account)
      members.add("new_name", newName)
    case .remove(let account, let local):
      members.add("account", account)
      members.add("local", local)
    case .import(let account as String?, let settings, let handsOver),
      .clientMetadata(let account, let settings, let handsOver):
      members.add("account", account)
      members.add(settings)
      HandedSecret.addMembers(handsOver, to: &members)
    }
  }

  private static func unset(_ members: RequestMembers) throws(Failure) -> [AccountSetting] {
    var settings: [AccountSetting] = []
    for name in try members.texts("unset") {
      guard let setting = AccountSetting.named(name), setting.canBeUnset else {
        throw Failure(.invalidRequest, "\"unset\" must list settings that can be taken back")
      }
      settings.append(setting)
    }
    return settings
  }
}
