import Encoding
import Platform
import TestSupport
import Testing
import Wire

/// The built program, in a separate directory tree with a substitute for `agentd`.
final class AgentProgram: Sendable {
  let tree: TemporaryDirectory

  /// The directory of the socket.
  var runtime: String { tree.path("run/agent") }

  /// - Parameter daemon: A shell script that replaces `agentd`; nil for none.
  init(daemon: String? = nil) throws {
    tree = try TemporaryDirectory()
    for directory in ["run/agent", "bin", "libexec", "home", "go"] { _ = try tree.open(directory) }
    // A copy, since the program finds agentd relative to its own file, also through a link.
    try ProcessRunner.shell("cp '\(Self.built)' '\(tree.path("bin/agent"))'; chmod 700 '\(tree.path("bin/agent"))'")
    guard let daemon else { return }
    try tree.writeProgram("libexec/agentd", daemon)
  }

  /// The program that was built with the tests.
  static var built: String {
    let own = Machine.executablePath()
    return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/agent"
  }

  var environment: [String] {
    [
      "PATH=/usr/bin:/bin", "HOME=\(tree.path("home"))", "XDG_RUNTIME_DIR=\(tree.path("run"))",
      "XDG_STATE_HOME=\(tree.path("home"))", "PWD=\(tree.path)", "AGENT_SUBJECT=stale", "LANG=C.UTF-8",
    ]
  }

  func run(_ arguments: [String], adding variables: [String] = [], input: [UInt8] = []) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: tree.path("bin/agent"), arguments: arguments, environment: environment + variables, input: input,
      directory: tree.path)
  }

  func start(_ arguments: [String], adding variables: [String] = []) throws -> RunningProcess {
    try RunningProcess(
      executable: tree.path("bin/agent"), arguments: arguments, environment: environment + variables,
      directory: tree.path)
  }
}

/// A daemon's socket served by the test, one conversation per connection.
final class FakeDaemon: Sendable {
  final class Conversation: Sendable {
    private let socket: FileDescriptor
    init(_ socket: consuming FileDescriptor) { self.socket = socket }

    func send(_ reply: Reply) throws { try socket.writeAll(reply.serialized().span) }
    func send(_ bytes: [UInt8]) throws { try socket.writeAll(bytes.span) }

    /// The client's request and its last descriptor.
    func receive() throws -> (RequestEnvelope, SharedDescriptor?) {
      let (request, passed) = try receiveAll()
      return (request, passed.last)
    }

    /// The client's request and all its descriptors.
    func receiveAll() throws -> (RequestEnvelope, [SharedDescriptor]) {
      var line: [UInt8] = []
      var passed: [SharedDescriptor] = []
      while line.last != UInt8(ascii: "\n") {
        var came: SharedDescriptor?
        guard try UnixSocket.receive(socket, into: &line, upTo: 4096, passed: &came) > 0 else { break }
        if let came { passed.append(came) }
      }
      return (try RequestEnvelope(parsing: line.span), passed)
    }

    /// Returns whether the client disconnects without sending more.
    func hasEnded() throws -> Bool {
      var rest: [UInt8] = []
      guard try socket.waitUntilReadable(timeout: .testLimit) else { return false }
      return try socket.read(into: &rest, upTo: 1) == 0
    }
  }

  private let listener: FileDescriptor

  init(at directory: String, name: String = WireProtocol.socketName) throws {
    listener = try UnixSocket.listen(
      in: try PrivateDirectory(opening: directory, create: true), name: name, backlog: 16)
  }

  func accept() throws -> Conversation {
    guard try listener.waitUntilReadable(timeout: .testLimit) else {
      throw SystemError(errno: 110, operation: "accept")
    }
    let socket = try UnixSocket.accept(listener)
    try socket.setNonBlocking(false)
    return Conversation(socket)
  }

  /// Responds to the next connections, one by one, on a separate thread.
  func serve(_ answers: [[UInt8]]) throws {
    try Threads.start(name: "fake-daemon") { [self] in
      for answer in answers {
        guard let conversation = try? accept() else { return }
        _ = try? conversation.receive()
        try? conversation.send(answer)
      }
    }
  }

  static func tokenAnswer(_ token: String = "secret-token", account: String = "work") -> [UInt8] {
    var line: [UInt8] = []
    TokenDescription(
      account: account, issuer: "https://id.example.com", subject: nil, tokenType: "Bearer", scope: nil, expiresAt: 17
    ).appendAnswer(accessToken: Array(token.utf8).span, to: &line)
    return line
  }
}
