import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct `The directory of token files` {
  private static let name = "token-" + String(repeating: "5e", count: 16)
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Creates files that a crashed daemon leaves, and other files.
  private func leave(in name: String) throws {
    _ = try directory.open(name)
    for file in [Self.name, Self.name + ".lock", "token-5e", "notes"] { try directory.write("\(name)/\(file)", "x") }
  }

  private func names(in name: String) throws -> [String] { try directory.open(name).fileNames() }

  @Test func `of the machine's last start is cleared of them, and of nothing else`() throws {
    try leave(in: "past")
    _ = try TokenFileStore(existing: directory.path("past"))
    #expect(try names(in: "past") == ["notes", "token-5e"])
  }

  @Test func `keeps the files of a daemon that lives`() throws {
    try leave(in: "past")
    let store = try TokenFileStore(existing: directory.path("past"))
    let (name, lock) = try store.claim(Self.name)
    try directory.write("past/\(name)", "x")
    _ = try TokenFileStore(existing: directory.path("past"))
    #expect(try names(in: "past").contains(name))
    extendLifetime(lock)
  }

  @Test func `is not made, not followed, and must be the user's alone`() throws {
    try leave(in: "other")
    try ProcessRunner.shell("ln -s other '\(directory.path("link"))'")
    #expect(throws: DirectoryError.untrusted(.notDirectory, path: directory.path("link"))) {
      _ = try TokenFileStore(existing: directory.path("link"))
    }
    #expect(throws: DirectoryError.self) { _ = try TokenFileStore(existing: directory.path("none")) }
    try ProcessRunner.shell("chmod 755 '\(directory.path("other"))'")
    #expect(throws: DirectoryError.self) { _ = try TokenFileStore(existing: directory.path("other")) }
    try ProcessRunner.shell("chmod 700 '\(directory.path("other"))'")
    #expect(try names(in: "other").contains(Self.name))
  }
}
