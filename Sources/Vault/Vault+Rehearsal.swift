internal import Platform

extension Vault {
  /// Finds out whether a write would fail for want of space, rights or locks. For the moment before something is
  /// done that cannot be undone and that must be written down then; nothing is changed.
  ///
  /// - Throws: what the write would throw.
  package func rehearseWrite() throws(VaultError) {
    let place = try place()
    let directory = try place.openOrCreate()
    let lock = try place.lock(directory, wait: lockWait)
    try place.rehearse(in: directory)
    lock.release()
  }
}

extension VaultPlace {
  /// More than one record grows by in one write.
  private static let growth = 64 << 10

  fileprivate func rehearse(in directory: borrowing PrivateDirectory) throws(VaultError) {
    do {
      try directory.rehearseReplacing(fileName, growth: Self.growth)
    } catch {
      throw VaultError(error, path: path)
    }
  }
}
