import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `A wait whose end only the daemon knows` {
  static let request = ["request", "--account", "work", "https://api.example/"]
  static let verify = ["verify", "-"]

  private func run(_ program: AgentProgram, _ arguments: [String]) throws -> ProcessResult {
    try program.run(arguments + ["--timeout", "5s"], input: Array("token".utf8))
  }

  private func expectLate(_ result: ProcessResult) {
    #expect(result.status == .exited(4) && result.output == [])
    #expect(result.errorText.hasPrefix("agent: error: the daemon did not answer in time\n"), "\(result.errorText)")
  }

  @Test(arguments: [request, verify, ["events", "--follow"]]) func `ends when the daemon answers nobody`(
    arguments: [String]
  ) throws {
    let program = try AgentProgram()
    // Connections wait in its queue, as for a stopped process.
    let daemon = try FakeDaemon(at: program.runtime)
    expectLate(try run(program, arguments))
    let (asked, _) = try daemon.accept().receiveAll()
    #expect(asked.timeoutSeconds == 5)
  }

  @Test func `ends when the daemon answers nobody any more, in the midst of an answer`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (_, passed) = try? conversation.receiveAll() else { return }
      try? conversation.send(.event(.response(ResponseHead(status: 200, headers: []))))
      try? passed.last?.descriptor.writeAll(Array("half".utf8).span)
      _ = try? conversation.hasEnded()
    }
    let result = try run(program, Self.request)
    #expect(result.status == .exited(4) && result.outputText == "half", "\(result.outputText) \(result.errorText)")
    #expect(result.errorText.hasPrefix("agent: error: the daemon did not answer in time\n"), "\(result.errorText)")
  }

  @Test(arguments: [request, verify]) func `goes on while the daemon answers others`(arguments: [String]) throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let asked = Monitor<[Request]>([])
    let verdict = #"{"valid":true,"header":{"alg":"RS256"},"claims":{}}"# + "\n"
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (_, passed) = try? conversation.receiveAll() else { return }
      // The command gets no result until it has asked twice, far beyond its timeout.
      for _ in 0..<2 {
        guard let other = try? daemon.accept(), let (envelope, _) = try? other.receiveAll() else { return }
        asked.withLock { $0.append(envelope.request) }
        try? other.send(.failure(Failure(.invalidRequest, "any answer")))
      }
      let isRequest = arguments[0] == "request"
      if isRequest { try? conversation.send(.event(.response(ResponseHead(status: 200, headers: [])))) }
      try? passed.last?.descriptor.writeAll(Array((isRequest ? "body" : verdict).utf8).span)
      try? conversation.send(
        .result(
          isRequest
            ? ["account": "work", "body_bytes": 4] : ["tokens": 1, "not_valid": 0, "undecided": 0]))
    }
    let result = try run(program, arguments + (arguments[0] == "verify" ? ["--json"] : []))
    #expect(result.status == .exited(0), "\(result.errorText)")
    #expect(result.outputText == (arguments[0] == "request" ? "body" : verdict))
    #expect(asked.withLock { $0 } == [.leaseStatus(), .leaseStatus()])
  }
}

/// The process was killed, but has not quite ended.
@Suite struct `A daemon that is just ending` {
  private static let status = Reply.result(["pid": 1, "version": "1"]).serialized()

  @Test func `is not running, for those who would stop it or look at it`() throws {
    for (command, status, text) in [
      ("stop", Int32(0), "agent: the daemon is not running\n"),
      ("status", 4, "agent: error: the daemon is not running\nagent: hint: agent daemon start\n"),
      ("log", 4, "agent: error: the daemon is not running\nagent: hint: agent daemon start\n"),
    ] {
      let program = try AgentProgram()
      try FakeDaemon(at: program.runtime).serve([[]])
      let result = try program.run(["daemon", command])
      #expect(result.status == .exited(status) && result.errorText == text, "\(command): \(result.errorText)")
    }
  }

  @Test func `gives way to the next one, which is started or found`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([[], Self.status])
    let start = try program.run(["daemon", "start"])
    #expect(start.status == .exited(0) && start.errorText == "agent: the daemon is already running\n")
    let other = try AgentProgram()
    try FakeDaemon(at: other.runtime).serve([[], Reply.result([:]).serialized(), [], Self.status])
    let restart = try other.run(["daemon", "restart"])
    #expect(restart.status == .exited(0), "\(restart.errorText)")
  }

  @Test(arguments: [0, 1]) func `is asked again for a token file, and for its token`(answers: Int) throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    try Threads.start(name: "fake-daemon") {
      if let ending = try? daemon.accept() {
        for _ in 0..<answers {
          _ = try? ending.receiveAll()
          try? ending.send(FakeDaemon.tokenAnswer())
        }
        _ = try? ending.receiveAll()
      }
      guard let next = try? daemon.accept() else { return }
      _ = try? next.receiveAll()
      try? next.send(FakeDaemon.tokenAnswer())
      _ = try? next.receiveAll()
      try? next.send(
        .event(.tokenFile(Event.TokenFile(account: "work", path: program.tree.path("token"), expiresAt: nil))))
      _ = try? next.hasEnded()
    }
    let result = try program.run(["exec", "--token-file", "--", "/bin/echo", "ran"])
    #expect(result.status == .exited(0) && result.outputText == "ran\n", "\(result.errorText)")
  }

  /// - Parameter reads: Whether the daemon received the request, and perhaps tokens.
  private func verify(whenOneEndsThatReads reads: Bool) throws -> ProcessResult {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    try Threads.start(name: "fake-daemon") {
      if let ending = try? daemon.accept(), reads { _ = try? ending.receiveAll() }
      guard let next = try? daemon.accept(), let (_, passed) = try? next.receiveAll(), passed.count == 2 else { return }
      let tokens = (try? passed[0].descriptor.readToEnd(limit: 1000)) ?? []
      let verdict = #"{"valid":\#(tokens == Array("token".utf8)),"header":{},"claims":{}}"# + "\n"
      try? passed[1].descriptor.writeAll(Array(verdict.utf8).span)
      try? next.send(.result(["tokens": 1, "not_valid": 0, "undecided": 0]))
    }
    return try program.run(["verify", "--json"], input: Array("token".utf8))
  }

  @Test func `is asked again to verify tokens of which it has read none, and no other time`() throws {
    let repeated = try verify(whenOneEndsThatReads: false)
    #expect(repeated.status == .exited(0) && repeated.outputText.hasPrefix(#"{"valid":true"#), "\(repeated.errorText)")
    let failed = try verify(whenOneEndsThatReads: true)
    #expect(failed.status == .exited(4) && failed.errorText.contains("the daemon ended before it answered"))
  }
}
