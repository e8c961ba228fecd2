import Encoding
import Platform
import TestSupport
import Testing

extension AgentTree {
  /// Importing an account takes one refresh.
  func importAccount(_ account: String = "work", at server: RotatingServer, _ options: String...) throws {
    let result = try agent(
      [
        "account", "import", account, "--issuer", server.url, "--client-id", "cli", "--allow-http-loopback",
        "--refresh-token-file", "-", "--json",
      ] + options, input: server.mint() + "\n")
    try #require(result.succeeded, "\(result.errorText)")
  }

  func status(of account: String = "work") throws -> JSON {
    try #require(try json("status", account)["accounts"]?.array?.first)
  }

  func awaitStatus(of account: String = "work", _ isSo: (JSON) -> Bool) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while true {
      let status = try status(of: account)
      if isSo(status) { return }
      try #require(Instant.now < deadline, "it stays \(status)")
      Threads.sleep(for: .milliseconds(20))
    }
  }
}
