import Encoding
import Platform
import TestSupport
import Testing

/// The clocks of a tree's daemon, which a test can set: a preloaded library replaces the kernel's clocks.
final class SetClock: Sendable {
  private let tree: AgentTree
  private let issuer: Issuer
  private let daemon: RunningProcess

  static let compiler: String? = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"].first { FileStamp(at: $0) != nil }

  static func with<Result>(_ options: String..., body: (AgentTree, Issuer, SetClock) throws -> Result) throws -> Result
  {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        let clock = try SetClock(tree, issuer)
        try tree.signIn(at: issuer.url)
        return try body(tree, issuer, clock)
      }
    }
  }

  private init(_ tree: AgentTree, _ issuer: Issuer) throws {
    self.tree = tree
    self.issuer = issuer
    let source = PackageFiles.path("Tests/Tools/Clock/offsets.c")
    let library = tree.path("offsets.so")
    let made = try ProcessRunner.run(
      executable: try #require(Self.compiler), arguments: ["-shared", "-fPIC", "-O1", "-o", library, source])
    try #require(made.succeeded, "\(made.errorText)")
    try tree.directory.write("offsets", String(repeating: "\0", count: 16))
    daemon = try RunningProcess(
      executable: Programs.path("agentd"), arguments: ["--foreground"],
      environment: tree.environment(["LD_PRELOAD": library, "CLOCK_OFFSETS": tree.path("offsets")]))
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !tree.agent("daemon", "status").succeeded {
      try #require(Instant.now < deadline, "\(daemon.errorText)")
      Threads.sleep(for: .milliseconds(20))
    }
    #expect(try tree.daemon() == daemon.processID)
  }

  /// Sets the machine's clock ahead by `wall` seconds, and simulates a suspend of `asleep` seconds since the start.
  /// The issuer's time is not affected.
  func set(wall: Int = 0, asleep: Int = 0) throws {
    try issuer.control("clock_offset", "\(asleep)")
    try Self.write(to: tree, wall: wall + asleep, boot: asleep)
    // The daemon does everything that is due.
    _ = try tree.agent("daemon", "status")
  }

  /// Writes the clock offsets in place, because the daemon maps the file.
  private static func write(to tree: AgentTree, wall: Int, boot: Int) throws {
    let bytes = [Int64(wall), Int64(boot)].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
    }
    let file = try FileDescriptor(opening: tree.path("offsets"), for: .writing)
    try file.writeAll(bytes.span)
  }
}
