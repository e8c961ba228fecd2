internal import Crypto
internal import Platform
internal import Vault
package import Vocabulary

/// Records with refresh tokens that the server issued and that could not be written, for example because the disk
/// failed. The tokens in the vault are then invalid, so these are kept until they can be written.
///
/// Shared by all accounts; thread-safe.
final class UnstoredRecords: Sendable {
  struct Entry {
    let record: AccountRecord
    /// The number of the write that made the record in the vault, whose place this one is to take.
    let replaces: UInt64
  }

  private let entries = Monitor<[AccountName: Entry]>([:])

  subscript(account: AccountName) -> Entry? {
    get { entries.withLock { $0[account] } }
    set { entries.withLock { $0[account] = newValue } }
  }

  var accounts: [AccountName] { entries.withLock { Array($0.keys) } }
}

extension SessionServices {
  /// Makes sure that a record can be written, as far as that can be known before. For the moment before a refresh
  /// token is spent, which cannot be undone.
  ///
  /// - Returns: Memory for a record of any size.
  @discardableResult
  func rehearseWrite() throws(SessionError) -> SecretRoom {
    if !isEphemeral { try storing { (vault) throws(VaultError) in try vault.rehearseWrite() } }
    // A buffer that grows takes less than twice its last size.
    do { return try SecretRoom(byteCount: 2 * SecretBytes.maximumCount) } catch { throw .memory }
  }

  /// Writes a record whose refresh token has taken the place of the one in the vault. When that fails it is
  /// kept here, and ``settle(_:)`` writes it.
  ///
  /// - Parameters:
  ///   - generation: The number of the record that was read.
  ///   - room: As ``rehearseWrite()`` returns it.
  func write(
    rotated record: AccountRecord, of account: AccountName, replacing generation: UInt64, in room: SecretRoom? = nil
  ) throws(SessionError) -> UInt64 {
    do {
      return try write(record, of: account, replacing: generation, in: room)
    } catch .signedOut {
      leaveForRevocation(record, of: account)
      throw .signedOut(account: account.text)
    } catch {
      unstored[account] = UnstoredRecords.Entry(record: record, replaces: generation)
      throw error
    }
  }

  /// Hands the tokens that came for a session that was signed out meanwhile to what is still to be told to the server.
  func leaveForRevocation(_ record: AccountRecord, of account: AccountName) {
    guard let stored = try? storedRecord(of: account), stored.record.revocation != nil else { return }
    var rest = stored.record
    rest.revocation?.refreshToken = record.refreshToken
    _ = try? write(rest, of: account, replacing: stored.generation)
  }

  /// Retries a write that failed. The caller holds the account.
  ///
  /// - Throws: The error of the retry.
  func settle(_ account: AccountName) throws(SessionError) {
    guard let entry = unstored[account] else { return }
    let stored = try storing { (vault) throws(VaultError) in try vault.read(account)?.generation }
    guard stored == entry.replaces else {
      // Another process signed the account in or out meanwhile.
      unstored[account] = nil
      return
    }
    try write(entry.record, of: account, replacing: entry.replaces)
  }

  /// Tries ``settle(_:)`` for all accounts. Blocking.
  package func settleAll() {
    for account in unstored.accounts {
      try? holding(account) { () throws(SessionError) in try settle(account) }
    }
  }

  /// Whether a refresh token exists in memory only.
  package var isUnsettled: Bool { !unstored.accounts.isEmpty }

  /// The accounts whose refresh token exists in memory only, by name.
  package var unsettled: [AccountName] { unstored.accounts.sorted() }
}
