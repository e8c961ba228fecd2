import Encoding
import Sessions
import Testing
import Vocabulary

@Suite struct `The accounts of directories` {
  private let work: AccountName
  private let home: AccountName

  init() throws {
    work = try AccountName("work")
    home = try AccountName("home")
  }

  private func path(_ text: String) throws -> DirectoryPath { try #require(DirectoryPath(text)) }

  private func settings(_ directories: [String: AccountName]) throws -> Settings {
    var settings = Settings()
    for name in [work, home] { try settings.set(Home.configuration, for: name) }
    for (text, name) in directories { try settings.setDirectoryAccount(name, in: path(text)) }
    return settings
  }

  private func account(_ settings: Settings, _ text: String) throws -> AccountName? {
    settings.directories.nearest(to: try path(text))?.account
  }

  @Test func `are those of the nearest directory, whole components only`() throws {
    let settings = try settings(["/src": work, "/src/own": home, "/é": home])
    for text in ["/src", "/src/", "/src/a/b", "/src/owner", "/src/own\u{301}"] {
      #expect(try account(settings, text) == work, "\(text)")
    }
    for text in ["/src/own", "//src/./own//x/", "/é/x"] { #expect(try account(settings, text) == home, "\(text)") }
    // The same character, but another file name.
    for text in ["/", "/sr", "/srcs", "/e\u{301}"] { #expect(try account(settings, text) == nil, "\(text)") }
    let all = try self.settings(["/": home, "/src": work])
    #expect(try account(all, "/") == home && account(all, "/x") == home && account(all, "/src/x") == work)
  }

  @Test func `are no relative path or one with a parent`() {
    for text in ["", "src", "./src", "/src/../x", "/..", "/a\0b", "/" + String(repeating: "x", count: 4096)] {
      #expect(DirectoryPath(text) == nil, "\(text)")
    }
    #expect(DirectoryPath("/..x/...")?.text == "/..x/..." && DirectoryPath("///")?.text == "/")
  }

  @Test func `are written, read back, follow a new name, and go with the account`() throws {
    var settings = try settings(["/src": work])
    try settings.setDirectoryAccount(home, in: path("/own/"))
    try settings.setDirectoryAccount(home, in: path("/src"))
    try settings.setDirectoryAccount(work, in: path("/src"))
    settings = try Settings(parsing: settings.serialized())
    let written = try JSON(parsing: settings.serialized())["directories"]
    #expect(written == ["/src": "work", "/own": "home"])
    let job = try AccountName("job")
    settings.rename(work, to: job)
    #expect(try account(settings, "/src") == job && settings.directories.paths(of: job) == ["/src"])
    settings.remove(job)
    #expect(try account(settings, "/src") == nil && account(settings, "/own") == home)
    try settings.setDirectoryAccount(nil, in: path("/own"))
    #expect(settings.directories.isEmpty)
    #expect(try JSON(parsing: settings.serialized())["directories"] == nil)
    #expect(throws: ConfigurationError(.accountChanged, "job")) {
      try settings.setDirectoryAccount(job, in: path("/own"))
    }
  }

  @Test func `stay with an account that was deleted by hand`() throws {
    let text = #"{"version":2,"directories":{"/src/":"gone"}}"#
    let settings = try Settings(parsing: Array(text.utf8))
    #expect(try account(settings, "/src/x") == AccountName("gone"))
  }

  @Test(arguments: [1, [], ["src": "work"], ["/src": 1], ["/src": ""], ["/../x": "work"]] as [JSON])
  func `of the wrong form name their member`(value: JSON) throws {
    let settings: JSON = ["version": 2, "directories": value]
    #expect(throws: ConfigurationError(.invalid, "directories")) { try Settings(parsing: settings.serialized()) }
  }
}
