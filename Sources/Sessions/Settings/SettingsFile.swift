package import Platform

/// Reads the settings file when changed, and replaces it atomically. Writers lock `config.lock` and reread the file, so
/// no process undoes another's change. Not thread-safe.
package final class SettingsFile {
  package static let name = "config.json"
  private static let lockName = "config.lock"

  package let path: String
  package let directoryPath: String
  private var directory: PrivateDirectory?
  /// The latest settings read or written, with the file's stamp.
  private var known: (stamp: FileStamp?, settings: Settings)?
  private var problem: ConfigurationError?

  /// Increases when changed settings are read or written.
  package private(set) var revision: UInt64 = 0

  /// The file watch's counter before the latest read. Nil if the settings may be outdated.
  private var counterAtRead: UInt64?

  package init(directory: String) {
    directoryPath = directory
    path = directory + "/" + Self.name
  }

  /// Reads the settings if changed. Empty if there is no file.
  package func current() throws(ConfigurationError) -> Settings {
    counterAtRead = nil
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

  /// The latest read's result. Accesses the disk only the first time.
  package func lastRead() throws(ConfigurationError) -> Settings {
    if let problem { throw problem }
    if let known { return known.settings }
    return try current()
  }

  /// Settings that one thread read for another.
  package struct Reading: Sendable {
    fileprivate let stamp: FileStamp?
    fileprivate let settings: Settings
  }

  /// Whether ``lastRead()`` is up to date. `seen` is the file's current ``Platform/FileChanges`` counter.
  package func isUpToDate(at seen: UInt64) -> Bool { seen == counterAtRead }

  /// Nil before the first successful read.
  package var lastReading: Reading? { known.map { Reading(stamp: $0.stamp, settings: $0.settings) } }

  /// Reads the administrator's files and, if changed since `last`, the settings. Blocking.
  package static func read(in directory: String, since last: Reading?) throws(ConfigurationError) -> Reading {
    AdministratorFiles.read()
    let file = SettingsFile(directory: directory)
    if let last { file.known = (last.stamp, last.settings) }
    let settings = try file.current()
    return Reading(stamp: file.known?.stamp, settings: settings)
  }

  /// Adopts a worker's read. `seen` is the file watch's counter before it.
  package func adopt(_ result: Result<Reading, ConfigurationError>, seen: UInt64?) {
    switch result {
    case .success(let reading):
      problem = nil
      if known == nil || known?.stamp != reading.stamp { keep(reading.settings, reading.stamp) }
      counterAtRead = seen
    // The file may be readable next time, for example with free descriptors.
    case .failure(let error): (problem, counterAtRead) = (error, nil)
    }
  }

  /// Changes the settings on disk, and returns the new ones. Writes only changes. `wait` is the maximum wait for
  /// another program; `reserved` is from ``reserve(wait:unless:_:)``.
  package func change(
    wait: Duration = usualWait, unless isGivenUp: () -> Bool = { false }, in reserved: ReservedFile? = nil,
    _ edit: (inout Settings) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) -> Settings {
    if let settings = try settingsIfUnchanged(by: edit) { return settings }
    _ = try openDirectory(create: true)
    let threadLock = try SettingsThreadLock(in: directoryPath, wait, unless: isGivenUp, path)
    defer { extendLifetime(threadLock) }
    let lock = try lock(threadLock, wait: wait, unless: isGivenUp)
    var settings = try read(try stampOnDisk())
    try edit(&settings)
    let bytes = settings.serialized()
    // Never replace readable settings with unreadable ones.
    _ = try Settings(parsing: bytes)
    try withSettingsFile { (directory, name) throws(SystemError) in
      try directory.replaceFile(changedByUserAlone: name, with: bytes.span, in: reserved)
    }
    if let stamp = try? stampOnDisk() { keep(settings, stamp) } else { forget() }
    lock.release()
    return settings
  }

  /// Checks that ``change(wait:unless:in:_:)`` can write, and reserves its disk space. Nil if nothing would change.
  package func reserve(
    wait: Duration = usualWait, unless isGivenUp: () -> Bool = { false },
    _ edit: (inout Settings) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) -> ReservedFile? {
    if try settingsIfUnchanged(by: edit) != nil { return nil }
    _ = try openDirectory(create: true)
    let threadLock = try SettingsThreadLock(in: directoryPath, wait, unless: isGivenUp, path)
    defer { extendLifetime(threadLock) }
    let lock = try lock(threadLock, wait: wait, unless: isGivenUp)
    let reserved = try withSettingsFile { (directory, name) throws(SystemError) in
      // Left by a process that was killed.
      try? directory.removeLeftovers(of: name)
      return try directory.reserveReplacement(of: name, growth: Self.growth)
    }
    lock.release()
    return reserved
  }

  /// The default maximum wait for another program.
  package static let usualWait = Duration.seconds(100)

  /// For work that can be repeated or is only cleanup.
  static let briefWait = Duration.seconds(5)

  /// Limits the file's growth in one change, in bytes.
  private static let growth = 64 << 10

  private func settingsIfUnchanged(
    by edit: (inout Settings) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) -> Settings? {
    let settings = try current()
    var edited = settings
    try edit(&edited)
    return edited == settings ? settings : nil
  }

  /// Drops the known settings.
  private func forget() {
    (known, problem, counterAtRead) = (nil, nil, nil)
    revision += 1
  }

  private func keep(_ settings: Settings, _ stamp: FileStamp?) {
    (known, problem, counterAtRead) = ((stamp, settings), nil, nil)
    revision += 1
  }

  /// `stamp` is nil if the file does not exist.
  private func read(_ stamp: FileStamp?) throws(ConfigurationError) -> Settings {
    guard stamp != nil else { return Settings() }
    let bytes = try withSettingsFile { (directory, name) throws(SystemError) in
      try directory.readFile(changedByUserAlone: name, limit: Settings.maximumBytes)
    }
    do { return try Settings(parsing: bytes) } catch {
      var error = error
      Settings.locate(&error, in: bytes, of: path)
      throw error
    }
  }

  /// Blocking.
  package static func unknownSettings(in directory: String) -> [UnknownSetting] {
    let file = SettingsFile(directory: directory)
    guard (try? file.openDirectory(create: false)) == true,
      let bytes = try? file.withSettingsFile({ (directory, name) throws(SystemError) in
        try directory.readFile(changedByUserAlone: name, limit: Settings.maximumBytes)
      })
    else { return [] }
    return UnknownSetting.all(in: bytes, of: file.path)
  }

  private func stampOnDisk() throws(ConfigurationError) -> FileStamp? {
    try withSettingsFile { (directory, name) throws(SystemError) in try directory.stamp(of: name) }
  }

  /// If the directory is missing, creates it (`create`) or returns false.
  private func openDirectory(create: Bool) throws(ConfigurationError) -> Bool {
    // It may have been replaced, for example from a backup.
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

  /// Follows symbolic links.
  private func withSettingsFile<Result: ~Copyable>(
    _ body: (borrowing PrivateDirectory, String) throws(SystemError) -> Result
  ) throws(ConfigurationError) -> Result {
    do {
      return try directory!.withTarget(of: Self.name, body)
    } catch {
      if case .system(let cause, _) = error { throw ConfigurationError(.storage(cause), path) }
      throw ConfigurationError(.directory(error), path)
    }
  }

  /// The lock is in the settings directory, even if the settings are a link.
  private func lock(
    _ threadLock: SettingsThreadLock, wait: Duration, unless isGivenUp: () -> Bool
  ) throws(ConfigurationError) -> FileLock {
    defer { threadLock.isBlocked = false }
    do {
      return try directory!.lock(Self.lockName, wait: wait) {
        threadLock.isBlocked = true
        return isGivenUp()
      }
    } catch {
      if error.wouldBlock { throw ConfigurationError(.storage(error), path) }
      let lockPath = directoryPath + "/" + Self.lockName
      throw ConfigurationError(
        .directory(
          error.isSymbolicLink ? .untrusted(.symbolicLink, path: lockPath) : .system(error, path: lockPath)), path)
    }
  }
}

/// Lets one thread at a time change a directory's settings. The others' timeout applies only while that thread waits
/// for another program.
private final class SettingsThreadLock {
  /// By directory, whether the changing thread waits for another program.
  private static let locks = Monitor<[String: Bool]>([:])
  private static let pollInterval = Duration.milliseconds(100)

  private let directory: String

  /// Waits for the other threads. Throws `EAGAIN` if another program holds the lock too long, or the caller gives up.
  init(
    in directory: String, _ wait: Duration, unless isGivenUp: () -> Bool, _ path: String
  ) throws(ConfigurationError) {
    let deadline = Instant.now.advanced(by: wait)
    while true {
      let isMine = Self.locks.wait(Self.pollInterval) { locks -> Bool? in
        guard locks[directory] == nil else { return nil }
        locks[directory] = false
        return true
      }
      if isMine != nil { break }
      let isBlocked = Self.locks.withLock { $0[directory] ?? false }
      guard !isGivenUp(), !isBlocked || Instant.now < deadline else {
        throw ConfigurationError(.storage(.busyLock), path)
      }
    }
    self.directory = directory
  }

  /// Whether this thread waits for another program.
  var isBlocked: Bool {
    get { Self.locks.withLock { $0[directory] ?? false } }
    set { Self.locks.update { $0[directory] = newValue } }
  }

  deinit { Self.locks.update { $0[directory] = nil } }
}
