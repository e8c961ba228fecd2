import Encoding
import Platform
import TestSupport
import Testing
import Wire
import WireSupport

@testable import CommandLine

@Suite struct `A connection to the daemon` {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func copy(_ line: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for index in line.indices { bytes.append(line[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static var soon: Instant { .now.advanced(by: .testLimit) }

  // Every refusal is told.
  @Test func `tells what the daemon said before it hung up, though the request could not be sent`() throws {
    let pair = try SocketPair()
    let refusal = Failure(.tooBusy, "others need its place", hint: "try again")
    try pair.second.writeAll(Reply.failure(refusal).serialized().span)
    try UnixSocket.shutDown(pair.second)
    let connection = try DaemonConnection(over: pair.first)
    expect(throws: refusal) { try connection.send(RequestEnvelope(.state(.list))) }
  }

  @Test func `gives one line at a time, however they arrive`() throws {
    let pair = try SocketPair()
    var connection = try DaemonConnection(over: pair.first)
    try pair.second.writeAll(Self.bytes("one\ntwo\n\nthr").span)
    #expect(try connection.nextLine(before: Self.soon, Self.copy) == "one")
    #expect(try connection.nextLine(before: Self.soon, Self.copy) == "two")
    #expect(try connection.nextLine(before: Self.soon, Self.copy) == "")
    #expect(try connection.takeReply() == nil)
    for byte in Self.bytes("ee\n") { try pair.second.writeAll([byte].span) }
    #expect(try connection.nextLine(before: Self.soon, Self.copy) == "three")
  }

  @Test(arguments: [1, 16_383, 16_384, 16_385, 100_000]) func `takes lines of any size up to the limit`(size: Int)
    throws
  {
    let pair = try SocketPair()
    var connection = try DaemonConnection(over: pair.first)
    let text = String(repeating: "x", count: size)
    let writing = pair.second
    let shared = SharedDescriptor(writing)
    try Threads.start(name: "writer") {
      try? shared.descriptor.writeAll(Self.bytes("\(text)\nnext\n").span)
    }
    #expect(try connection.nextLine(before: Self.soon, Self.copy) == text)
    #expect(try connection.nextLine(before: Self.soon, Self.copy) == "next")
  }

  @Test func `refuses a line that is longer than the protocol allows`() throws {
    let pair = try SocketPair()
    var connection = try DaemonConnection(over: pair.first)
    let shared = SharedDescriptor(pair.second)
    Signals.ignoreFailingWrites()
    try Threads.start(name: "writer") {
      let piece = [UInt8](repeating: 0x78, count: 65_536)
      while (try? shared.descriptor.writeAll(piece.span)) != nil {}
    }
    let expected = Failure(.internalError, "the daemon's answer is longer than the protocol allows")
    expect(throws: expected) { try connection.nextLine(before: Self.soon, Self.copy) }
  }

  @Test func `says that the daemon ended when it hangs up`() throws {
    let pair = try SocketPair()
    var connection = try DaemonConnection(over: pair.first)
    try pair.second.writeAll(Self.bytes("half a li").span)
    try pair.second.close()
    expect(throws: Failure(.daemonUnavailable, "the daemon ended before it answered")) {
      try connection.nextLine(before: Self.soon, Self.copy)
    }
  }

  @Test func `waits no longer than the deadline`() throws {
    let pair = try SocketPair()
    var connection = try DaemonConnection(over: pair.first)
    try pair.second.writeAll(Self.bytes("half a li").span)
    expect(throws: Failure(.timeout, "the daemon did not answer in time")) {
      try connection.nextLine(before: .now, Self.copy)
    }
  }

  @Test func `passes a descriptor with a request`() throws {
    let pair = try SocketPair()
    let connection = try DaemonConnection(over: pair.first)
    let secret = try Pipe()
    try connection.send(RequestEnvelope(.state(.list)), passing: [SharedDescriptor(secret.writing)])
    var bytes: [UInt8] = []
    var passed: SharedDescriptor?
    _ = try UnixSocket.receive(pair.second, into: &bytes, upTo: 4096, passed: &passed)
    #expect(try RequestEnvelope(parsing: bytes.span) == RequestEnvelope(.state(.list)))
    try #require(passed).descriptor.writeAll(Self.bytes("s").span)
    var read: [UInt8] = []
    #expect(try secret.reading.read(into: &read, upTo: 1) == 1)
  }

  @Test func `shows notices on the way to the answer and returns the answer`() throws {
    let pair = try SocketPair()
    var connection = try DaemonConnection(over: pair.first)
    try pair.second.writeAll(Reply.event(.notice("hello")).serialized().span)
    try pair.second.writeAll(Reply.result(JSONObject([("account", "work")])).serialized().span)
    let client = DaemonClient(try Parser.parse(["use", "work", "--quiet", "--timeout", "20s"]))
    #expect(try client.ask(.state(.use(account: "work")), over: &connection) == JSONObject([("account", "work")]))
    var request: [UInt8] = []
    _ = try pair.second.read(into: &request, upTo: 4096)
    #expect(
      try RequestEnvelope(parsing: request.span) == RequestEnvelope(.state(.use(account: "work")), timeoutSeconds: 20))
  }

  @Test func `throws the daemon's own failure`() throws {
    let pair = try SocketPair()
    var connection = try DaemonConnection(over: pair.first)
    let failure = Failure(.noAccount, "no accounts yet", hint: "agent login")
    try pair.second.writeAll(Reply.failure(failure).serialized().span)
    let client = DaemonClient(try Parser.parse(["list"]))
    expect(throws: failure) { try client.ask(.state(.list), over: &connection) }
  }
}

@Suite struct `The daemon's program and place` {
  @Test func `agentd is looked for beside this program's own file`() {
    #expect(
      DaemonProgram.daemon.candidates(near: "/opt/x/bin/agent") == ["/opt/x/libexec/agentd", "/opt/x/bin/agentd"])
    #expect(DaemonProgram.daemon.candidates(near: "/bin/agent") == ["/libexec/agentd", "/bin/agentd"])
    #expect(DaemonProgram.daemon.candidates(near: "") == ["/libexec/agentd", "/agentd"])
  }

  @Test func `agentd gets no variable that a library would obey`() {
    let variables = [
      ("HOME", "/h"), ("SSLKEYLOGFILE", "/x"), ("OPENSSL_CONF", "/x"), ("LC_ALL", "C"), ("XDG_RUNTIME_DIR", "/r"),
      ("LD_PRELOAD", "/x"), ("https_proxy", "p"), ("PATH", "/bin"), ("AGENT_ACCESS_TOKEN", "t"), ("HOMEPAGE", "x"),
      ("LANG", "C"), ("SWIFT_BACKTRACE", "enable=yes"), ("TPM2OPENSSL_TCTI", "d"),
    ]
    #expect(
      DaemonProgram.environment(from: variables) == [
        "HOME=/h", "LC_ALL=C", "XDG_RUNTIME_DIR=/r", "PATH=/bin", "LANG=C", "TPM2OPENSSL_TCTI=d",
        "SWIFT_BACKTRACE=enable=no",
      ])
  }

  @Test(
    arguments: [
      (nil, nil), ("", nil), ("/a/b/c.sock", SocketLocation(directory: "/a/b", name: "c.sock")),
      ("/c.sock", SocketLocation(directory: "/", name: "c.sock")),
    ] as [(String?, SocketLocation?)])
  func `AGENT_SOCKET names the socket`(variable: String?, expected: SocketLocation?) throws {
    #expect(try SocketLocation.location(for: variable) == expected)
  }

  @Test(arguments: ["relative/c.sock", "c.sock", "/a/", "/"]) func `AGENT_SOCKET must be absolute`(variable: String) {
    expect(throws: Failure(.invalidConfiguration, "AGENT_SOCKET must be the absolute path of a socket")) {
      try SocketLocation.location(for: variable)
    }
  }
}
