internal import Platform

/// The settings file on disk: read when it changed, replaced as a whole.
///
/// Not thread-safe by itself; the daemon keeps one on its loop, and has workers read the file. Writers hold `settings.lock` and read
/// the file again first, so that two processes never undo each other's change.
package final class SettingsFile {
  package static let name = "config.json"
  private static let lockName = "config.lock"

  package let path: String
  /// Where the file is; another thread makes a ``SettingsFile`` of its own there.
  package let directoryPath: String
  private var directory: PrivateDirectory?
  private var known: (stamp: FileStamp?, settings: Settings)?
  /// Why the last reading failed; nil if it did not.
  private var problem: ConfigurationError?

  /// Moves on when the settings that were read or written last are not those of before.
  package private(set) var revision: UInt64 = 0

  /// The value of the file changes when the last reading began; nil if the settings may be others since.
  private var knownAt: UInt64?

  package init(directory: String) {
    directoryPath = directory
    path = directory + "/" + Self.name
  }

  /// The settings as they are on disk now; empty when there is no file.
  package func current() throws(ConfigurationError) -> Settings {
    knownAt = nil
    do throws(ConfigurationError) {
      let stamp = try openDirectory(create: false) ? try stampOnDisk() : nil
      if let known, known.stamp == stamp {
        problem = nil
        return known.settings
      }
      let settings = try read(stamp)
      keep(settings, stamp)
      return settings
    } catch {
      problem = error
      throw error
    }
  }

  /// The result of the last reading, its error included. Reads the disk only if nothing was read yet.
  package func lastRead() throws(ConfigurationError) -> Settings {
    if let problem { throw problem }
    if let known { return known.settings }
    return try current()
  }

  /// The settings as one thread read them, for another.
  package struct Reading: Sendable {
    fileprivate let stamp: FileStamp?
    fileprivate let settings: Settings
  }

  /// Whether ``lastRead()`` is what is on disk while the value of a ``Platform/FileChanges`` of this file is this one.
  package func isKnown(at seen: UInt64) -> Bool { seen == knownAt }

  /// The settings that were read last; nil before that.
  package var lastReading: Reading? { known.map { Reading(stamp: $0.stamp, settings: $0.settings) } }

  /// Reads the file of this directory on a thread of the caller's, unless it is as it was at the last reading. Blocking.
  package static func read(in directory: String, since last: Reading?) throws(ConfigurationError) -> Reading {
    let file = SettingsFile(directory: directory)
    if let last { file.known = (last.stamp, last.settings) }
    let settings = try file.current()
    return Reading(stamp: file.known?.stamp, settings: settings)
  }

  /// Takes over what a worker read, or why it could not.
  ///
  /// - Parameter seen: The value of the file changes before it began.
  package func take(_ result: Result<Reading, ConfigurationError>, seen: UInt64?) {
    switch result {
    case .success(let reading):
      problem = nil
      if known == nil || known?.stamp != reading.stamp { keep(reading.settings, reading.stamp) }
      knownAt = seen
    // The next attempt may go well, though the file is the same: there were no descriptors left, for example.
    case .failure(let error): (problem, knownAt) = (error, nil)
    }
  }

  /// Changes the settings on disk under the lock and returns what was written. What changes nothing writes nothing.
  ///
  /// - Parameter wait: The longest wait for another program that changes the file, or a person with an editor.
  package func change(
    wait: Duration = usualWait, _ edit: (inout Settings) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) -> Settings {
    if let settings = try unchanged(by: edit) { return settings }
    _ = try openDirectory(create: true)
    let lock = try lock(wait: wait)
    var settings = try read(try stampOnDisk())
    try edit(&settings)
    let bytes = settings.serialized()
    // Settings that cannot be read back must not replace settings that can.
    _ = try Settings(parsing: bytes)
    try storing { (directory, name) throws(SystemError) in
      try directory.replaceFile(changedByUserAlone: name, with: bytes.span)
    }
    // The settings are written; an error when reading their stamp is not a failure of the change.
    if let stamp = try? stampOnDisk() { keep(settings, stamp) } else { forget() }
    lock.release()
    return settings
  }

  /// Makes sure that ``change(wait:_:)`` could write, as far as that can be known before. Changes nothing.
  ///
  /// - Parameter isGivenUp: Ends the wait when it is true.
  package func rehearse(
    wait: Duration = usualWait, unless isGivenUp: () -> Bool = { false },
    _ edit: (inout Settings) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) {
    if try unchanged(by: edit) != nil { return }
    _ = try openDirectory(create: true)
    let lock = try lock(wait: wait, unless: isGivenUp)
    try storing { (directory, name) throws(SystemError) in try directory.rehearseReplacing(name, growth: Self.growth) }
    lock.release()
  }

  /// The wait for another program that changes the file, unless a caller says otherwise.
  static let usualWait = Duration.seconds(5)

  /// An upper bound for the growth of the file in one change, in bytes.
  private static let growth = 64 << 10

  /// The settings on disk, if they are such that `edit` changes nothing.
  private func unchanged(
    by edit: (inout Settings) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) -> Settings? {
    let settings = try current()
    var edited = settings
    try edit(&edited)
    return edited == settings ? settings : nil
  }

  private func forget() {
    (known, problem, knownAt) = (nil, nil, nil)
    revision += 1
  }

  private func keep(_ settings: Settings, _ stamp: FileStamp?) {
    (known, problem, knownAt) = ((stamp, settings), nil, nil)
    revision += 1
  }

  private func read(_ stamp: FileStamp?) throws(ConfigurationError) -> Settings {
    guard stamp != nil else { return Settings() }
    let bytes = try storing { (directory, name) throws(SystemError) in
      try directory.readFile(changedByUserAlone: name, limit: Settings.maximumBytes)
    }
    do { return try Settings(parsing: bytes) } catch { throw error.located(in: bytes, of: path) }
  }

  /// The members of the file that this build does not know. Blocking.
  package static func unknownSettings(in directory: String) -> [UnknownSetting] {
    let file = SettingsFile(directory: directory)
    guard (try? file.openDirectory(create: false)) == true,
      let bytes = try? file.storing({ (directory, name) throws(SystemError) in
        try directory.readFile(changedByUserAlone: name, limit: Settings.maximumBytes)
      })
    else { return [] }
    return UnknownSetting.all(in: bytes, of: file.path)
  }

  private func stampOnDisk() throws(ConfigurationError) -> FileStamp? {
    try storing { (directory, name) throws(SystemError) in try directory.stamp(of: name) }
  }

  private func openDirectory(create: Bool) throws(ConfigurationError) -> Bool {
    // Another directory may have come to its path, from a backup for example.
    if directory?.isStillAtItsPath() == true { return true }
    directory = nil
    do {
      directory = try PrivateDirectory(changedByUserAlone: directoryPath, create: create)
      return true
    } catch {
      if !create, case .system(let cause, _) = error, cause.isNotFound { return false }
      throw ConfigurationError(.directory(error), directoryPath)
    }
  }

  /// Calls `body` with the place of the settings file, which may be elsewhere by a symbolic link.
  private func storing<Result: ~Copyable>(
    _ body: (borrowing PrivateDirectory, String) throws(SystemError) -> Result
  ) throws(ConfigurationError) -> Result {
    do {
      return try directory!.withTarget(of: Self.name, body)
    } catch {
      if case .system(let cause, _) = error { throw ConfigurationError(.storage(cause), path) }
      throw ConfigurationError(.directory(error), path)
    }
  }

  /// The lock is beside the name, wherever the file is.
  private func lock(
    wait: Duration, unless isGivenUp: () -> Bool = { false }
  ) throws(ConfigurationError) -> FileLock {
    do { return try directory!.lock(Self.lockName, wait: wait, unless: isGivenUp) } catch {
      if error.isAgain { throw ConfigurationError(.storage(error), path) }
      let lockPath = directoryPath + "/" + Self.lockName
      throw ConfigurationError(
        .directory(
          error.isSymbolicLink ? .untrusted(.symbolicLink, path: lockPath) : .system(error, path: lockPath)), path)
    }
  }
}
