// A directory with a subdirectory for each socket, to lend each separately.
extension PrivateDirectory {
  private static let lockName = ".lock"

  /// Locks the creation of sockets in the subdirectories, and removes sockets of killed processes. Hold the lock until
  /// a new socket listens. Throws `EAGAIN` after `wait`.
  package borrowing func lockSockets(wait: Duration) throws(SystemError) -> FileLock {
    let lock = try lock(Self.lockName, wait: wait)
    try removeAbandonedSockets()
    return lock
  }

  /// Removes subdirectories that contain nothing but abandoned sockets. Does not follow links.
  private borrowing func removeAbandonedSockets() throws(SystemError) {
    for found in try fileNames() {
      guard
        let below = try? PrivateDirectory(opening: "\(path)/\(found)", create: false, withoutOthersRights: 0o022),
        let names = try? below.fileNames(), Self.areAbandoned(names, in: below)
      else { continue }
      for name in names { try? below.removeFile(name, isDurable: false) }
      below.removeEmpty()
    }
  }

  private static func areAbandoned(_ names: [String], in directory: borrowing PrivateDirectory) -> Bool {
    for name in names where !directory.isAbandonedSocket(name) { return false }
    return true
  }

  /// This user's sockets that no other user can connect to, newest first.
  package borrowing func ownSockets() throws(SystemError) -> [String] {
    var found: [(name: String, stamp: FileStamp)] = []
    for name in try fileNames() {
      guard let status = try? FileStatus(of: name, in: descriptor), status.isSocket,
        status.owner == Machine.userID, status.permissions & 0o077 == 0
      else { continue }
      found.append((name, status.stamp))
    }
    return found.sorted { $0.stamp.writtenAt > $1.stamp.writtenAt }.map(\.name)
  }

  private borrowing func isAbandonedSocket(_ name: String) -> Bool {
    guard (try? FileStatus(of: name, in: descriptor))?.isSocket == true else { return false }
    return !UnixSocket.isListening(in: self, name: name)
  }
}
