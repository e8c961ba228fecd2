package import OAuth
internal import Vault
package import Vocabulary

/// Decides which account's token may go to a place.
///
/// A place gets the token when the settings list it and the vault repeats it, or when it is the sealed place
/// of UserInfo. The settings file alone, which anything that can edit dotfiles can write, is not enough.
package struct ResourceGate: Sendable {
  package let settings: Settings
  package let services: SessionServices

  package init(settings: Settings, services: SessionServices) {
    self.settings = settings
    self.services = services
  }

  /// The account to use. The active one counts no more than others.
  ///
  /// - Parameter named: The account that the caller chose; its list decides all the same.
  /// - Throws: `originNotListed`, `originUnconfirmed`, or `severalAccounts` when the caller must choose.
  package func account(for origin: ResourceOrigin, named: AccountName?) throws(SessionError) -> AccountName {
    if let named {
      try check(named, origin)
      return named
    }
    // Origins that a person listed take precedence over those that the server announced.
    let listed = settings.accounts.filter { $0.configuration.lists(origin) }.map(\.name)
    let candidates = listed.isEmpty ? accountsWithUserInfo(at: origin) : listed
    guard let first = candidates.first else {
      throw .originNotListed(account: nil, origin: origin.text, known: settings.accounts.map(\.name.text))
    }
    guard candidates.count == 1 else {
      throw .severalAccounts(candidates.map(\.text), origin: origin.text)
    }
    try check(first, origin)
    return first
  }

  private func check(_ account: AccountName, _ origin: ResourceOrigin) throws(SessionError) {
    guard let configuration = settings[account] else {
      throw .noAccount(name: account.text, known: settings.accounts.map(\.name.text))
    }
    guard let record = try services.record(of: account) else {
      // Without a session there is no token either, which is the better thing to say.
      if configuration.lists(origin) { return }
      throw .originNotListed(account: account.text, origin: origin.text)
    }
    try record.authority.check(origin, configuration, account)
  }

  /// A record that cannot be read names no place.
  private func accountsWithUserInfo(at origin: ResourceOrigin) -> [AccountName] {
    settings.accounts.map(\.name).filter { name in
      guard let record = try? services.record(of: name) else { return false }
      return record.authority.isUserInfo(at: origin)
    }
  }
}

extension AccountConfiguration {
  /// The places that the settings list, each once. An entry that is no origin lists none.
  var resourceOrigins: Set<ResourceOrigin> {
    Set(self.origins.compactMap { ResourceOrigin($0, allowHTTPLoopback: self.allowHTTPLoopback) })
  }

  /// Whether the settings say that a place may get the account's token.
  package func lists(_ origin: ResourceOrigin) -> Bool { resourceOrigins.contains(origin) }
}

extension Authority {
  /// - Throws: Why the place does not get the account's token.
  func check(
    _ origin: ResourceOrigin, _ configuration: AccountConfiguration, _ account: AccountName
  ) throws(SessionError) {
    if isUserInfo(at: origin) { return }
    guard configuration.lists(origin) else { throw .originNotListed(account: account.text, origin: origin.text) }
    guard resourceOrigins.contains(where: { $0.utf8.elementsEqual(origin.text.utf8) }) else {
      throw .originUnconfirmed(account: account.text, origin: origin.text)
    }
  }

  fileprivate func isUserInfo(at origin: ResourceOrigin) -> Bool {
    userinfoOrigin.map { $0.utf8.elementsEqual(origin.text.utf8) } ?? false
  }
}
