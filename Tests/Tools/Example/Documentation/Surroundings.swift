import AgentClient

// What the examples of the documentation use without declaring it. `make check-docs` compiles them together with this file.

let agent = Agent()
let url = "https://api.example.org/items"

/// A response of the program's own HTTP client.
struct Answer: Sendable {
  let status: Int
}

/// Any error of the program's own HTTP client.
struct Unreachable: Error {}

func fetch(_ url: String, authorization: String) async throws -> Answer {
  guard url.hasPrefix("https:") else { throw Unreachable() }
  return Answer(status: authorization.isEmpty ? 401 : 200)
}

func synchronize() async throws(AgentError) { _ = try await agent.accounts() }
func write(_ part: [UInt8]) { print(part.count) }
func askToSignIn(_ hint: String?) { print(hint ?? "") }
func retryLater() {}
func report(_ message: String) { print(message) }
func forgetThePerson() {}
