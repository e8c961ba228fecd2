import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import Daemon

/// Each run is in its own process, which becomes a daemon's.
@Suite struct `The program of the daemon` {
  private static func says(_ bytes: [UInt8]?, _ text: String) -> Bool {
    String(decoding: bytes ?? [], as: UTF8.self).contains(text)
  }

  /// Runs the program with its own directories.
  private static func run(in home: String, _ arguments: [String]) throws -> Int32 {
    for name in ["RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME", "CACHE_HOME"] {
      try Environment.set("XDG_\(name)", to: home)
    }
    return DaemonMain.run(arguments: ["agentd"] + arguments)
  }

  /// Runs the program with the first of two connected sockets as its only connection; the second is closed.
  private static func serveWhoHasGone(in home: String, _ more: [String]) throws -> Int32 {
    let pair = try SocketPair()
    try pair.second.close()
    let socket = SharedDescriptor(pair.first)
    let status = try run(in: home, ["--connection-fd", String(socket.descriptor.raw)] + more)
    extendLifetime(socket)
    return status
  }

  @Test func `tells its version, to people and as JSON`() async throws {
    let short = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      Processes.exit(DaemonMain.run(arguments: ["agentd", "--version"]))
    }
    #expect(Self.says(short?.standardOutputContent, "agentd \(Product.version)\n"))
    let long = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      Processes.exit(DaemonMain.run(arguments: ["agentd", "--version", "--json"]))
    }
    #expect(Self.says(long?.standardOutputContent, "\"version\":\"\(Product.version)\""))
    await #expect(processExitsWith: .exitCode(2)) {
      Processes.exit(DaemonMain.run(arguments: ["agentd", "--version", "--foreground"]))
    }
  }

  @Test(arguments: [[], ["--json"]]) func `says that its version could not be written`(option: [String]) async {
    await #expect(processExitsWith: .exitCode(1)) { [option] in
      try FileDescriptor(owning: 1).close()
      Processes.exit(DaemonMain.run(arguments: ["agentd", "--version"] + option))
    }
  }

  @Test func `does not serve a directory that another serves, and tells a person so`() async throws {
    let directory = try TemporaryDirectory()
    let other = try ListeningSocket.bind(directory.open("agent"), "agent.sock")
    let path = directory.path
    let silent = await #expect(processExitsWith: .exitCode(75), observing: [\.standardErrorContent]) {
      [path = path as String] in
      Processes.exit(try Self.run(in: path, ["--directory", path + "/agent"]))
    }
    #expect(!Self.says(silent?.standardErrorContent, "another daemon"))
    let told = await #expect(processExitsWith: .exitCode(75), observing: [\.standardErrorContent]) {
      [path = path as String] in
      Processes.exit(try Self.run(in: path, ["--directory", path + "/agent", "--foreground"]))
    }
    #expect(Self.says(told?.standardErrorContent, "another daemon serves this directory already"))
    #expect(other.file.isStillOurs())
    other.close()
  }

  @Test func `says why it cannot start, which is not that another daemon is there`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      [path = path as String] in
      Processes.exit(try Self.run(in: path, ["--connection-fd", "9999"]))
    }
    #expect(Self.says(result?.standardErrorContent, "agentd: error: "))
    extendLifetime(directory)
  }

  @Test func `ends well when its only client has gone, and tells who started it that it serves`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let told = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      [path = path as String] in
      Processes.exit(try Self.serveWhoHasGone(in: path, ["--ready-fd", "1"]))
    }
    #expect(told?.standardOutputContent.last == UInt8(ascii: "1"))
    extendLifetime(directory)
  }

  @Test func `removes the sockets of leases whose commands were killed`() async throws {
    let directory = try TemporaryDirectory()
    let (path, leases) = (directory.path, "agent/\(WireProtocol.leaseFolder)")
    try directory.makeAbandonedSocket(in: "\(leases)/one", WireProtocol.socketName)
    #expect(try directory.open(leases).fileNames().contains("one"))
    await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
      Processes.exit(try Self.serveWhoHasGone(in: path, []))
    }
    #expect(try !directory.open(leases).fileNames().contains("one"))
  }

  /// The processors that this thread may run on.
  private static func processors() throws -> String {
    let status = try FileDescriptor(opening: "/proc/thread-self/status", for: .reading).readToEnd(limit: 1 << 16)
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("Cpus_allowed_list")
    }
    return String(try #require(line?.split(separator: "\t").last))
  }

  @Test(arguments: [true, false]) func `leaves the processors of who started it if that is a client, for all who come`(
    isStartedByClient: Bool
  ) async throws {
    let directory = try TemporaryDirectory()
    let other = try ListeningSocket.bind(directory.open("agent"), "agent.sock")
    let path = directory.path
    await #expect(processExitsWith: .success) {
      [path = path as String, isStartedByClient = isStartedByClient as Bool] in
      let all = try Self.processors()
      let one = String(all.prefix { $0.isNumber })
      try #require(try ProcessRunner.shell("taskset -acp \(one) \(Machine.processID)").succeeded)
      #expect(try Self.processors() == one)
      let way = isStartedByClient ? ["--directory", path + "/agent"] : ["--connection-fd", "9999"]
      #expect(try Self.run(in: path, way) == (isStartedByClient ? 75 : 1))
      let hasLeft = try Self.processors() != one
      // A machine with one processor has no others.
      #expect(hasLeft == (isStartedByClient && all != one))
    }
    other.close()
  }

  @Test func `ends if it cannot tell who started it`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    await #expect(processExitsWith: .exitCode(1)) { [path = path as String] in
      let unwritable = SharedDescriptor(try FileDescriptor(opening: "/dev/null", for: .reading))
      let status = try Self.serveWhoHasGone(in: path, ["--ready-fd", String(unwritable.descriptor.raw)])
      extendLifetime(unwritable)
      Processes.exit(status)
    }
    extendLifetime(directory)
  }

  @Test(arguments: [(39, true), (40, false)]) func `does not start with fewer descriptors than it needs to answer`(
    count: Int, isRefused: Bool
  ) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      [path = path as String, count = count as Int] in
      let limit = "prlimit --pid \(Machine.processID) --nofile=\(count)"
      try #require(try ProcessRunner.shell(limit).succeeded)
      // It would not start with this descriptor either.
      Processes.exit(try Self.run(in: path, ["--connection-fd", "9999"]))
    }
    #expect(Self.says(result?.standardErrorContent, "RLIMIT_NOFILE (ulimit -n): 39 < 40") == isRefused)
    extendLifetime(directory)
  }
}
