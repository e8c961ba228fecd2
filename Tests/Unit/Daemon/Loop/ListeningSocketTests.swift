import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct `The daemon's socket` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func bind() throws -> ListeningSocket { try ListeningSocket.bind(directory.open("agent"), "agent.sock") }

  /// Accepts a waiting peer, if any; returns whether there was one.
  private static func takes(_ socket: ListeningSocket) throws -> Bool { try socket.accept() != nil }

  private func isThere() throws -> Bool { try directory.open("agent").exists("agent.sock") }

  @Test func `a second holder is refused`() throws {
    let first = try bind()
    let error = #expect(throws: SystemError.self) { _ = try bind() }
    #expect(error?.wouldBlock == true)
    #expect(first.file.isStillOurs(), "the refused one has not touched it")
    first.close()
  }

  @Test func `the next holder may come when the first has gone`() throws {
    for _ in 0..<3 {
      let socket = try bind()
      #expect(try isThere())
      socket.close()
      #expect(try !isThere())
    }
  }

  @Test func `what a crash left behind is replaced`() throws {
    // The lock ends with the process, but the socket remains.
    _ = try bind()
    #expect(try isThere())
    let socket = try bind()
    #expect(socket.file.isStillOurs())
    let peer = try UnixSocket.connect(path: socket.path)
    #expect(try Self.takes(socket))
    _ = consume peer
    socket.close()
  }

  @Test func `peers are taken until it is closed`() throws {
    let socket = try bind()
    #expect(try !Self.takes(socket), "nobody has come")
    let peer = try UnixSocket.connect(path: socket.path)
    #expect(try Self.takes(socket))
    let later = try UnixSocket.connect(path: socket.path)
    socket.close()
    #expect(!socket.isOpen)
    #expect(try !Self.takes(socket), "the one that waits then asks the next daemon")
    socket.close()
    _ = consume peer
    _ = consume later
  }

  @Test func `a peer for whom there is no descriptor waits until there is one`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let socket = try ListeningSocket.bind(directory.open("agent"), "agent.sock")
      let peer = SharedDescriptor(try UnixSocket.connect(path: socket.path))
      try #require(try ProcessRunner.shell("prlimit --pid \(Machine.processID) --nofile=64").succeeded)
      var others: [SharedDescriptor] = []
      while let other = try? FileDescriptor(opening: "/dev/null", for: .reading) {
        others.append(SharedDescriptor(other))
      }
      let error = #expect(throws: SystemError.self) { _ = try Self.takes(socket) }
      #expect(error?.isOutOfDescriptors == true)
      others.removeAll()
      #expect(try Self.takes(socket))
      extendLifetime(peer)
    }
  }

  @Test func `it notices when its name is gone`() throws {
    let socket = try bind()
    #expect(socket.file.isStillOurs())
    try FileTree.remove(directory.path("agent"))
    #expect(!socket.file.isStillOurs())
    socket.close()
  }

  @Test func `another one's socket is not removed`() throws {
    let socket = try bind()
    try directory.open("agent").removeFile("agent.sock")
    let other = try UnixSocket.listen(in: directory.open("agent"), name: "agent.sock", backlog: 1)
    #expect(!socket.file.isStillOurs())
    socket.close()
    #expect(try isThere())
    _ = consume other
  }

  @Test func `an inherited socket stays when it is closed`() throws {
    let listener = try UnixSocket.listen(in: directory.open("agent"), name: "agent.sock", backlog: 1)
    let socket = try ListeningSocket.inherit(listener, directory.open("agent"), "agent.sock")
    let peer = try UnixSocket.connect(path: socket.path)
    #expect(try Self.takes(socket))
    socket.close()
    #expect(try isThere())
    _ = consume peer
  }
}
