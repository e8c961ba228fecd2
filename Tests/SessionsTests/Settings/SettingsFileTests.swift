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
    try write(#"{"version":1,"accounts":{"other":{"issuer":"https://as.example","client_id":"c"}}}"#)
    #expect(try file.current().accounts.map(\.name.text) == ["other"])
    // Written in place, as editors do.
    try directory.write("config/agent/config.json", #"{"version":1}"#)
    #expect(try file.current() == Settings())
    try PrivateDirectory(opening: path, create: false).removeFile("config.json")
    #expect(try file.current() == Settings())
  }

  @Test func `is looked at again only when something may have happened to it`() throws {
    let file = file()
    try add(work, to: file)
    #expect(try file.current(seen: 1)[work] == Home.configuration)
    let revision = file.revision
    try write(#"{"version":1}"#)
    #expect(try file.current(seen: 1)[work] == Home.configuration)
    #expect(file.revision == revision)
    #expect(try file.current(seen: 2) == Settings())
    #expect(file.revision != revision)
    try write(#"{"version":1,"accounts":{"other":{"issuer":"https://as.example","client_id":"c"}}}"#)
    #expect(try file.current().accounts.map(\.name.text) == ["other"])
    // An own change is known whatever the watch says.
    try add(work, to: file)
    #expect(try file.current(seen: 2)[work] == Home.configuration)
    try write("{")
    #expect(throws: ConfigurationError(.invalid, "the file")) { _ = try file.current(seen: 3) }
    #expect(throws: ConfigurationError(.invalid, "the file")) { _ = try file.current(seen: 3) }
  }

  @Test func `keeps its revision while it stays the same`() throws {
    let file = file()
    try add(work, to: file)
    let revision = file.revision
    for seen in [UInt64?.none, 1, 2, nil] { #expect(try file.current(seen: seen)[work] == Home.configuration) }
    #expect(file.revision == revision)
  }

  @Test func `whose directory was replaced is read there`() throws {
    let file = file()
    try add(work, to: file)
    let revision = file.revision
    try FileTree.remove(path)
    #expect(try file.current() == Settings())
    #expect(file.revision != revision)
    try write(#"{"version":1,"accounts":{"restored":{"issuer":"https://as.example","client_id":"c"}}}"#)
    #expect(try file.current().accounts.map(\.name.text) == ["restored"])
    try FileTree.remove(path)
    try add(work, to: file)
    #expect(try self.file().current()[work] == Home.configuration)
  }

  @Test func `is refused when others may read it, and never overwritten then`() throws {
    try write(#"{"version":1}"#, mode: 0o644)
    let file = file()
    let isRefusal = { (error: any Error) in
      if case .storage(let cause)? = (error as? ConfigurationError)?.code { cause.name == "EACCES" } else { false }
    }
    #expect(performing: { _ = try file.current() }, throws: isRefusal)
    #expect(performing: { try add(work, to: file) }, throws: isRefusal)
    #expect(try directory.readText("config/agent/config.json") == #"{"version":1}"#)
  }

  @Test func `that is a link is refused`() throws {
    _ = try PrivateDirectory(opening: path, create: true)
    try directory.write("elsewhere.json", #"{"version":1}"#)
    let made = try Spawn.wait(
      try Spawn.start(
        Spawn.Request(
          executable: "/bin/ln",
          arguments: ["ln", "-s", directory.path("elsewhere.json"), path + "/config.json"], environment: [])))
    #expect(made == .exited(0))
    #expect {
      _ = try file().current()
    } throws: { error in
      if case .storage(let cause)? = (error as? ConfigurationError)?.code { cause.isSymbolicLink } else { false }
    }
  }

  @Test func `in a directory of others is refused`() throws {
    _ = try PrivateDirectory(opening: path, create: true)
    let changed = try Spawn.wait(
      try Spawn.start(
        Spawn.Request(executable: "/bin/chmod", arguments: ["chmod", "755", path], environment: [])))
    #expect(changed == .exited(0))
    let error = ConfigurationError(.directory(.tooOpen(path: path, mode: 0o755)), path)
    #expect(throws: error) { _ = try file().current() }
    #expect(throws: error) { try add(work, to: file()) }
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

  @Test func `is as it was when a change fails`() throws {
    let file = file()
    try add(work, to: file)
    let before = try directory.readText("config/agent/config.json")
    let failure = ConfigurationError(.pin, "pins")
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
