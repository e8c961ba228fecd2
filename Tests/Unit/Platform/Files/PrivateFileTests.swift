import Platform
import TestSupport
import Testing

@Suite struct `Files of a private directory` {
  let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func error(_ number: Int32, _ operation: String) -> SystemError {
    SystemError(errno: number, operation: operation)
  }

  @Test func `what was put in place is read back, with the exact mode`() throws {
    let directory = try scratch.open()
    try directory.replaceFile("file", with: bytes("old").span)
    try directory.replaceFile("file", with: bytes("new").span)
    #expect(try directory.readFile("file", limit: 3) == bytes("new"))
    #expect(try directory.fileNames() == ["file"])
    try directory.replaceFile("script", with: bytes("").span, mode: 0o755)
    let modes = try ProcessRunner.shell("cd \(scratch.path) && stat -c %a file script")
    #expect(modes.outputText == "600\n755\n")
  }

  @Test func `a replace that cannot be finished leaves neither a new name nor a temporary file`() throws {
    let directory = try scratch.open()
    _ = try scratch.open("name")
    #expect(throws: error(SystemError.Number.EISDIR, "renameat")) {
      try directory.replaceFile("name", with: bytes("new").span)
    }
    #expect(try directory.fileNames() == ["name"])
  }

  @Test func `a write that fails half-way leaves the old content and no temporary file`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try TemporaryDirectory()
      let directory = try scratch.open()
      try directory.replaceFile("file", with: Array("old".utf8).span)
      // SIGXFSZ is 25 on all supported machines. If it is blocked, the write fails with EFBIG.
      Signals.block([25])
      try ProcessRunner.shell("prlimit --fsize=4096 --pid \(Machine.processID)")
      #expect(throws: SystemError(errno: SystemError.Number.EFBIG, operation: "write")) {
        try directory.replaceFile("file", with: [UInt8](repeating: 7, count: 100_000).span)
      }
      #expect(throws: SystemError(errno: SystemError.Number.EFBIG, operation: "write")) {
        try directory.createFile("other", with: [UInt8](repeating: 7, count: 100_000).span)
      }
      #expect(try directory.readFile("file", limit: 100) == Array("old".utf8))
      #expect(try directory.fileNames() == ["file"])
    }
  }

  @Test func `a reader sees the old file or the new one, never a part`() throws {
    let directory = try scratch.open()
    let even = [UInt8](repeating: 0, count: 100_000)
    let odd = [UInt8](repeating: 1, count: 100_000)
    try directory.replaceFile("file", with: even.span)
    let begun = WorkQueue<Bool>()
    let stop = WorkQueue<Bool>()
    let done = WorkQueue<Bool>()
    let path = scratch.path
    try Threads.start(name: "writer") {
      guard let directory = try? PrivateDirectory(opening: path, create: false) else { return done.close() }
      var turn = 0
      while stop.pop(wait: .zero) == nil {
        turn += 1
        let next = turn % 2 == 0 ? even : odd
        try? directory.replaceFile("file", with: next.span)
        begun.push(true)
      }
      done.push(turn > 0)
    }
    #expect(begun.pop(wait: .testLimit) == true)
    for _ in 0..<30 {
      let found = try directory.readFile("file", limit: 100_000)
      #expect(found == even || found == odd)
    }
    stop.push(true)
    #expect(done.pop(wait: .testLimit) == true)
  }

  @Test func `a new file is made once`() throws {
    let directory = try scratch.open()
    try directory.createFile("file", with: bytes("first").span)
    #expect(throws: error(SystemError.Number.EEXIST, "linkat")) {
      try directory.createFile("file", with: bytes("second").span)
    }
    #expect(try directory.readFile("file", limit: 100) == bytes("first"))
    #expect(try directory.fileNames() == ["file"])
    #expect(try ProcessRunner.shell("stat -c '%a %h' \(scratch.path)/file").outputText == "600 1\n")
  }

  @Test func `a longer file than allowed is refused, one of just that length is not`() throws {
    let directory = try scratch.open()
    try directory.createFile("file", with: bytes("12345").span)
    #expect(try directory.readFile("file", limit: 5) == bytes("12345"))
    #expect(throws: error(SystemError.Number.EFBIG, "read")) { try directory.readFile("file", limit: 4) }
  }

  @Test func `links, pipes and directories are not read`() throws {
    let directory = try scratch.open()
    try scratch.write("file", "x")
    _ = try scratch.open("directory")
    try ProcessRunner.shell("cd \(scratch.path) && ln -s file link && mkfifo -m 600 pipe")
    #expect(throws: error(SystemError.Number.ELOOP, "openat")) { try directory.readFile("link", limit: 9) }
    #expect(throws: error(SystemError.Number.EINVAL, "openat")) { try directory.readFile("pipe", limit: 9) }
    #expect(throws: error(SystemError.Number.EINVAL, "openat")) { try directory.readFile("directory", limit: 9) }
    #expect(throws: error(SystemError.Number.ENOENT, "openat")) { try directory.readFile("missing", limit: 9) }
  }

  @Test(arguments: ["640", "604", "620", "601"]) func `a file that others have a right to is not read`(
    mode: String
  ) throws {
    let directory = try scratch.open()
    try scratch.write("file", "x")
    try ProcessRunner.shell("chmod \(mode) \(scratch.path)/file")
    #expect(throws: error(SystemError.Number.EACCES, "openat")) { try directory.readFile("file", limit: 9) }
  }

  @Test(.enabled(if: Machine.userID == 0)) func `another user's file is not read`() throws {
    let directory = try scratch.open()
    try scratch.write("file", "x")
    #expect(try ProcessRunner.shell("chown 12345 \(scratch.path)/file").succeeded)
    #expect(throws: error(SystemError.Number.EPERM, "openat")) { try directory.readFile("file", limit: 9) }
  }

  @Test(arguments: ["", ".", "..", "a/b", "../x", "/x", "a\0b"]) func `a name that leads elsewhere is refused`(
    name: String
  ) throws {
    let directory = try scratch.open()
    let invalid = error(SystemError.Number.EINVAL, "openat")
    #expect(throws: invalid) { try directory.readFile(name, limit: 1) }
    #expect(throws: invalid) { try directory.replaceFile(name, with: bytes("x").span) }
    #expect(throws: invalid) { try directory.createFile(name, with: bytes("x").span) }
    #expect(throws: invalid) { try directory.removeFile(name) }
    #expect(throws: invalid) { try directory.inode(of: name) }
    #expect(throws: invalid) { _ = try directory.tryLock(name) }
    #expect(throws: invalid) { _ = try UnixSocket.listen(in: directory, name: name, backlog: 1) }
    #expect(throws: invalid) { _ = try UnixSocket.connect(in: directory, name: name) }
    #expect(try directory.fileNames() == [])
  }

  @Test func `a name can be looked up and removed`() throws {
    let directory = try scratch.open()
    try directory.createFile("a", with: bytes("a").span)
    let exist = [directory.exists("a"), directory.exists("b")]
    #expect(exist == [true, false])
    try directory.removeFile("a")
    let isThere = directory.exists("a")
    #expect(!isThere)
    #expect(throws: error(SystemError.Number.ENOENT, "unlinkat")) { try directory.removeFile("a") }
  }

  @Test func `a replaced file has another inode`() throws {
    let directory = try scratch.open()
    try directory.replaceFile("a", with: bytes("a").span)
    let before = try directory.inode(of: "a")
    try directory.replaceFile("a", with: bytes("a").span)
    #expect(try directory.inode(of: "a") != before)
  }

  @Test func `a known file is told from every other that takes its place`() throws {
    let directory = try scratch.open()
    let path = "\(directory.path)/a"
    var known = try #require(try directory.replaceKnownFile("a", with: bytes("one").span))
    for round in 0..<50 {
      #expect(known.isUnmodified(at: path))
      // If its inode were free, one of these files with the same length and time would get it.
      for _ in 0..<3 {
        try directory.replaceFile("a", with: bytes("two").span)
        #expect(!known.isUnmodified(at: path), "round \(round)")
      }
      known = try #require(try directory.replaceKnownFile("a", with: bytes("one").span))
    }
    let (read, same) = try directory.readKnownFile("a", limit: 10)
    #expect(read == bytes("one") && same.isUnmodified(at: path))
    try scratch.write("a", "longer")
    #expect(!known.isUnmodified(at: path) && !same.isUnmodified(at: path))
  }

  @Test func `a known file that others may read, or that is gone, is held no longer`() throws {
    let directory = try scratch.open()
    let path = "\(directory.path)/a"
    let known = try #require(try directory.replaceKnownFile("a", with: bytes("one").span))
    try ProcessRunner.shell("chmod 0644 \(scratch.path)/a")
    #expect(!known.isUnmodified(at: path))
    try directory.removeFile("a")
    #expect(!known.isUnmodified(at: path))
  }

  @Test func `only what a crash left of the same name is cleared away`() throws {
    let directory = try scratch.open()
    for name in [".vault.0123456789abcdef.tmp", ".vault.x.tmp", ".other.0123456789abcdef.tmp", "vault"] {
      try scratch.write(name, "x")
    }
    try directory.removeLeftovers(of: "vault", "key")
    #expect(try directory.fileNames() == [".other.0123456789abcdef.tmp", ".vault.x.tmp", "vault"])
  }

  @Test func `more than 10,000 names are refused`() throws {
    let directory = try scratch.open()
    try ProcessRunner.shell("cd \(scratch.path) && seq 10000 | xargs touch")
    #expect(try directory.fileNames().count == 10_000)
    try ProcessRunner.shell("touch \(scratch.path)/more")
    #expect(throws: error(SystemError.Number.EFBIG, "readdir")) { try directory.fileNames() }
  }
}
