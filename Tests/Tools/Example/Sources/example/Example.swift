import AgentClient

/// Uses each part of the library; see ``Command``.
@main struct Example {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard let command = words.first.flatMap({ Command(rawValue: $0) }) else {
      print("usage: example \(Command.allCases.map(\.rawValue).joined(separator: "|")) [ARGUMENT]...")
      return
    }
    let tool = Tool(arguments: Array(words.dropFirst()))
    do {
      try await tool.run(command)
    } catch let error as AgentError {
      print(advice(error))
    } catch {
      print("failed: \(error)")
    }
  }

  /// The advice to the user after an error.
  static func advice(_ error: AgentError) -> String {
    switch error.remedy {
    case .signIn: "please sign in: \(error.hint ?? "agent login")"
    case .unlock: "please unlock: \(error.hint ?? "agent unlock")"
    case .tryLater: "not now: \(error.message)"
    case .fixConfiguration: "please correct: \(error.message)"
    case .fixProgram, .none: "failed: \(error.message)"
    }
  }
}

enum Command: String, CaseIterable {
  case start
  /// `login ACCOUNT [ISSUER CLIENT-ID]`: signs in.
  case login
  case accounts
  /// `use ACCOUNT`: makes the account the active one.
  case use
  /// `user [ACCOUNT]`: shows who is signed in.
  case user
  /// `watch [ACCOUNT]`: shows who is signed in, again for each line of standard input.
  case watch
  /// `renew [ACCOUNT]`: gets a token, renews it, and follows the events.
  case renew
  /// `get URL`, `post URL TEXT`: sends a request through the agent.
  case get, post
  /// `proof METHOD URL`: shows the header fields of a request with a token that is bound to a key.
  case proof
  /// `logout [ACCOUNT]`: signs out, and shows that no data of the user is left.
  case logout
}
