internal import Crypto
internal import OAuth
internal import Platform
internal import Vault
package import Vocabulary

/// Refresh tokens that the server issued and that could not be written, for example because the disk failed or the vault
/// was locked meanwhile. The tokens in the vault are then invalid, so these are kept until they can be written. Nothing
/// else of a record is kept.
///
/// Shared by all accounts; thread-safe.
final class UnstoredRecords: Sendable {
  struct Entry {
    let renewal: AccountRecord.Renewal
    /// The number of the write that made the record in the vault, which this is about.
    let replaces: UInt64
    /// Ends the grant at the server.
    let revoke: @Sendable () -> Void
  }

  private let entries = Monitor<[AccountName: Entry]>([:])

  subscript(account: AccountName) -> Entry? {
    get { entries.withLock { $0[account] } }
    set { entries.withLock { $0[account] = newValue } }
  }

  var accounts: [AccountName] { entries.withLock { Array($0.keys) } }
}

/// What is reserved for the write of a record before a token is spent, as long as it lives (reserve first).
struct WriteReserve: Sendable {
  let room: SecretRoom
  private let descriptors: DescriptorReserve.Hold?

  init(room: SecretRoom, _ descriptors: DescriptorReserve.Hold?) {
    self.room = room
    self.descriptors = descriptors
  }
}

extension SessionServices {
  /// Makes sure that a record can be written, as far as that can be known before. For the moment before a refresh
  /// token is spent, which cannot be undone.
  ///
  /// - Parameters:
  ///   - wait: The wait for another process that has the vault's lock; nil means the vault's own.
  ///   - cancellation: Ends that wait.
  /// - Returns: Memory for a record of any size, and the descriptors that the write opens, until it is gone.
  /// - Throws: `cancelled`, if the wait was given up.
  @discardableResult
  func rehearseWrite(wait: LockWait?, _ cancellation: Cancellation) throws(SessionError) -> WriteReserve {
    // After the rehearsal, which opens the same.
    if !isEphemeral {
      do throws(VaultError) { try vault.rehearseWrite(wait: wait) } catch {
        throw cancellation.isCancelled ? .cancelled : .vault(error)
      }
    }
    let hold: DescriptorReserve.Hold?
    do throws(SystemError) {
      hold = try isEphemeral ? nil : vault.descriptors.hold(besides: Self.descriptorsOfExchange)
    } catch {
      throw .vault(VaultError(.storage(error), path: vault.summary().path))
    }
    // A buffer that grows takes less than twice its last size.
    do { return WriteReserve(room: try SecretRoom(byteCount: 2 * SecretBytes.maximumCount), hold) } catch {
      throw .memory
    }
  }

  /// The socket of a request, and one for the resolver.
  private static let descriptorsOfExchange = 2
  /// How long a write waits for descriptors that other threads took when the reserve was opened for it.
  private static let descriptorWait = Duration.seconds(5)

  /// Writes a record whose refresh token has taken the place of the one in the vault. When that fails it is
  /// kept here, and ``settle(_:)`` writes it.
  ///
  /// - Parameters:
  ///   - generation: The number of the record that was read.
  ///   - cancellation: Ends the wait for the vault's lock.
  ///   - room: As ``rehearseWrite(wait:_:)`` returns it.
  ///   - revoke: Ends the grant at the server, for a process that ends before the token could be written.
  func write(
    rotated record: AccountRecord, of account: AccountName, replacing generation: UInt64,
    _ cancellation: Cancellation, in room: WriteReserve? = nil, orEndBy revoke: @escaping @Sendable () -> Void = {}
  ) throws(SessionError) -> UInt64 {
    let deadline = Instant.now.advanced(by: Self.descriptorWait)
    while true {
      do throws(SessionError) {
        return try write(
          record, of: account, replacing: generation, wait: Self.lockWait(cancellation), in: room)
      } catch {
        if case .signedOut = error { throw error }
        guard error.lacksDescriptors, Instant.now < deadline else {
          unstored[account] = UnstoredRecords.Entry(
            renewal: record.renewal, replaces: generation, revoke: revoke)
          throw error
        }
        Threads.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Adds a refresh token to the pending revocation of a session that was signed out during the refresh.
  ///
  /// - Returns: False if the account has no record that could hold it.
  func leaveForRevocation(_ refreshToken: SharedSecret, of account: AccountName) -> Bool {
    guard let stored = try? storedRecord(of: account) else { return false }
    // A session that the account has again is left alone: some servers end it with any of its tokens.
    guard stored.record.revocation != nil else { return true }
    var rest = stored.record
    rest.revocation?.refreshToken = refreshToken
    return (try? write(rest, of: account, replacing: stored.generation)) != nil
  }

  /// Retries a write that failed. The caller holds the account.
  ///
  /// - Throws: The error of the retry.
  func settle(_ account: AccountName) throws(SessionError) {
    guard let entry = unstored[account] else { return }
    let stored = try storing { (vault) throws(VaultError) in try vault.read(account)?.generation }
    guard stored == entry.replaces, let record = try record(of: account) else {
      // Another process signed the account in or out meanwhile.
      unstored[account] = nil
      return
    }
    try write(record, of: account, replacing: entry.replaces, wait: nil)
  }

  /// Tries ``settle(_:)`` for all accounts. Blocking.
  package func settleAll() {
    for account in unstored.accounts {
      try? holding(account, at: nil, mustWrite: true) { (_) throws(SessionError) in try settle(account) }
    }
  }

  /// Ends the grants at the servers whose refresh tokens could not be written, because the process ends. Blocking.
  package func revokeUnsettled() {
    for account in unstored.accounts { unstored[account]?.revoke() }
  }

  /// Whether a refresh token exists in memory only.
  package var isUnsettled: Bool { !unstored.accounts.isEmpty }

  /// The accounts whose refresh token exists in memory only, by name.
  package var unsettled: [AccountName] { unstored.accounts.sorted() }
}

extension SessionError {
  fileprivate var lacksDescriptors: Bool {
    if case .vault(let error) = self, case .storage(let cause) = error.code { cause.isOutOfDescriptors } else { false }
  }
}
