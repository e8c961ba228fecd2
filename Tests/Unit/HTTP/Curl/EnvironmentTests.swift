import Crypto
import HTTP
import Platform
import TestSupport
import Testing

@Suite struct `The environment` {
  private static let child = "AGENT_TEST_PROXY_CHILD"

  /// This run's arguments without filters, which would make the child run more than its test.
  private static var arguments: [String] {
    var kept: [String] = []
    var rest = CommandLine.arguments.dropFirst()
    while let argument = rest.popFirst() {
      if argument == "--filter" || argument == "--skip" { _ = rest.popFirst() } else { kept.append(argument) }
    }
    return kept
  }

  @Test(.enabled(if: Environment.value(child) == nil)) func `names no proxy`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    let proxy = try LoopbackServer { _ = try $0.readRequest() }
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    let variables = names.map { "\($0)=\(proxy.url(""))" }
    let inherited = Environment.all().map { "\($0.0)=\($0.1)" }
    let result = try ProcessRunner.run(
      executable: Machine.executablePath(),
      arguments: Self.arguments + ["--filter", "sends.one.request"],
      environment: inherited + variables + ["\(Self.child)=\(server.url())"])
    let succeeded = result.succeeded
    #expect(succeeded, "\(result.errorText)")
    #expect(server.requests.count == 1)
    #expect(proxy.connections == 0)
  }

  /// Run by the test above in a separate process.
  @Test(.enabled(if: Environment.value(child) != nil)) func `child sends one request`() throws {
    _ = try client().send(get(try #require(Environment.value(Self.child))))
    #expect(throws: (any Error).self) { try client().send(get("https://host.invalid/")) }
  }
}
