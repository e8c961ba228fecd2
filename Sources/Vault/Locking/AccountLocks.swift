internal import Platform

/// The advisory locks of accounts: the files `locks/account-NAME.lock` in the state directory.
/// They are never removed, because a lock on a removed file keeps nobody away.
struct AccountLocks {
  let stateDirectory: String

  /// Takes a lock, and waits for it if needed.
  func lock(_ account: AccountName, wait: Duration) throws(VaultError) -> FileLock {
    let state = try open(stateDirectory)
    let directory = try open("\(state.path)/locks")
    let name = "account-\(account.text).lock"
    do {
      return try directory.lock(name, wait: wait)
    } catch {
      throw VaultError(lock: error, path: "\(directory.path)/\(name)")
    }
  }

  private func open(_ path: String) throws(VaultError) -> PrivateDirectory {
    do { return try PrivateDirectory(opening: path, create: true) } catch { throw VaultError(error) }
  }
}
