import Platform
import TestSupport
import Testing

@Suite struct `Sockets of killed processes` {
  let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// A directory with a subdirectory for each socket.
  private func folder() throws -> PrivateDirectory { try scratch.open("sockets") }

  private func clear() throws -> [String] {
    let folder = try folder()
    try folder.lockSockets(wait: .zero).release()
    return try folder.fileNames().filter { $0 != ".lock" }
  }

  @Test func `those that nobody listens at are removed with their directories, and the others stay`() throws {
    let alive = try UnixSocket.listen(in: try scratch.open("sockets/alive"), name: "socket", backlog: 8)
    try scratch.makeAbandonedSocket(in: "sockets/dead")
    _ = try scratch.open("sockets/empty")
    #expect(try clear() == ["alive"])
    _ = try UnixSocket.connect(path: scratch.path("sockets/alive/socket"))
    #expect(try alive.waitUntilReadable(timeout: .zero))
  }

  @Test func `one whose queue is full is alive`() throws {
    let directory = try scratch.open("sockets/busy")
    let listener = try UnixSocket.listen(in: directory, name: "socket", backlog: 0)
    let first = try UnixSocket.connect(in: directory, name: "socket", seconds: 1)
    #expect(throws: SystemError(errno: SystemError.Number.EAGAIN, operation: "connect")) {
      _ = try UnixSocket.connect(in: directory, name: "socket", seconds: 1)
    }
    #expect(try clear() == ["busy"])
    #expect(try UnixSocket.peerUserID(try UnixSocket.accept(listener)) == Machine.userID)
    _ = first
  }

  @Test func `no link is followed, and nothing but a socket is removed`() throws {
    try scratch.makeAbandonedSocket(in: "elsewhere")
    _ = try scratch.open("sockets/linked")
    _ = try scratch.open("sockets/file")
    try scratch.write("sockets/file/socket", "text")
    try scratch.makeAbandonedSocket(in: "sockets/more")
    try scratch.write("sockets/more/notes", "text")
    _ = try ProcessRunner.shell(
      "cd '\(scratch.path)/sockets' && ln -s ../elsewhere link && ln -s ../../elsewhere/socket linked/socket")
    #expect(try clear() == ["file", "link", "linked", "more"])
    #expect(try scratch.open("elsewhere").fileNames() == ["socket"])
    #expect(try scratch.open("sockets/more").fileNames() == ["notes", "socket"])
  }

  @Test func `none is removed while another process makes one`() throws {
    try scratch.makeAbandonedSocket(in: "sockets/new")
    let folder = try folder()
    let lock = try folder.lockSockets(wait: .zero)
    #expect(throws: SystemError(errno: SystemError.Number.EAGAIN, operation: "flock")) { _ = try clear() }
    lock.release()
    #expect(try clear() == [])
  }
}
