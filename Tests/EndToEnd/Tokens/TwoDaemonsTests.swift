import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .serialized) struct `Two daemons on one vault` {
  /// Runs the bodies concurrently, each on its own thread, and returns their errors.
  private static func together(_ bodies: [@Sendable () throws -> Void]) throws -> [any Error] {
    let ended = WorkQueue<(any Error)?>()
    for body in bodies {
      try Threads.start(name: "together") {
        do {
          try body()
          ended.push(nil)
        } catch {
          ended.push(error)
        }
      }
    }
    var errors: [any Error] = []
    for _ in bodies {
      if let error = try #require(ended.pop(wait: .testLimit), "it did not end") { errors.append(error) }
    }
    return errors
  }

  @Test func `a private daemon beside the daemon never spends a token twice`() throws {
    try Session.with { (session) throws in
      let tokens = Monitor<[String]>([])
      let rounds = 20
      let bodies = [[], ["--no-daemon"]].map { options in
        { @Sendable () throws in
          for _ in 0..<rounds {
            let result = try session.tree.agent(["token", "work", "--force-refresh"] + options)
            try #require(result.succeeded, "\(result.errorText)")
            tokens.withLock { $0.append(result.outputText) }
          }
        }
      }
      #expect(try Self.together(bodies).isEmpty)
      #expect(Set(tokens.withLock { $0 }).count == 2 * rounds)
      #expect(try session.issuer.count("refreshes") == 2 * rounds)
      #expect(try session.issuer.count("reuse_detected") == 0)
      #expect(try session.issuer.count("refresh_failures") == 0)
      #expect(try !session.tree.token().isEmpty)
    }
  }

  @Test func `a sign-out in one is noticed by the other`() throws {
    try Session.with { (session) throws in
      let other = ["AGENT_SOCKET": Optional(session.tree.path("runtime/second/other.sock"))]
      #expect(try session.tree.agent(["daemon", "start"], other).succeeded)
      #expect(try session.tree.agent(["token", "work"], other).succeeded)
      #expect(try session.tree.daemons().count == 2)
      #expect(try session.tree.agent("logout", "work").succeeded)
      #expect(try session.tree.agent(["token", "work", "--force-refresh"], other).failed(3))
    }
  }

  @Test func `a daemon that is killed after a lost answer loses no session`() throws {
    try Session.with { session in
      // The server has rotated the token and the response was lost. A server with leeway (RFC 9700 section 4.14.2)
      // accepts the old token once more.
      try session.issuer.control("reuse_leeway", "60", ("body", "drop"), ("times", "1"))
      let asked = try session.tree.start(["token", "work", "--force-refresh"])
      try session.issuer.await("refreshes", 1)
      try session.tree.killDaemon()
      // If it was quick, the second attempt has returned a token.
      #expect(try [.exited(4), .exited(0)].contains(asked.wait()))
      #expect(try !session.tree.token().isEmpty)
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `an answer that is lost after the rotation is asked for again`() throws {
    try Session.with { session in
      try session.issuer.control("reuse_leeway", "60", ("body", "drop"), ("times", "1"))
      #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
      #expect(try session.issuer.count("refreshes") == 2)
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }
}
