internal import Crypto
internal import Encoding
internal import Platform
internal import Wire

/// A directory's token files. A lock file next to each shows that its writer still runs. Methods may block on the disk.
final class TokenFileStore: Sendable {
  private let directory: PrivateDirectory

  private static let lockSuffix = ".lock"
  private static let randomBytes = 16

  /// - Parameter path: Nil for the runtime directory, which is created if missing.
  init(_ path: String?) throws(DirectoryError) {
    directory = try PrivateDirectory.opening(firstOf: path.map { [$0] } ?? UserDirectories.runtimeCandidates())
    removeOrphans()
  }

  /// Throws if other users could have created the directory.
  init(existing path: String) throws(DirectoryError) {
    directory = try PrivateDirectory(opening: path, create: false)
    removeOrphans()
  }

  /// For a standing file. Throws if `path` is on a disk and not the user's runtime directory. `runtime` is the daemon's
  /// runtime directory.
  init(standing path: String, runtime: String?) throws(DirectoryError) {
    directory = try PrivateDirectory.openForTokens(path, or: runtime)
  }

  func path(of name: String) -> String { "\(directory.path)/\(name)" }

  /// Claims a name, by default a new one, until the lock is released. Throws `EAGAIN` if another daemon has claimed it.
  func claim(_ name: String?) throws(SystemError) -> (name: String, lock: TokenFileLock) {
    let name = name ?? Self.newName()
    return (name, TokenFileLock(try directory.tryLock(name + Self.lockSuffix), ownsFile: true))
  }

  /// Claims a standing file's name and removes an earlier daemon's leftovers. Nil if the file belongs to another
  /// program. Throws `EAGAIN` like ``claim(_:)``.
  func claimStanding(_ name: String) throws(SystemError) -> TokenFileLock? {
    let found = try directory.fileNames()
    let isOurs = found.contains { $0.hasSameBytes(as: "\(name)\(Self.lockSuffix)") }
    guard isOurs || !found.contains(where: { $0.hasSameBytes(as: name) }) else { return nil }
    let lock = TokenFileLock(try directory.tryLock(name + Self.lockSuffix), ownsFile: isOurs)
    try? directory.removeLeftovers(of: name)
    remove(name, lock)
    return lock
  }

  private static func newName() -> String { TokenFileName.prefix + HexDigit.text(Randomness.bytes(randomBytes)) }

  /// Replaces the content atomically. Throws `EEXIST` if the file belongs to another program.
  func write(_ token: SharedSecret, to name: String, _ lock: TokenFileLock) throws(SystemError) {
    try token.bytes.withBytes { (token) throws(SystemError) in
      if lock.ownsFile {
        try directory.replaceFile(name, with: token, isDurable: false)
      } else {
        try directory.createFile(name, with: token)
        lock.ownsFile = true
      }
    }
  }

  /// Removes the file, unless it belongs to another program.
  func remove(_ name: String, _ lock: TokenFileLock) {
    guard lock.ownsFile else { return }
    try? directory.removeFile(name, isDurable: false)
    lock.ownsFile = false
  }

  /// Removes the file and its lock.
  func release(_ name: String, _ lock: consuming TokenFileLock) {
    remove(name, lock)
    try? directory.removeFile(name + Self.lockSuffix, isDurable: false)
  }

  func removeOrphans() {
    guard let found = try? directory.fileNames() else { return }
    let names = Set(
      found.map { $0.hasSuffix(Self.lockSuffix) ? String($0.dropLast(Self.lockSuffix.count)) : $0 }
        .filter { TokenFileName.isWellFormed($0) })
    for name in names {
      guard let lock = try? directory.tryLock(name + Self.lockSuffix) else { continue }
      try? directory.removeLeftovers(of: name)
      release(name, TokenFileLock(lock, ownsFile: true))
    }
  }
}

/// A token file's lock, kept while its daemon runs.
final class TokenFileLock: Sendable {
  private let lock: FileLock
  private let owns: Monitor<Bool>

  init(_ lock: consuming FileLock, ownsFile: Bool) {
    self.lock = lock
    owns = Monitor(ownsFile)
  }

  /// Whether this or an earlier daemon wrote the file.
  var ownsFile: Bool {
    get { owns.withLock { $0 } }
    set { owns.withLock { $0 = newValue } }
  }
}
