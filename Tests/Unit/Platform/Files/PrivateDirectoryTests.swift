import Platform
import TestSupport
import Testing

@Suite struct `Private directory` {
  let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func open(_ path: String, create: Bool = false) throws(DirectoryError) {
    _ = try PrivateDirectory(opening: path, create: create)
  }

  @Test func `missing parents are made with mode 0700`() throws {
    try open(scratch.path("a/b/c"), create: true)
    let modes = try ProcessRunner.shell("stat -c %a \(scratch.path)/a \(scratch.path)/a/b \(scratch.path)/a/b/c")
    #expect(modes.outputText == "700\n700\n700\n")
  }

  @Test(arguments: [("600", "700"), ("0", "700"), ("400", "700"), ("500", "500"), ("700", "700")])
  func `an own directory that its owner may not pass is repaired`(mode: String, repaired: String) throws {
    try open(scratch.path("a"), create: true)
    try ProcessRunner.shell("chmod \(mode) \(scratch.path)/a")
    try open(scratch.path("a"))
    #expect(try ProcessRunner.shell("stat -c %a \(scratch.path)/a").outputText == "\(repaired)\n")
  }

  @Test func `an existing directory is opened and slashes at the end do not matter`() throws {
    let path = scratch.path("a")
    try open(path, create: true)
    let directory = try PrivateDirectory(opening: path + "//", create: true)
    #expect(directory.path == path)
  }

  @Test func `a missing directory is not made unasked`() {
    let path = scratch.path("a")
    let missing = SystemError(errno: SystemError.Number.ENOENT, operation: "open")
    #expect(throws: DirectoryError.system(missing, path: path)) { try open(path) }
  }

  @Test(arguments: ["", "/", "//"]) func `a symbolic link is refused, with slashes after it too`(
    slashes: String
  ) throws {
    try open(scratch.path("real"), create: true)
    try ProcessRunner.shell("ln -s real \(scratch.path)/link")
    let path = scratch.path("link")
    #expect(throws: DirectoryError.untrusted(.notDirectory, path: path)) { try open(path + slashes) }
    #expect(throws: DirectoryError.untrusted(.notDirectory, path: path)) { try open(path + slashes, create: true) }
  }

  @Test(arguments: ["link/.", "link/..", "link/./", ".", ".."]) func `a path that ends in dots is refused`(
    name: String
  ) throws {
    try open(scratch.path("real"), create: true)
    try ProcessRunner.shell("ln -s real \(scratch.path)/link")
    let error = #expect(throws: DirectoryError.self) { try open(scratch.path(name)) }
    guard case .system(let reason, _) = error else {
      Issue.record("another error")
      return
    }
    #expect(reason == SystemError(errno: SystemError.Number.EINVAL, operation: "open"))
  }

  @Test func `a path with a NUL is not cut there`() {
    let path = scratch.path + "\0/elsewhere"
    let invalid = SystemError(errno: SystemError.Number.EINVAL, operation: "open")
    #expect(throws: DirectoryError.system(invalid, path: path)) { try open(path) }
  }

  @Test func `a link before the last component is followed`() throws {
    try open(scratch.path("real/inner"), create: true)
    try ProcessRunner.shell("ln -s real \(scratch.path)/link")
    try open(scratch.path("link/inner"))
  }

  @Test func `a file is refused`() throws {
    try scratch.write("file", "")
    let path = scratch.path("file")
    #expect(throws: DirectoryError.untrusted(.notDirectory, path: path)) { try open(path) }
    #expect(throws: DirectoryError.untrusted(.notDirectory, path: path)) { try open(path, create: true) }
  }

  @Test(arguments: [0o755, 0o701, 0o710, 0o720, 0o777, 0o1777] as [UInt32])
  func `a directory that others have a right to is refused and left as it is`(mode: UInt32) throws {
    let path = scratch.path("a")
    try open(path, create: true)
    let octal = String(mode, radix: 8)
    try ProcessRunner.shell("chmod \(octal) \(path)")
    let error = DirectoryError.untrusted(.tooOpen(mode: mode, isDirectory: true), path: path)
    #expect(throws: error) { try open(path, create: true) }
    #expect(try ProcessRunner.shell("stat -c %a \(path)").outputText == "\(octal)\n")
  }

  @Test(.enabled(if: Machine.userID == 0)) func `another user's directory is refused`() throws {
    let path = scratch.path("a")
    try open(path, create: true)
    #expect(try ProcessRunner.shell("chown 12345 \(path)").succeeded)
    #expect(throws: DirectoryError.untrusted(.notOwned, path: path)) { try open(path) }
  }

  @Test func `a directory that was replaced is noticed`() throws {
    let directory = try scratch.open("a")
    #expect(directory.isStillAtItsPath() as Bool)
    try ProcessRunner.shell("mv \(scratch.path)/a \(scratch.path)/b; mkdir -m 700 \(scratch.path)/a")
    let isStill = directory.isStillAtItsPath()
    #expect(!isStill)
  }
}
