import Platform
import TestSupport
import Testing

/// On file systems for which the kernel cannot report every change, there is nothing to test.
private let canBeTold: Bool = {
  guard let directory = try? TemporaryDirectory(), (try? directory.write("file", "")) != nil else { return false }
  return FileChanges(of: [directory.path("file")])?.poll() != nil
}()

@Suite(.enabled(if: canBeTold)) struct `Changes of files` {
  let directory: TemporaryDirectory
  let changes: FileChanges

  init() throws {
    directory = try TemporaryDirectory()
    _ = try directory.open("config/agent")
    _ = try directory.open("state/agent")
    // By another process: a write's end is reported when the last process closes the file, maybe a program that another
    // test is starting.
    let isWritten = try ProcessRunner.shell(
      "cd '\(directory.path)' && printf one > config/agent/settings && printf one > state/agent/vault")
    try #require(isWritten.succeeded)
    changes = try #require(
      FileChanges(of: [directory.path("config/agent/settings"), directory.path("state/agent/vault")]))
  }

  @Test func `the number stays while nothing happens, and while files are only read`() throws {
    let first = try #require(changes.poll())
    #expect(changes.poll() == first)
    _ = try directory.readText("config/agent/settings")
    _ = try directory.open("config/agent").fileNames()
    #expect(changes.poll() == first)
  }

  @Test func `what happens to other names in the directories changes nothing`() throws {
    let first = try #require(changes.poll())
    let folder = try directory.open("state/agent")
    try folder.lock("lock", wait: .zero).release()
    try folder.rehearseReplacing("vault", growth: 100)
    try folder.replaceFile("other", with: Array("two".utf8).span)
    try folder.removeFile("other")
    #expect(changes.poll() == first)
  }

  @Test func `a watch that is distrusted counts every file as changed, once`() throws {
    let first = try #require(changes.poll())
    changes.invalidate()
    let second = try #require(changes.poll())
    #expect(second != first)
    #expect(changes.number(ofFile: 0) == second && changes.number(ofFile: 1) == second)
    #expect(changes.poll() == second)
  }

  @Test func `each file has a number of its own`() throws {
    _ = changes.poll()
    let (settings, vault) = (try #require(changes.number(ofFile: 0)), try #require(changes.number(ofFile: 1)))
    try directory.open("state/agent").replaceFile("vault", with: Array("two".utf8).span)
    _ = changes.poll()
    #expect(changes.number(ofFile: 0) == settings)
    #expect(try #require(changes.number(ofFile: 1)) != vault)
    try directory.open("state/agent").removeFile("vault")
    #expect(changes.poll() == nil)
    #expect(changes.number(ofFile: 0) == nil && changes.number(ofFile: 1) == nil)
  }

  @Test func `a file that is replaced again and again is noticed each time, and watched once`() throws {
    let folder = try directory.open("state/agent")
    var seen = try #require(changes.poll())
    let watches = try watchCount()
    // The kernel removes a watch only with the file.
    var held: [KnownFile?] = []
    for round in 0..<20 {
      held.append(try folder.replaceKnownFile("vault", with: Array("\(round)".utf8).span))
      let next = try #require(changes.poll())
      #expect(next != seen)
      try directory.write("state/agent/vault", "again")
      seen = try #require(changes.poll())
      #expect(seen != next)
    }
    #expect(try watchCount() == watches)
    extendLifetime(held)
  }

  /// The number of watches, except that of the vault's directory.
  private func watchCount() throws -> Int {
    let folder = String(try directory.open("state").inode(of: "agent"), radix: 16)
    let lists = "/proc/\(Machine.processID)/fdinfo"
    let output = try ProcessRunner.shell(
      "grep -hc ^inotify $(grep -l 'ino:\(folder) ' \(lists)/* 2>/dev/null)"
    ).output
    return try #require(Int(String(decoding: output, as: UTF8.self).filter { $0 != "\n" }))
  }

  @Test(arguments: [
    "printf x >>config/agent/settings",
    "printf two >config/agent/settings",
    "printf two >new && mv new config/agent/settings",
    "printf two >state/agent/new && mv state/agent/new state/agent/vault",
    "rm config/agent/settings",
    "mv state/agent/vault elsewhere",
    "mv config/agent config/old && mkdir config/agent && printf two >config/agent/settings",
    "mv state old && mkdir -p state/agent && printf two >state/agent/vault",
    "rm -r config && mkdir -p config/agent && printf two >config/agent/settings",
    "mv config dotfiles && ln -s dotfiles config",
  ])
  func `the number moves on before the change is done`(change: String) throws {
    let first = try #require(changes.poll())
    try #require(try ProcessRunner.shell("cd '\(directory.path)' && \(change)").succeeded)
    #expect(changes.poll() != first)
  }

  @Test(arguments: [
    "printf two >dot/files/real",
    "printf two >new && mv new dot/files/real",
    "rm dot/files/real",
    "printf two >dot/other && ln -sf ../../dot/other config/agent/settings",
    "printf two >dot/other && ln -s ../../dot/other new && mv new config/agent/settings",
    "mkdir -p new/files && printf two >new/files/real && rm way && ln -s new way",
    "mv dot old && mkdir -p dot/files && printf two >dot/files/real",
    "mv dot/files dot/old && mkdir -p dot/files && printf two >dot/files/real",
    "rm config/agent/settings && printf two >config/agent/settings",
  ])
  func `the number moves on for a file behind links`(change: String) throws {
    let prepare = """
      mkdir -p dot/files && printf one >dot/files/real && ln -s dot way && rm config/agent/settings &&
      ln -s "$PWD/config/../way/files/./real" config/agent/settings
      """
    try #require(try ProcessRunner.shell("cd '\(directory.path)' && \(prepare)").succeeded)
    let first = try #require(changes.poll())
    #expect(changes.poll() == first)
    try #require(try ProcessRunner.shell("cd '\(directory.path)' && \(change)").succeeded)
    #expect(changes.poll() != first)
  }

  @Test func `a file that is written through another name of it has changed`() throws {
    try #require(try ProcessRunner.shell("cd '\(directory.path)' && ln config/agent/settings other").succeeded)
    let first = try #require(changes.poll())
    try directory.write("other", "two")
    #expect(changes.poll() != first)
  }

  @Test func `after a change the files are watched where they are now`() throws {
    for round in 0..<5 {
      let before = try #require(changes.poll())
      let command =
        "cd '\(directory.path)' && mv config old.\(round) && mkdir -p config/agent && echo >config/agent/settings"
      try #require(try ProcessRunner.shell(command).succeeded)
      let after = try #require(changes.poll())
      #expect(after != before)
      #expect(changes.poll() == after)
      // A file that is no longer at the path does not matter.
      try directory.write("old.\(round)/agent/settings", "two")
      _ = changes.poll()
      let calm = try #require(changes.poll())
      try directory.write("old.\(round)/agent/settings", "three")
      #expect(changes.poll() == calm)
    }
  }

  @Test func `nothing is told while a file is missing, and again when it is there`() throws {
    let first = try #require(changes.poll())
    try directory.open("state/agent").removeFile("vault")
    #expect(changes.poll() == nil)
    try directory.write("state/agent/vault", "two")
    let deadline = Instant.now.advanced(by: .testLimit)
    var seen = changes.poll()
    while seen == nil, Instant.now < deadline {
      Threads.sleep(for: .milliseconds(50))
      seen = changes.poll()
    }
    #expect(try #require(seen) != first)
  }

  @Test func `nothing is told while a link leads nowhere, or to itself`() throws {
    try #require(try ProcessRunner.shell("cd '\(directory.path)' && ln -s nowhere link && ln -s round round").succeeded)
    #expect(FileChanges(of: [directory.path("link")])?.poll() == nil)
    #expect(FileChanges(of: [directory.path("link/agent/settings")])?.poll() == nil)
    #expect(FileChanges(of: [directory.path("round")])?.poll() == nil)
  }

  @Test(arguments: ["/proc/self/status", "relative/settings", "settings", "/settings", ""])
  func `nothing is told where the kernel could not`(path: String) {
    #expect(FileChanges(of: [path])?.poll() == nil)
  }

  /// As for the daemon: the receiver of a message knows every change made before it was sent.
  @Test func `a change made before a message was sent is seen by whoever got it`() throws {
    let pair = try SocketPair()
    let directory = directory
    let path = directory.path("config/agent/settings")
    let rounds = 300
    let writer = Writer(pair.second)
    try Threads.start(name: "writer") { writer.run(rounds, directory) }
    var known = (seen: UInt64?.none, text: "")
    for round in 0..<rounds {
      var byte: [UInt8] = []
      try #require(try pair.first.read(into: &byte, upTo: 1) == 1)
      let seen = changes.poll()
      if seen == nil || seen != known.seen {
        let file = try FileDescriptor(opening: path, for: .reading)
        known = (seen, String(decoding: try file.readToEnd(limit: 100), as: UTF8.self))
      }
      #expect(known.text == "\(round / 2)")
      try pair.first.writeAll([1].span)
    }
  }

  private final class Writer: Sendable {
    let socket: FileDescriptor
    init(_ socket: consuming FileDescriptor) { self.socket = socket }

    /// Changes the file every second round, alternately in place and by a new file.
    func run(_ rounds: Int, _ directory: TemporaryDirectory) {
      do {
        let folder = try directory.open("config/agent")
        for round in 0..<rounds {
          let bytes = Array("\(round / 2)".utf8)
          if round % 4 == 0 { try directory.write("config/agent/settings", bytes) }
          if round % 4 == 2 { try folder.replaceFile("settings", with: bytes.span) }
          try socket.writeAll([1].span)
          var answer: [UInt8] = []
          guard try socket.read(into: &answer, upTo: 1) == 1 else { return }
        }
      } catch {
        // The reader notices that nothing more arrives.
      }
    }
  }
}
