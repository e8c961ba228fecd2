import AgentClient

// Declares what the examples of the documentation use. `make check-docs` compiles both.

let agent = Agent()
let url = "https://api.example.org/items"

struct Answer: Sendable {
  let status: Int
}

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
