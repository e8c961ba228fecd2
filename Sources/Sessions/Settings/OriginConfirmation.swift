package import OAuth
internal import Vault
package import Vocabulary

/// Seals in the vault which origins may get an account's token and which certificate authorities may vouch for its
/// server, after the user has changed them. Blocking.
///
/// Adds only the entries of this change: one written to the settings file by other means is not confirmed along with
/// it.
package struct OriginConfirmation: Sendable {
  package let account: AccountName
  /// The new settings.
  package let configuration: AccountConfiguration
  package let added: [ResourceOrigin]
  /// Whether the user specified the file of certificate authorities.
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

  /// The record's generation before and after it was rewritten.
  package struct Move: Sendable, Hashable {
    package let from: UInt64
    package let to: UInt64
  }

  /// Runs as part of a change. Reads nothing if the change does not affect these settings.
  package func run(for change: AccountChange) throws(SessionError) -> Move? {
    added.isEmpty && change.old.origins == change.new.origins && !confirmsAuthorities ? nil : try run()
  }

  /// - Returns: Nil if there was nothing to seal. An account that never signed in has no record; its first sign-in
  ///   seals the complete list.
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
