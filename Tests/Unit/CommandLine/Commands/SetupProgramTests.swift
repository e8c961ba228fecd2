import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `agent setup` {
  @Test func `asks the daemon once, however many accounts there are`() throws {
    let program = try AgentProgram()
    var daemon: FakeDaemon? = try FakeDaemon(at: program.runtime)
    let accounts = (1...9).map { number -> JSON in
      ["name": .string("a\(number)"), "origins": [.string("https://\(number).example")]]
    }
    let process = try program.start(["setup", "docker", "--host", "7.example", "--print"])
    let conversation = try #require(try daemon?.accept())
    #expect(try conversation.receive().0.request == .state(.list))
    // No further connection is accepted.
    daemon = nil
    try conversation.send(.result(JSONObject([("accounts", .array(accounts))])))
    #expect(try process.wait() == .exited(0), "\(process.errorText)")
  }
}
