internal import CPlatform
internal import Glibc

// A directory that holds one directory for each socket, so that each can be lent alone.
extension PrivateDirectory {
  /// The name does not stand beside those of the directories in a listing.
  private static let lockName = ".lock"

  /// Takes the lock under which sockets are made in the directories below, and removes those of killed processes.
  ///
  /// - Parameters:
  ///   - name: The name of each socket in its directory.
  ///   - wait: The longest wait for another process that makes or removes sockets.
  /// - Returns: The lock. A socket that is made while it is held is not removed before it listens.
  /// - Throws: `EAGAIN` if another process holds it after that time.
  package borrowing func lockSockets(named name: String, wait: Duration) throws(SystemError) -> FileLock {
    let lock = try lock(Self.lockName, wait: wait)
    try removeAbandonedSockets(name)
    return lock
  }

  /// Removes empty directories, and those whose only file is a socket without a listener. Links are not followed; a
  /// directory with another file stays.
  private borrowing func removeAbandonedSockets(_ name: String) throws(SystemError) {
    for found in try fileNames() {
      guard
        let below = try? PrivateDirectory(opening: "\(path)/\(found)", create: false, withoutOthersRights: 0o022),
        let names = try? below.fileNames(), names.allSatisfy({ $0 == name })
      else { continue }
      if !names.isEmpty {
        guard below.isAbandonedSocket(name), (try? below.removeFile(name, isDurable: false)) != nil else { continue }
      }
      below.removeEmpty()
    }
  }

  /// Whether the name is that of a socket, and no process listens at it.
  private borrowing func isAbandonedSocket(_ name: String) -> Bool {
    guard (try? FileStatus(of: name, in: descriptor))?.isSocket == true else { return false }
    return !UnixSocket.isListening(in: self, name: name)
  }
}
