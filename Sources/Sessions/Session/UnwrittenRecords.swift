internal import Crypto
internal import OAuth
internal import Platform
internal import Vault

/// Values by account. Thread-safe.
final class AccountTable<Value: Sendable>: Sendable {
  private let values = Monitor<[AccountName: Value]>([:])

  subscript(account: AccountName) -> Value? {
    get { values.withLock { $0[account] } }
    set { values.withLock { $0[account] = newValue } }
  }

  var accounts: [AccountName] { values.withLock { Array($0.keys) } }
}

/// A refresh token that could not be written to the vault. The one stored there is no longer valid.
struct UnwrittenRecord: Sendable {
  let refreshedMembers: AccountRecord.RefreshedMembers
  /// The generation of the vault's record to replace.
  let replaces: UInt64
  /// Revokes the grant, if the process ends first.
  let revoke: @Sendable () -> Void
}

/// Resources for writing a record, reserved before a token is spent, released with this value (invariant: reserve
/// first).
struct WriteReserve: Sendable {
  /// Memory for any record.
  let arena: SecretArena
  private let reserve: SecretReserve
  private let descriptors: DescriptorReserve.Reservation?
  /// Memory for the vault's new content, released when the write begins: without memory, Swift ends the process.
  private let heap: Monitor<PrivateMapping?>
  /// Disk space for the new vault. Nil if a failed write can be repeated.
  let vault: ReservedFile?
  /// Disk space for changed settings.
  var settings: ReservedFile?

  fileprivate init(
    _ descriptors: DescriptorReserve.Reservation?, _ vault: ReservedFile?, vaultBytes: Int
  ) throws(CryptoError) {
    arena = try SecretArena(byteCount: 2 * SecretBytes.maximumCount)
    // Reading a record copies each of its secrets.
    reserve = try SecretReserve(byteCount: 2 * SecretBytes.maximumCount + (64 << 10))
    self.descriptors = descriptors
    self.vault = vault
    do { heap = Monitor(try PrivateMapping(byteCount: Self.reservedVaultCopies * vaultBytes + (1 << 20))) } catch {
      throw CryptoError(.secureHeapFull, "vault")
    }
  }

  /// For the old and new content, each also parsed.
  private static let reservedVaultCopies = 4

  /// Releases ``heap``.
  func beginWrite() { heap.withLock { $0 = nil } }
}

extension SessionServices {
  /// Checks as far as possible that a record can be written. `wait` is for the vault's lock; nil for the default.
  func rehearseWrite(wait: LockWait?, _ cancellation: Cancellation) throws(SessionError) {
    _ = try reserveWrite(wait: wait, isFailureFinal: false, cancellation)
  }

  /// Reserves resources for writing a record, with disk space if `isFailureFinal`. Call it before spending a refresh
  /// token or an approval.
  func reserveWrite(
    wait: LockWait?, isFailureFinal: Bool, _ cancellation: Cancellation
  ) throws(SessionError) -> WriteReserve {
    var file: ReservedFile?
    // First, since it opens the descriptors to reserve.
    if !isEphemeral {
      do throws(VaultError) {
        if isFailureFinal { file = try vault.reserveWrite(wait: wait) } else { try vault.rehearseWrite(wait: wait) }
      } catch {
        throw cancellation.isCancelled ? .cancelled : .vault(error)
      }
    }
    let hold: DescriptorReserve.Reservation?
    do throws(SystemError) {
      hold = try isEphemeral ? nil : vault.descriptors.reserve(besides: Self.descriptorsOfExchange)
    } catch {
      throw .vault(VaultError(.storage(error), path: vault.summary().path))
    }
    do { return try WriteReserve(hold, file, vaultBytes: isEphemeral ? 0 : vault.byteCount) } catch { throw .memory }
  }

  /// The request's socket and the resolver's.
  private static let descriptorsOfExchange = 2
  private static let descriptorWait = Duration.seconds(5)

  /// Writes a record with a rotated refresh token. If that fails, keeps it in memory for ``retryWrite(_:wait:)``, or
  /// calls `revoke` if the process ends first.
  func write(
    rotated record: AccountRecord, of account: AccountName, replacing generation: UInt64,
    _ cancellation: Cancellation, in writeReserve: WriteReserve? = nil,
    orEndBy revoke: @escaping @Sendable () -> Void = {}
  ) throws(SessionError) -> UInt64 {
    let deadline = Instant.now.advanced(by: Self.descriptorWait)
    while true {
      do throws(SessionError) {
        return try write(
          record, of: account, replacing: generation, wait: Self.lockWait(cancellation), in: writeReserve)
      } catch {
        if case .signedOut = error { throw error }
        guard error.lacksDescriptors, Instant.now < deadline else {
          unwrittenRecords[account] = UnwrittenRecord(
            refreshedMembers: record.refreshedMembers, replaces: generation, revoke: revoke)
          throw error
        }
        Threads.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Adds a refresh token to the pending revocation of a session that ended during the refresh. Returns false if that
  /// fails.
  func addToPendingRevocation(_ refreshToken: SharedSecret, of account: AccountName) -> Bool {
    guard let stored = try? storedRecord(of: account) else {
      guard unwrittenRevocations[account] != nil else { return false }
      unwrittenRevocations[account]?.record.revocation?.refreshToken = refreshToken
      return true
    }
    // Some servers end a new session if any of the account's tokens is revoked.
    guard stored.record.revocation != nil else { return true }
    var rest = stored.record
    rest.revocation?.refreshToken = refreshToken
    return (try? write(rest, of: account, replacing: stored.generation)) != nil
  }

  /// Retries a failed write of the account's record. The caller must have locked the account.
  func retryWrite(_ account: AccountName, wait: LockWait? = briefLockWait) throws(SessionError) {
    guard let entry = unwrittenRecords[account] else { return }
    let stored = try mapVaultError(vault.read(account)?.generation)
    guard stored == entry.replaces, let record = try record(of: account) else {
      unwrittenRecords[account] = nil
      return
    }
    try write(record, of: account, replacing: entry.replaces, wait: wait)
  }

  /// Retries all failed writes of records and revocations. Blocking.
  package func retryWrites() {
    for account in unwrittenRecords.accounts {
      try? withAccountLock(account, at: nil, mustWrite: true) { (_) throws(SessionError) in try retryWrite(account) }
    }
    for account in unwrittenRevocations.accounts where unwrittenRevocations[account]?.protection != nil {
      try? withAccountLock(account, at: nil, mustWrite: true) { (_) throws(SessionError) in
        _ = try loadRecordToRevoke(of: account, wait: Self.briefLockWait)
      }
    }
  }

  /// Revokes the grants and ended sessions that exist only in memory. Blocking.
  package func revokeUnwritten() {
    for account in unwrittenRecords.accounts { unwrittenRecords[account]?.revoke() }
    for account in unwrittenRevocations.accounts { _ = pendingRevocation(of: account).revokePending() }
  }

  /// Whether a refresh token or a pending revocation exists only in memory.
  package var hasUnwritten: Bool { !unwrittenRecords.accounts.isEmpty || !unwrittenRevocations.accounts.isEmpty }

  package var accountsWithUnwrittenToken: [AccountName] { unwrittenRecords.accounts.sorted() }
}

extension SessionError {
  fileprivate var lacksDescriptors: Bool {
    if case .vault(let error) = self, case .storage(let cause) = error.code { cause.isOutOfDescriptors } else { false }
  }
}
