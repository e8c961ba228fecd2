import Encoding
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `The settings file` {
  let directory: TemporaryDirectory
  let path: String
  let work: AccountName

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("config/agent")
    work = try AccountName("work")
  }

  func file() -> SettingsFile { SettingsFile(directory: path) }

  func add(_ name: AccountName, to file: SettingsFile) throws {
    _ = try file.change { (settings) throws(ConfigurationError) in try settings.set(Home.configuration, for: name) }
  }

  func write(_ text: String, mode: UInt32 = 0o600) throws {
    let bytes = Array(text.utf8)
    try PrivateDirectory(opening: path, create: true).replaceFile(SettingsFile.name, with: bytes.span, mode: mode)
  }

  @Test func `that is not there is empty, and nothing is made by looking`() throws {
    #expect(try file().current() == Settings())
    #expect(throws: DirectoryError.self) { _ = try PrivateDirectory(opening: path, create: false) }
  }

  @Test func `is made with its directories, for this user alone`() throws {
    let file = file()
    try add(work, to: file)
    #expect(file.path == path + "/config.json")
    #expect(try file.current()[work] == Home.configuration)
    // Both check owner and mode themselves.
    let bytes = try PrivateDirectory(opening: path, create: false).readFile("config.json", limit: 1 << 20)
    #expect(try Settings(parsing: bytes)[work] == Home.configuration)
  }

  @Test func `that changed on disk is read again`() throws {
    let file = file()
    try add(work, to: file)
    try write(#"{"version":2,"accounts":{"other":{"issuer":"https://as.example","client_id":"c"}}}"#)
    #expect(try file.current().accounts.map(\.name.text) == ["other"])
    // Written in place, as editors do.
    try directory.write("config/agent/config.json", #"{"version":2}"#)
    #expect(try file.current() == Settings())
    try PrivateDirectory(opening: path, create: false).removeFile("config.json")
    #expect(try file.current() == Settings())
  }

  /// Reads the file like another thread.
  private func read(_ file: SettingsFile, seen: UInt64?) {
    let last = file.lastReading
    file.adopt(
      Result { () throws(ConfigurationError) in try SettingsFile.read(in: file.directoryPath, since: last) }, seen: seen
    )
  }

  @Test func `is as it was read last, until something may have happened to it and it is read again`() throws {
    let file = file()
    try add(work, to: file)
    #expect(!file.isUpToDate(at: 1))
    read(file, seen: 1)
    #expect(file.isUpToDate(at: 1) && !file.isUpToDate(at: 2))
    let revision = file.revision
    try write(#"{"version":2}"#)
    #expect(try file.lastRead()[work] == Home.configuration)
    #expect(file.revision == revision)
    read(file, seen: 2)
    #expect(try file.lastRead() == Settings())
    #expect(file.isUpToDate(at: 2) && file.revision != revision)
    // The process's own change is known; later changes are not, whatever the watch reports.
    try add(work, to: file)
    #expect(try file.lastRead()[work] == Home.configuration)
    #expect(!file.isUpToDate(at: 2))
    read(file, seen: nil)
    #expect(!file.isUpToDate(at: 2))
  }

  @Test func `that cannot be read stays so until it is read again`() throws {
    let file = file()
    try add(work, to: file)
    let revision = file.revision
    try write("{")
    read(file, seen: 3)
    #expect(throws: ConfigurationError(.invalid, "the file")) { _ = try file.lastRead() }
    // The file is read again although nothing has changed: the failure may have been the system's.
    #expect(!file.isUpToDate(at: 3) && file.revision == revision)
    try write(#"{"version":2}"#)
    #expect(throws: ConfigurationError(.invalid, "the file")) { _ = try file.lastRead() }
    read(file, seen: 4)
    #expect(try file.lastRead() == Settings())
    try write("[")
    #expect(throws: ConfigurationError(.invalid, "the file")) { _ = try file.current() }
    #expect(throws: ConfigurationError(.invalid, "the file")) { _ = try file.lastRead() }
    try write(#"{"version":2}"#)
    #expect(try file.current() == file.lastRead())
  }

  @Test func `keeps its revision while it stays the same`() throws {
    let file = file()
    try add(work, to: file)
    let revision = file.revision
    for seen in [UInt64?.none, 1, 2, nil] {
      read(file, seen: seen)
      #expect(try file.current()[work] == Home.configuration)
    }
    #expect(file.revision == revision)
  }

  @Test func `whose directory was replaced is read there`() throws {
    let file = file()
    try add(work, to: file)
    let revision = file.revision
    try FileTree.remove(path)
    #expect(try file.current() == Settings())
    #expect(file.revision != revision)
    try write(#"{"version":2,"accounts":{"restored":{"issuer":"https://as.example","client_id":"c"}}}"#)
    #expect(try file.current().accounts.map(\.name.text) == ["restored"])
    try FileTree.remove(path)
    try add(work, to: file)
    #expect(try self.file().current()[work] == Home.configuration)
  }

  /// Runs shell lines in the directory that contains the settings' home.
  func shell(_ lines: String) throws {
    let result = try ProcessRunner.shell("set -e; umask 077; cd '\(directory.path)'; \(lines)")
    try #require(result.succeeded, "\(result.errorText)")
  }

  func refusal(_ file: SettingsFile) -> (problem: FileProblem, path: String)? {
    do {
      _ = try file.current()
    } catch {
      if case .directory(.untrusted(let problem, let path)) = error.code { return (problem, path) }
      Issue.record("\(error)")
    }
    return nil
  }

  static let settings = #"{"version":2,"accounts":{"linked":{"issuer":"https://as.example","client_id":"c"}}}"#

  @Test(arguments: [0o644, 0o640, 0o604] as [UInt32])
  func `may be read by others, who still may after a change`(mode: UInt32) throws {
    try write(Self.settings, mode: mode)
    try shell("chmod 755 config/agent")
    #expect(try file().current().accounts.map(\.name.text) == ["linked"])
    try add(work, to: file())
    #expect(try file().current().accounts.count == 2)
    try shell("test $(stat -c %a config/agent/config.json) = \(String(mode, radix: 8))")
  }

  @Test(arguments: [0o664, 0o646, 0o620, 0o602, 0o666] as [UInt32])
  func `is refused when others may change it, and never overwritten then`(mode: UInt32) throws {
    try write(Self.settings, mode: mode)
    let file = file()
    let found = try #require(refusal(file))
    #expect(found.problem == .writable(mode: mode, isDirectory: false) && found.path == file.path)
    #expect(throws: ConfigurationError(.directory(.untrusted(found.problem, path: file.path)), file.path)) {
      try add(work, to: file)
    }
    #expect(try directory.readText("config/agent/config.json") == Self.settings)
  }

  @Test(arguments: ["720", "702", "775", "777", "1777"]) func `in a directory that others may change is refused`(
    mode: String
  ) throws {
    try write(Self.settings)
    try shell("chmod \(mode) config/agent")
    let found = try #require(refusal(file()))
    #expect(found.problem == .writable(mode: try #require(UInt32(mode, radix: 8)), isDirectory: true))
    #expect(found.path == path)
    #expect(throws: ConfigurationError.self) { try add(work, to: file()) }
  }

  /// Links between the name and the file, each created after `mkdir -p config/agent dot/files`.
  static let links = [
    "ln -s ../../dot/files/real.json config/agent/config.json",
    "ln -s $PWD/dot/files/real.json config/agent/config.json",
    "ln -s ../../first config/agent/config.json; ln -s dot/files/../files/./real.json first",
    "ln -s $PWD/way config/agent/way; ln -s dot way; ln -s way/files/real.json config/agent/config.json",
    "rmdir config/agent; ln -s ../dot/files config/agent; ln -s real.json dot/files/config.json",
    "rmdir config/agent; ln -s $PWD/dot/files/ config/agent; mv dot/files/real.json dot/files/config.json;"
      + " ln -s config.json dot/files/real.json",
  ]

  @Test(arguments: links) func `that is a link is followed, and written through`(link: String) throws {
    try shell(
      "mkdir -p config/agent dot/files; chmod 755 dot dot/files; printf '%s' '\(Self.settings)' >dot/files/real.json")
    try shell("\(link); find . -type l -printf '%p %l\n' | sort >before")
    let file = file()
    #expect(try file.current().accounts.map(\.name.text) == ["linked"])
    try add(work, to: file)
    #expect(try directory.readText("dot/files/real.json").contains("\"work\""))
    try shell("find . -type l -printf '%p %l\n' | sort | diff before -; ! ls -A dot/files | grep -q tmp")
    // Another program writes to the target, in place and as a new file.
    try shell("printf '{\"version\":2}' >dot/files/real.json")
    #expect(try file.current() == Settings())
    try shell("printf '%s' '\(Self.settings)' >new; mv new dot/files/$(readlink dot/files/real.json || echo real.json)")
    #expect(try file.current().accounts.map(\.name.text) == ["linked"])
    _ = try file.reserve { (settings) throws(ConfigurationError) in try settings.set(Home.configuration, for: work) }
  }

  @Test(arguments: [
    "chmod 664 dot/files/real.json", "chmod 775 dot/files", "chmod 1777 dot", "chmod 702 dot", "chmod 775 config/agent",
    "rm dot/files/real.json", "rm dot/files/real.json; mkdir dot/files/real.json",
    "rm dot/files/real.json; mkfifo dot/files/real.json", "rm -r dot",
    "rm dot/files/real.json; ln -s real.json dot/files/real.json",
  ]) func `that is a link to where others may change it is refused`(change: String) throws {
    try shell("mkdir -p config/agent dot/files; printf '%s' '\(Self.settings)' >dot/files/real.json")
    try shell("ln -s ../../dot/files/real.json config/agent/config.json; \(change)")
    #expect(throws: ConfigurationError.self) { _ = try file().current() }
    #expect(throws: ConfigurationError.self) { try add(work, to: file()) }
    try shell("test -L config/agent/config.json; ! grep -rqs work dot")
  }

  @Test(
    .enabled(if: Machine.userID == 0),
    arguments: ["chown 65534 dot/files/real.json", "chown 65534 dot/files", "chown 65534 dot"])
  func `that is a link to what another user owns is refused`(change: String) throws {
    try shell("mkdir -p config/agent dot/files; printf '%s' '\(Self.settings)' >dot/files/real.json")
    try shell("ln -s ../../dot/files/real.json config/agent/config.json; \(change)")
    #expect(try #require(refusal(file())).problem == .notOwned)
  }

  @Test func `is not followed through a directory for temporary files`() throws {
    let elsewhere = try TemporaryDirectory()
    try elsewhere.write("config.json", Self.settings)
    // The only path there does not lead to the settings themselves.
    try shell("mkdir -p config/agent shared/mine; chmod 1777 shared; cp '\(elsewhere.path)/config.json' shared/mine/")
    try shell("ln -s $PWD/shared/mine/config.json config/agent/config.json")
    let found = try #require(refusal(file()))
    #expect(found.problem == .writable(mode: 0o1777, isDirectory: true) && found.path.hasSuffix("/shared"))
  }

  @Test func `has a lock that follows no link`() throws {
    try shell("mkdir -p config/agent; : >elsewhere; ln -s ../../elsewhere config/agent/config.lock")
    let lock = path + "/config.lock"
    #expect(throws: ConfigurationError(.directory(.untrusted(.symbolicLink, path: lock)), path + "/config.json")) {
      try add(work, to: file())
    }
  }

  @Test func `names its lock when that cannot be opened`() throws {
    try shell("mkdir -p config/agent/config.lock")
    let (lock, error) = (path + "/config.lock", SystemError(errno: SystemError.Number.EISDIR, operation: "openat"))
    #expect(throws: ConfigurationError(.directory(.system(error, path: lock)), path + "/config.json")) {
      try add(work, to: file())
    }
  }

  @Test(arguments: [
    ("{\n  \"version\": 2,\n}", 3, 1, false), ("{", 1, 2, false), ("{\"version\":2}\n x", 2, 2, false),
    ("{\n  \"version\": 2, \"accounts\": {\n    \"my.work\": {\"issuer\": \"é\", \"client_id\": 7}}}", 3, 45, false),
    ("{\"version\": 2,\n \"accounts\": {\"work\":\n {\"client_id\": \"c\"}}}", 3, 2, true),
    ("{\"version\":2,\"on\":[{\"run\":[\"/a\"]},\n{\"run\":[\"a\"]}]}", 2, 8, false),
    ("{\"version\":2,\"on\":[{\"run\":[\"/a\"],\"tiemout\":3}]}", 1, 44, false),
  ]) func `that is not valid is an error with its line and column`(
    text: String, line: Int, column: Int, isMissing: Bool
  ) throws {
    try write(text)
    let error = #expect(throws: ConfigurationError.self) { try file().current() }
    #expect(error?.line?.file == file().path)
    #expect(
      error?.line?.position.line == line && error?.line?.position.column == column
        && error?.line?.isMissing == isMissing)
  }

  @Test func `keeps members that it does not know, and names them with what was meant`() throws {
    let text = """
      {"version": 2, "activ": "work", "accounts": {
        "work": {"issuer": "https://id.example", "client_id": "c",
          "scoope": ["openid"], "zzz": 1}}}
      """
    try write(text)
    #expect(try file().current()[work] != nil)
    let found = SettingsFile.unknownSettings(in: path)
    #expect(found.map(\.name) == ["activ", "scoope", "zzz"])
    #expect(found.map(\.account) == [nil, "work", "work"] && found.map(\.suggestion) == ["active", "scope", nil])
    #expect(found.map(\.line.position.line) == [1, 3, 3] && found.map(\.line.position.column) == [25, 15, 34])
  }

  @Test func `that is damaged is named and never overwritten`() throws {
    try write("{")
    let file = file()
    let error = ConfigurationError(.invalid, "the file")
    #expect(throws: error) { _ = try file.current() }
    #expect(throws: error) { try add(work, to: file) }
    #expect(try directory.readText("config/agent/config.json") == "{")
  }

  @Test func `keeps the changes of several processes`() throws {
    let path = path
    let outcomes = try inThreads(6) { number in
      let file = SettingsFile(directory: path)
      for round in 0..<5 {
        let name = try AccountName("account-\(number)-\(round)")
        _ = try file.change { (settings) throws(ConfigurationError) in
          try settings.set(Home.configuration, for: name)
        }
        guard try file.current()[name] != nil else { throw LostChange() }
      }
    }
    #expect(outcomes == Array(repeating: "done", count: 6))
    #expect(try file().current().accounts.count == 30)
  }

  struct LostChange: Error {}

  @Test func `keeps a change that another process made since it was read`() throws {
    let (one, two) = (file(), file())
    let other = try AccountName("other")
    try add(work, to: one)
    try add(other, to: two)
    _ = try one.change { (settings) throws(ConfigurationError) in settings.activate(work) }
    #expect(try two.current().accounts.map(\.name) == [work, other])
    #expect(try one.current() == two.current())
  }

  // Waiting is not failing.
  @Test func `waits for another thread of this process, which is no other program`() throws {
    let (begun, waits) = (Monitor(false), Monitor(false))
    let path = path
    let work = work
    try Threads.start(name: "first") {
      _ = try? SettingsFile(directory: path).change { (settings) throws(ConfigurationError) in
        try settings.set(Home.configuration, for: work)
        // The first of the two calls compares without the lock.
        guard begun.withLock({ $0 }) else { return begun.update { $0 = true } }
        _ = waits.wait(.testLimit) { $0 ? true : nil }
      }
    }
    try #require(begun.wait(.testLimit) { $0 ? true : nil } == true)
    // Its turn began before it opened the lock.
    while (try? PrivateDirectory(opening: path, create: false).exists("config.lock")) != true {
      Threads.sleep(for: .milliseconds(1))
    }
    let other = try AccountName("other")
    let settings = try file().change(
      wait: .zero,
      unless: {
        waits.update { $0 = true }
        return false
      }
    ) { (settings) throws(ConfigurationError) in try settings.set(Home.configuration, for: other) }
    #expect(settings.accounts.map(\.name) == [work, other])
  }

  @Test func `waits for another program until it is done, or the caller gives up`() throws {
    try add(work, to: file())
    let holder = LockHolder()
    holder.lock = try PrivateDirectory(opening: path, create: false).tryLock("config.lock")
    var asked = 0
    let busy = ConfigurationError(.storage(.busyLock), path + "/config.json")
    #expect(throws: busy) {
      _ = try file().change(
        unless: {
          asked += 1
          return asked == 3
        }
      ) { $0.remove(work) }
    }
    let other = try AccountName("other")
    _ = try file().change(
      unless: {
        holder.lock = nil
        return false
      }
    ) { (settings) throws(ConfigurationError) in try settings.set(Home.configuration, for: other) }
    #expect(try file().current().accounts.count == 2)
  }

  private final class LockHolder { var lock: FileLock? }

  @Test func `is as it was when a change fails`() throws {
    let file = file()
    try add(work, to: file)
    let before = try directory.readText("config/agent/config.json")
    let failure = ConfigurationError(.invalidPin, "pins")
    #expect(throws: failure) {
      _ = try file.change { (settings) throws(ConfigurationError) in
        try settings.set(`The settings`.full, for: work)
        throw failure
      }
    }
    #expect(try file.current()[work] == Home.configuration)
    #expect(try directory.readText("config/agent/config.json") == before)
    // The lock is free again.
    try add(try AccountName("other"), to: self.file())
  }

  @Test func `never holds what could not be read again`() throws {
    let file = file()
    try add(work, to: file)
    let nobody = try AccountName("nobody")
    _ = try file.change { (settings) throws(ConfigurationError) in settings.activate(nobody) }
    #expect(throws: ConfigurationError(.invalid, "accounts.work.client_id")) {
      _ = try file.change { (settings) throws(ConfigurationError) in
        try settings.set(AccountConfiguration(issuer: "i", clientID: "a\u{0}b"), for: work)
      }
    }
    #expect(try file.current().active == work)
    #expect(try self.file().current()[work] == Home.configuration)
  }
}
