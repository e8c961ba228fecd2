import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

/// A wait that may take as long as something moves, which only the daemon knows.
@Suite struct `A wait whose end only the daemon knows` {
  static let request = ["request", "--account", "work", "https://api.example/"]
  static let verify = ["verify", "-"]

  private func run(_ program: AgentProgram, _ arguments: [String]) throws -> ProcessResult {
    try program.run(arguments + ["--timeout", "1s"], input: Array("token".utf8))
  }

  private func expectLate(_ result: ProcessResult) {
    #expect(result.status == .exited(4) && result.output == [])
    #expect(result.errorText.hasPrefix("agent: error: the daemon did not answer in time\n"), "\(result.errorText)")
  }

  @Test(arguments: [request, verify]) func `ends when the daemon answers nobody`(arguments: [String]) throws {
    let program = try AgentProgram()
    // Connections wait in its queue, as in that of a process that is stopped.
    let daemon = try FakeDaemon(at: program.runtime)
    expectLate(try run(program, arguments))
    let (asked, _) = try daemon.accept().receiveAll()
    #expect(asked.timeoutSeconds == 1)
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
      // Far longer than its timeout: nothing is told until it has asked twice.
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
    #expect(asked.withLock { $0 } == [.leaseStatus, .leaseStatus])
  }
}
