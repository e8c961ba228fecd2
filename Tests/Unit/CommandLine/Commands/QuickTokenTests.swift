import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `The quick way to a token` {
  @Test(arguments: [
    #"{"v":1,"result":{"account":"w","issuer":"https://i","access_token":"abc.DEF-_~+/=","token_type":"Bearer","expires_at":5}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","expires_at":5,"access_token":"after-a-number","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","subject":"J\u00f6rg","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","subject":"Jörg","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","subject":"\"access_token\":\"wrong\"","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"access_token","issuer":"https://i","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","access_token":"with\u0041escape","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","access_token":"with space","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","access_token":"","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","access_token":5,"token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"w","issuer":"https://i","token_type":"Bearer"}}"#,
    #"{"v":2,"result":{"account":"w","issuer":"https://i","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"error":{"code":"session_expired","message":"m","hint":"h"}}"#,
    "not JSON at all",
    "",
  ])
  func `ends like the general way, whatever the daemon answers`(line: String) throws {
    let program = try AgentProgram()
    // The fast path may fall back to the general one, which asks again.
    try FakeDaemon(at: program.runtime).serve([[UInt8]](repeating: Array((line + "\n").utf8), count: 3))
    let quick = try program.run(["token"])
    let general = try program.run(["token", "--quiet"])
    #expect(quick == general)
    #expect((quick.status == .exited(0)) == !quick.output.isEmpty)
  }

  @Test func `prints a token that is too long for its memory all the same`() throws {
    let program = try AgentProgram()
    let token = String(repeating: "0123456789", count: 2000)
    try FakeDaemon(at: program.runtime).serve([[UInt8]](repeating: FakeDaemon.tokenAnswer(token), count: 2))
    #expect(try program.run(["token"]).outputText == token + "\n")
  }

  @Test func `names the account that stands on the command line`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["token", "my-work_2.x"])
    let conversation = try daemon.accept()
    #expect(try conversation.receive().0.request == .token(.init(account: "my-work_2.x")))
    try conversation.send(FakeDaemon.tokenAnswer("t"))
    #expect(try running.wait() == .exited(0))
  }
}
