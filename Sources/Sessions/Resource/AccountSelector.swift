package import OAuth

/// Selects the account whose token may be sent to a URL. Its origin must be listed in the settings and confirmed in the
/// vault, or be the sealed origin of UserInfo. The settings alone are not enough: anything that can edit dotfiles can
/// write them.
package struct AccountSelector: Sendable {
  package let settings: Settings
  package let services: SessionServices

  /// Selected if several accounts match equally well.
  private let preferred: AccountName?

  package init(settings: Settings, services: SessionServices, preferred: AccountName? = nil) {
    self.settings = settings
    self.preferred = preferred
    self.services = services
  }

  /// Selects `named`, or else the account whose entry has the longest matching path; among several, those with a
  /// matching resource, then `preferred`. Without an entry, selects the account whose UserInfo has this origin. Throws
  /// `originNotListed`, `originUnconfirmed` (by the vault), or `severalAccounts` if the caller must choose.
  package func selectAccount(for url: ResourceURL, named: AccountName?) throws(SessionError) -> SelectedAccount {
    try selectAccount(for: url, named: named, listedOnly: false)
  }

  /// The origin of an account's UserInfo need not be listed or confirmed, unless `listedOnly`.
  private func selectAccount(
    for url: ResourceURL, named: AccountName?, listedOnly: Bool
  ) throws(SessionError) -> SelectedAccount {
    var fitting: [(account: AccountName, entry: OriginEntry, lengths: (entry: Int, resource: Int))] = []
    for account in settings.accounts where named.map({ account.name == $0 }) ?? true {
      guard let (entry, length) = account.configuration.entry(for: url) else { continue }
      fitting.append((account.name, entry, (length, account.configuration.lengthOfResource(for: url) ?? -1)))
    }
    if let best = fitting.map(\.lengths).max(by: <) { fitting.removeAll { $0.lengths != best } }
    let announced = fitting.isEmpty && !listedOnly ? try accountsWithUserInfo(at: url.origin, named) : []
    var accounts = fitting.isEmpty ? announced : fitting.map(\.account)
    if let preferred, accounts.contains(preferred) { accounts = [preferred] }
    guard let first = accounts.first else { throw notListed(url, named) }
    guard accounts.count == 1 else { throw .severalAccounts(accounts.map(\.text), origin: url.origin.text) }
    try check(first, url.origin, listedOnly: listedOnly)
    return SelectedAccount(account: first, url: url, entry: fitting.first { $0.account == first }?.entry)
  }

  /// Selects the account for the first listed URL. The origin of UserInfo is not enough.
  package func selectAccount(among urls: [ResourceURL], named: AccountName?) throws(SessionError) -> SelectedAccount {
    var first: SessionError?
    for url in urls {
      do { return try selectAccount(for: url, named: named, listedOnly: true) } catch {
        switch error {
        case .originNotListed, .originOfOtherUser: first = first ?? error
        default: throw error
        }
      }
    }
    throw first ?? .unsuitableURL
  }

  private func notListed(_ url: ResourceURL, _ named: AccountName?) -> SessionError {
    let origin = url.origin.text
    if url.user != nil {
      let anyone = ResourceURL(origin: url.origin, path: url.path)
      for account in settings.accounts where named.map({ account.name == $0 }) ?? true {
        guard let user = account.configuration.entry(for: anyone)?.entry.user else { continue }
        return .originOfOtherUser(account: account.name.text, origin: origin, user: user)
      }
    }
    guard let named else { return .originNotListed(account: nil, origin: origin, url: origin + (url.path ?? "")) }
    guard settings[named] != nil else {
      return .noAccount(name: named.text, known: settings.accounts.map(\.name.text))
    }
    return .originNotListed(account: named.text, origin: origin)
  }

  /// Throws if the origin may not get the account's token.
  private func check(_ account: AccountName, _ origin: ResourceOrigin, listedOnly: Bool) throws(SessionError) {
    guard let configuration = settings[account] else {
      throw .noAccount(name: account.text, known: settings.accounts.map(\.name.text))
    }
    guard let record = try services.record(of: account) else {
      // Without a session there is no token, a more helpful error.
      if configuration.lists(origin) { return }
      throw .originNotListed(account: account.text, origin: origin.text)
    }
    try record.authority.check(origin, configuration, account, listedOnly: listedOnly)
  }

  /// Ignores unreadable records, except that of `named`.
  private func accountsWithUserInfo(
    at origin: ResourceOrigin, _ named: AccountName?
  ) throws(SessionError) -> [AccountName] {
    if let named {
      guard settings[named] != nil, let record = try services.record(of: named) else { return [] }
      return record.authority.hasUserInfo(at: origin) ? [named] : []
    }
    return settings.accounts.map(\.name).filter { name in
      (try? services.record(of: name)).flatMap { $0 }?.authority.hasUserInfo(at: origin) ?? false
    }
  }
}

extension AccountConfiguration {
  var resourceOrigins: Set<ResourceOrigin> { Set(originEntries.map { ResourceOrigin(of: $0) }) }

  package func lists(_ origin: ResourceOrigin) -> Bool { resourceOrigins.contains(origin) }
}

extension AccountRecord {
  /// The listed origins that the record does not confirm, which get no token.
  package func unconfirmedOrigins(_ configuration: AccountConfiguration, account: AccountName) -> [String] {
    configuration.resourceOrigins.filter { origin in
      (try? authority.check(origin, configuration, account, listedOnly: true)) == nil
    }
    .map(\.text).sorted()
  }
}

extension Authority {
  /// Throws unless the account's token may be sent to the origin. With `listedOnly`, UserInfo's origin must also be
  /// listed.
  func check(
    _ origin: ResourceOrigin, _ configuration: AccountConfiguration, _ account: AccountName, listedOnly: Bool = false
  ) throws(SessionError) {
    if !listedOnly, hasUserInfo(at: origin) { return }
    guard configuration.lists(origin) else { throw .originNotListed(account: account.text, origin: origin.text) }
    guard resourceOrigins.contains(origin.text) else {
      throw .originUnconfirmed(account: account.text, origin: origin.text)
    }
  }

  fileprivate func hasUserInfo(at origin: ResourceOrigin) -> Bool {
    userinfoOrigin == origin.text
  }
}
