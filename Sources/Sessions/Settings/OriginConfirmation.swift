package import OAuth
internal import Vault
package import Vocabulary

/// Seals in the vault which places may get an account's token, and which certificate authorities may vouch for its
/// server, after a person has changed them. Blocking.
///
/// Only entries named in that change are added: one written into the settings file by other means is not confirmed
/// along with it.
package struct OriginConfirmation: Sendable {
  package let account: AccountName
  /// The settings with the change.
  package let configuration: AccountConfiguration
  package let added: [ResourceOrigin]
  /// A person has named the file of certificate authorities.
  package let confirmsAuthorities: Bool
  package let services: SessionServices

  package init(
    account: AccountName, configuration: AccountConfiguration, added: [ResourceOrigin],
    confirmsAuthorities: Bool = false, services: SessionServices
  ) {
    self.confirmsAuthorities = confirmsAuthorities
    self.account = account
    self.configuration = configuration
    self.added = added
    self.services = services
  }

  /// The record's generation before and after it was written again.
  package struct Move: Sendable, Hashable {
    package let from: UInt64
    package let to: UInt64
  }

  /// The same as part of a change: nothing is read when the list is not what it is about.
  package func run(for change: AccountChange) throws(SessionError) -> Move? {
    added.isEmpty && change.old.origins == change.new.origins && !confirmsAuthorities ? nil : try run()
  }

  /// - Returns: Nil when there was nothing to seal. An account that never signed in has no record; its
  ///   first sign-in seals the whole list.
  package func run() throws(SessionError) -> Move? {
    try services.holding(account) { () throws(SessionError) in try seal() }
  }

  private func seal() throws(SessionError) -> Move? {
    guard let stored = try services.storedRecord(of: account) else { return nil }
    var record = stored.record
    let before = record.authority
    if confirmsAuthorities { record.authority.seal(try AccountAccess(configuration).authorities) }
    let kept = record.authority.resourceOrigins.filter { text in
      ResourceOrigin(text, allowHTTPLoopback: true).map { configuration.lists($0) } ?? false
    }
    record.authority.resourceOrigins = Set(kept + added.map(\.text)).sorted()
    guard record.authority != before else { return nil }
    return Move(from: stored.generation, to: try services.write(record, of: account, replacing: stored.generation))
  }
}
