import Platform
import TestSupport
import Testing

@Suite struct `The file reserved for a replacement` {
  let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write("file", "old")
  }

  private func shell(_ script: String) throws -> String {
    try ProcessRunner.shell("cd '\(scratch.path)' && \(script)").outputText
  }

  @Test func `has its disk space, and becomes the file`() throws {
    let directory = try scratch.open()
    let reserved = try directory.reserveReplacement(of: "file", growth: 100_000)
    let before = try shell("stat -c '%i %s' .file.*.tmp; stat -c %b .file.*.tmp").split(whereSeparator: \.isWhitespace)
    #expect(before[1] == "100003")
    #expect(try #require(Int(before[2])) * 512 >= 100_003)
    try directory.replaceFile("file", with: Array("new".utf8).span, mode: 0o640, in: reserved)
    #expect(try shell("stat -c '%i %s %a' file; ls -A; cat file") == "\(before[0]) 3 640\nfile\nnew")
  }

  @Test func `is removed if it was not used`() throws {
    let directory = try scratch.open()
    var reserved = try directory.reserveReplacement(of: "file", growth: 1) as ReservedFile?
    #expect(try directory.fileNames().count == 2 && reserved != nil)
    reserved = nil
    #expect(try directory.fileNames() == ["file"])
  }

  @Test func `is used once, and not if it was removed`() throws {
    let directory = try scratch.open()
    let reserved = try directory.reserveReplacement(of: "file", growth: 1)
    for text in ["one", "two"] { try directory.replaceFile("file", with: Array(text.utf8).span, in: reserved) }
    #expect(try shell("ls -A; cat file") == "file\ntwo")
    let lost = try directory.reserveReplacement(of: "file", growth: 1)
    _ = try shell("rm .file.*.tmp")
    try directory.replaceFile("file", with: Array("three".utf8).span, in: lost)
    #expect(try shell("ls -A; cat file") == "file\nthree")
  }

  @Test func `is no leftover as long as it may be used`() throws {
    let directory = try scratch.open()
    var reserved = try directory.reserveReplacement(of: "file", growth: 1) as ReservedFile?
    let names = try directory.fileNames()
    try directory.removeLeftovers(of: "file")
    #expect(try directory.fileNames() == names && reserved != nil)
    reserved = nil
    try scratch.write(names[0], "left by a process that was killed")
    try directory.removeLeftovers(of: "file")
    #expect(try directory.fileNames() == ["file"])
  }

  @Test func `is not made if the file may not be replaced`() throws {
    let directory = try scratch.open()
    #expect(throws: SystemError.self) { _ = try directory.reserveReplacement(of: "a/b", growth: 1) }
    #expect(throws: SystemError.self) { _ = try directory.reserveReplacement(of: "file", growth: 1 << 60) }
    #expect(try directory.fileNames() == ["file"])
  }
}
