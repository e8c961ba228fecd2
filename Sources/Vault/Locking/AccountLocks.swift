internal import Platform
internal import Vocabulary

/// The advisory locks of accounts: the files `locks/account-NAME.lock` in the state directory. The files are never
/// removed, because a lock on a removed file excludes no other process.
struct AccountLocks {
  let stateDirectory: String

  /// Takes the lock of one account; waits at most `wait` for another holder, and not once `isGivenUp` is true.
  func lock(_ account: AccountName, wait: Duration, unless isGivenUp: () -> Bool) throws(VaultError) -> FileLock {
    let state = try open(stateDirectory)
    let directory = try open("\(state.path)/locks")
    let name = "account-\(account.text).lock"
    do {
      return try directory.lock(name, wait: wait, unless: isGivenUp)
    } catch {
      throw VaultError(lock: error, path: "\(directory.path)/\(name)")
    }
  }

  private func open(_ path: String) throws(VaultError) -> PrivateDirectory {
    do { return try PrivateDirectory(opening: path, create: true) } catch { throw VaultError(error) }
  }
}
