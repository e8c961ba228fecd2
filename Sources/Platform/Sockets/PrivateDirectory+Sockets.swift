internal import CPlatform
internal import Glibc

// A directory with a subdirectory for each socket, so that each can be lent separately.
extension PrivateDirectory {
  /// Hidden in a listing of the directories.
  private static let lockName = ".lock"

  /// Acquires the lock for creating sockets in the subdirectories, and removes those of killed processes.
  ///
  /// - Parameters:
  ///   - name: The name of each socket in its directory.
  ///   - wait: How long to wait for another process that creates or removes sockets.
  /// - Returns: The lock. While it is held, a new socket is not removed before it listens.
  /// - Throws: `EAGAIN` if another process still holds it after that time.
  package borrowing func lockSockets(named name: String, wait: Duration) throws(SystemError) -> FileLock {
    let lock = try lock(Self.lockName, wait: wait)
    try removeAbandonedSockets(name)
    return lock
  }

  /// Removes subdirectories that are empty or contain only a socket without a listener. Does not follow links, and
  /// keeps directories with other files.
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

  /// Whether the name is a socket without a listener.
  private borrowing func isAbandonedSocket(_ name: String) -> Bool {
    guard (try? FileStatus(of: name, in: descriptor))?.isSocket == true else { return false }
    return !UnixSocket.isListening(in: self, name: name)
  }
}
