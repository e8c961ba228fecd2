import Crypto
import Encoding
import WireSupport
import Platform
import Sessions
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The screening of an environment` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work")
    parts = try DaemonParts(home.context)
  }

  private func screen(_ values: [String]) throws {
    let bytes: [UInt8] = values.flatMap { (value: String) -> [UInt8] in Array(value.utf8) + [0] }
    try parts.broker.screenEnvironment(.number(1), passed: [SharedDescriptor(try FileDescriptor.inMemory(bytes.span))])
    home.runJobs()
  }

  @Test func `finds access, refresh and ID Tokens of any account, and names the variables of all`() throws {
    let refreshToken = "refresh-token-1"
    try home.addSignedIn("mail", refreshToken: refreshToken)
    _ = try home.settings.change { (settings) throws(ConfigurationError) in
      for (name, variable) in [("work", "GH_TOKEN=access_token"), ("mail", "EMAIL=claim:email")] {
        guard let account = try? AccountName(name), var configuration = settings[account] else { continue }
        configuration.variables = [variable]
        try settings.set(configuration, for: account)
      }
    }
    let account = try parts.broker.resolve("work")
    try home.put(idTokenFor: 3600, account)
    let idToken = try #require(try account.ownSlot.session.grant?.idToken?.open().text)
    try screen(["nothing", "x \(idToken)", "Basic \(refreshToken)", ""])
    #expect(home.sink.results[1]?["holding"] == [1, 2], "\(home.sink.failures)")
    #expect(home.sink.results[1]?["mapped"] == ["EMAIL", "GH_TOKEN"])
  }

  @Test func `finds tokens that were renewed since, which may still be good, and none after a lock`() throws {
    home.http.answers = (1...2).map { .tokens("access-token-\($0)", refresh: "refresh-token-\($0)") }
    for number in 1...2 {
      try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(9 + number))
      home.runJobs()
    }
    try screen(["access-token-1", "access-token-2"])
    #expect(home.sink.results[1]?["holding"] == [0, 1])
    try parts.broker.resolve("work").ownSlot.session.forgetToken()
    try screen(["access-token-1", "access-token-2"])
    #expect(home.sink.results[1]?["holding"] == [])
  }

  // Fair shares: the server chooses how long its tokens are.
  @Test func `finds earlier tokens up to a length in all`() throws {
    let tokens = (1...3).map { "\($0)" + String(repeating: "x", count: 9000) }
    home.http.answers = tokens.map { .tokens($0, refresh: "rt-2") }
    for number in 1...3 {
      try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(9 + number))
      home.runJobs()
    }
    try screen(tokens)
    #expect(home.sink.results[1]?["holding"] == [1, 2])
  }

  @Test func `needs a descriptor, and one that can be read`() throws {
    #expect(throws: Failure.self) { try parts.broker.screenEnvironment(.number(1), passed: []) }
    let directory = SharedDescriptor(try FileDescriptor(opening: "/", for: .reading))
    try parts.broker.screenEnvironment(.number(2), passed: [directory])
    home.runJobs()
    #expect(home.sink.failures[2] != nil && home.sink.results.isEmpty)
  }

  @Test func `takes no more than a request may have`() throws {
    try screen([String(repeating: "x", count: EnvironmentScreening.maximumBytes - 1)])
    #expect(home.sink.results[1]?["holding"] == [])
    try screen([String(repeating: "x", count: EnvironmentScreening.maximumBytes)])
    #expect(home.sink.failures[1] != nil)
  }
}
