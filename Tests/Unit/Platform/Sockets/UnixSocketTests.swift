import Platform
import TestSupport
import Testing

@Suite struct `Unix socket` {
  let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// A directory whose sockets have paths of more than 107 bytes.
  private var longName: String { String(repeating: "a", count: 60) + "/" + String(repeating: "b", count: 60) }

  private func exchange(_ client: borrowing FileDescriptor, _ listener: borrowing FileDescriptor) throws {
    #expect(try listener.waitUntilReadable(timeout: .testLimit) as Bool)
    let server = try UnixSocket.accept(listener)
    try client.writeAll(Array("hello".utf8).span)
    #expect(try server.waitUntilReadable(timeout: .testLimit) as Bool)
    var received: [UInt8] = []
    #expect(try server.read(into: &received, upTo: 100) == 5)
    #expect(received == Array("hello".utf8))
  }

  @Test func `a client reaches a listener`() throws {
    let directory = try scratch.open()
    let listener = try UnixSocket.listen(in: directory, name: "socket", backlog: 8)
    try exchange(try UnixSocket.connect(in: directory, name: "socket"), listener)
    try exchange(try UnixSocket.connect(path: scratch.path("socket")), listener)
  }

  @Test func `a path of more than 107 bytes works at both ends`() throws {
    let directory = try scratch.open(longName)
    let listener = try UnixSocket.listen(in: directory, name: "socket", backlog: 8)
    let path = scratch.path(longName) + "/socket"
    #expect(path.utf8.count > 107)
    try exchange(try UnixSocket.connect(in: directory, name: "socket"), listener)
    try exchange(try UnixSocket.connect(path: path), listener)
  }

  @Test(arguments: 100..<116) func `a path of about 107 bytes works at both ends`(length: Int) throws {
    let directory = try scratch.open()
    let name = String(repeating: "s", count: length - scratch.path.utf8.count - 1)
    let listener = try UnixSocket.listen(in: directory, name: name, backlog: 8)
    try exchange(try UnixSocket.connect(in: directory, name: name), listener)
    try exchange(try UnixSocket.connect(path: scratch.path(name)), listener)
    #expect(try directory.fileNames() == [name])
  }

  @Test func `the socket is for its owner alone from the moment it is there`() throws {
    let directory = try scratch.open()
    _ = try UnixSocket.listen(in: directory, name: "socket", backlog: 8)
    #expect(try ProcessRunner.shell("stat -c '%a %F' \(scratch.path)/socket").outputText == "600 socket\n")
  }

  @Test func `a taken name is refused, and a dead socket answers that nobody listens`() throws {
    try scratch.makeAbandonedSocket(in: "dead")
    let directory = try scratch.open("dead")
    #expect(throws: SystemError(errno: SystemError.Number.EADDRINUSE, operation: "bind")) {
      _ = try UnixSocket.listen(in: directory, name: "socket", backlog: 8)
    }
    #expect(throws: SystemError(errno: SystemError.Number.ECONNREFUSED, operation: "connect")) {
      _ = try UnixSocket.connect(in: directory, name: "socket")
    }
    #expect(throws: SystemError(errno: SystemError.Number.ENOENT, operation: "connect")) {
      _ = try UnixSocket.connect(in: directory, name: "other")
    }
  }

  @Test func `both ends see the user at the other end`() throws {
    let directory = try scratch.open()
    let listener = try UnixSocket.listen(in: directory, name: "socket", backlog: 8)
    let client = try UnixSocket.connect(in: directory, name: "socket")
    let server = try UnixSocket.accept(listener)
    #expect(try UnixSocket.peerUserID(client) == Machine.userID)
    #expect(try UnixSocket.peer(client).process == Machine.processID)
    #expect(try UnixSocket.peerUserID(server) == Machine.userID)
  }

  @Test func `a socket of another kind has no peer user`() throws {
    let listener = try UnixSocket.listenLoopback(port: 0)
    let client = try UnixSocket.connectLoopback(port: try UnixSocket.localPort(listener))
    #expect(throws: SystemError(errno: SystemError.Number.ENOTCONN, operation: "getsockopt")) {
      try UnixSocket.peerUserID(client)
    }
  }

  @Test func `nothing to accept does not wait`() throws {
    let listener = try UnixSocket.listen(in: try scratch.open(), name: "socket", backlog: 8)
    #expect(throws: SystemError(errno: SystemError.Number.EAGAIN, operation: "accept4")) {
      _ = try UnixSocket.accept(listener)
    }
  }

  @Test func `a silent peer does not hold a reader longer than the time limit`() throws {
    let pair = try SocketPair()
    try UnixSocket.setTimeouts(pair.first, seconds: 1)
    var buffer: [UInt8] = [1]
    #expect(throws: SystemError(errno: SystemError.Number.EAGAIN, operation: "read")) {
      try pair.first.read(into: &buffer, upTo: 10)
    }
    #expect(buffer == [1])
  }

  @Test(arguments: [false, true]) func `loopback sockets connect`(ipv6: Bool) throws {
    let listener = try UnixSocket.listenLoopback(port: 0, ipv6: ipv6)
    let port = try UnixSocket.localPort(listener)
    #expect(port > 0)
    try exchange(try UnixSocket.connectLoopback(port: port, ipv6: ipv6), listener)
    let addresses = try ProcessRunner.shell("cat /proc/net/tcp /proc/net/tcp6").outputText
    let hexadecimal = String(port, radix: 16, uppercase: true)
    let entry = (ipv6 ? "00000000000000000000000001000000:" : "0100007F:") + String("0000\(hexadecimal)".suffix(4))
    #expect(addresses.contains(" \(entry) "))
  }

  @Test func `sending to an end that is closed is an error and no signal`() async {
    await #expect(processExitsWith: .success) {
      let pair = try SocketPair()
      try pair.second.close()
      do throws(SystemError) { try UnixSocket.sendAll([1].span, over: pair.first) } catch {
        #expect(error.isDisconnected)
        return
      }
      Issue.record("it was sent")
    }
  }

  @Test func `a descriptor passes beside bytes`() throws {
    let pair = try SocketPair()
    let pipe = try Pipe()
    #expect(try UnixSocket.send(Array("x".utf8).span, passing: pipe.writing.raw, over: pair.first) == 1)
    var received: [UInt8] = []
    var passed: SharedDescriptor?
    #expect(try UnixSocket.receive(pair.second, into: &received, upTo: 10, passed: &passed) == 1)
    #expect(received == Array("x".utf8))
    try #require(passed).descriptor.writeAll([42].span)
    var found: [UInt8] = []
    #expect(try pipe.reading.read(into: &found, upTo: 10) == 1)
    #expect(found == [42])
  }
}

@Suite struct `The socket in the directory of the session` {
  let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func reaches(_ home: String?) throws(SystemError) -> Bool {
    let client =
      if let home {
        try unsafe UnixSocket.connectInSession(of: home, name: "socket", seconds: 5)
      } else {
        try unsafe UnixSocket.connectInSession(of: nil, name: "socket", seconds: 5)
      }
    return client != nil
  }

  private func isAsked(_ listener: borrowing FileDescriptor) throws -> Bool {
    try listener.waitUntilReadable(timeout: .zero)
  }

  private func listen(mode: String = "700") throws -> FileDescriptor {
    let listener = try UnixSocket.listen(in: try scratch.open("agent"), name: "socket", backlog: 8)
    _ = try ProcessRunner.shell("chmod \(mode) \(scratch.path("agent"))")
    return listener
  }

  @Test(arguments: ["", "/", "///"]) func `is reached whatever slashes end the variable`(slashes: String) throws {
    let listener = try listen()
    #expect(try reaches(scratch.path + slashes))
    #expect(try isAsked(listener))
  }

  @Test(arguments: ["755", "701", "720"]) func `is left where others may use the directory`(mode: String) throws {
    let listener = try listen(mode: mode)
    #expect(try !reaches(scratch.path))
    #expect(try !isAsked(listener))
  }

  @Test func `is left where the directory is a link`() throws {
    let listener = try listen()
    let other = try TemporaryDirectory()
    _ = try ProcessRunner.shell("ln -s \(scratch.path("agent")) \(other.path("agent"))")
    #expect(try !reaches(other.path))
    #expect(try !isAsked(listener))
  }

  @Test func `is not looked for where the variable is missing or no absolute path`() throws {
    let listener = try listen()
    #expect(try !reaches(nil))
    #expect(try !reaches(""))
    // The path would lead there from the current directory.
    #expect(try !reaches(String(repeating: "../", count: 10) + scratch.path.dropFirst()))
    #expect(try !isAsked(listener))
  }

  @Test func `is left where nobody listens, or there is no such directory`() throws {
    #expect(try !reaches(scratch.path))
    try scratch.makeAbandonedSocket(in: "agent")
    #expect(try !reaches(scratch.path))
  }

  @Test(arguments: 100..<116) func `is reached by a path of 107 bytes at most`(length: Int) throws {
    let name = String(repeating: "d", count: length - scratch.path.utf8.count - "/agent/socket".utf8.count - 1)
    let listener = try UnixSocket.listen(in: try scratch.open(name + "/agent"), name: "socket", backlog: 8)
    #expect(try reaches(scratch.path(name)) == (length <= 107))
    #expect(try isAsked(listener) == (length <= 107))
  }
}
