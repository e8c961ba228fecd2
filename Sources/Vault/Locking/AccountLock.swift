internal import Platform

/// An account's advisory lock, held until deinitialized. Its file, `locks/account-NAME.lock` in the state directory, is
/// never removed: a lock on a removed file excludes no other process.
package struct AccountLock: ~Copyable, Sendable {
  private let file: FileLock
  private let threadLock: ThreadLock

  private static let pollInterval = Duration.milliseconds(100)

  /// Acquires the lock. Throws `busy` or `busyInProcess` at the end of the wait.
  init(_ account: AccountName, of vault: Vault, _ wait: LockWait) throws(VaultError) {
    let deadline = Instant.now.advanced(by: wait.maximum)
    let path = "\(vault.stateDirectory)/\(Self.folder)/\(Self.name(of: account))"
    let threadLock = try ThreadLock(of: account, in: vault.lockedAccounts, until: deadline, wait, path)
    let file = try Self.lock(account, of: vault, until: deadline, wait, path)
    self.file = file
    self.threadLock = threadLock
  }

  private static let folder = "locks"
  private static let longestPause = Duration.milliseconds(20)

  private static func name(of account: AccountName) -> String { "account-\(account.text).lock" }

  private static func lock(
    _ account: AccountName, of vault: Vault, until deadline: Instant, _ wait: LockWait, _ path: String
  ) throws(VaultError) -> FileLock {
    var pause = Duration.milliseconds(1)
    while true {
      let lock = try vault.withDescriptors { () throws(VaultError) -> FileLock? in
        let state = try open(vault.stateDirectory)
        let directory = try open("\(state.path)/\(folder)")
        do throws(SystemError) { return try directory.tryLock(name(of: account)) } catch {
          if error.wouldBlock { return nil }
          throw VaultError(error, path: path)
        }
      }
      if let lock { return lock }
      let left = Instant.now.duration(to: deadline)
      guard left > .zero, !wait.isGivenUp() else { throw VaultError(.busy, path: path) }
      // flock(2) has no timeout, so poll.
      Threads.sleep(for: min(pause, left))
      pause = min(pause * 2, longestPause)
    }
  }

  private static func open(_ path: String) throws(VaultError) -> PrivateDirectory {
    do { return try PrivateDirectory(opening: path, create: true) } catch { throw VaultError(error) }
  }

  package consuming func release() {}

  /// Excludes other threads of this process. A class, since a release build does not link a private noncopyable type.
  private final class ThreadLock: Sendable {
    private let account: AccountName
    private let locked: Monitor<Set<AccountName>>

    init(
      of account: AccountName, in locked: Monitor<Set<AccountName>>, until deadline: Instant, _ wait: LockWait,
      _ path: String
    ) throws(VaultError) {
      while true {
        let left = Instant.now.duration(to: deadline)
        let isTaken = locked.wait(max(.zero, min(left, AccountLock.pollInterval))) { locked in
          locked.insert(account).inserted ? true : nil
        }
        if isTaken != nil { break }
        guard left > .zero, !wait.isGivenUp() else { throw VaultError(.busyInProcess, path: path) }
      }
      (self.account, self.locked) = (account, locked)
    }

    deinit { locked.update { _ = $0.remove(account) } }
  }
}
