import AgentClient

/// A small tool that uses each part of the library: see ``Command``.
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

  /// Each kind of error has its own way on.
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

/// The commands of the tool.
enum Command: String, CaseIterable {
  /// Starts the daemon.
  case start
  /// `login ACCOUNT [ISSUER CLIENT-ID]`: signs in, by whatever flow fits.
  case login
  /// Lists the accounts.
  case accounts
  /// `use ACCOUNT`: makes it the active one.
  case use
  /// `user [ACCOUNT]`: who is signed in.
  case user
  /// `watch [ACCOUNT]`: who is signed in, once more for each line of standard input.
  case watch
  /// `renew [ACCOUNT]`: gets a token, has it renewed, and follows what happens.
  case renew
  /// `get URL`, `post URL TEXT`: a request by way of the agent.
  case get, post
  /// `proof METHOD URL`: the fields of a request with a token that is bound to a key.
  case proof
  /// `logout [ACCOUNT]`: signs out, and shows that nothing of the person is left.
  case logout
}
