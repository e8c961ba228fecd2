internal import Encoding
internal import Platform
internal import Wire

/// `agent` without arguments: prints the accounts' state, or the first steps if there are none.
enum OverviewCommand {
  static let overview = Command(
    .overview,
    summary: "Show the accounts, or how to begin",
    makeAction: makeAction)

  /// Further accounts are only counted.
  private static let maximumAccounts = 10

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let account = try invocation.namedAccount()
    let client = DaemonClient(invocation)
    let presentation = Presentation.current
    if account == nil, !invocation[.json], isFirstUse {
      return .doing { () throws(Failure) in try Console.answer(ProgramName.current.renaming(firstSteps)) }
    }
    return client.action(.state(.status(account: account, check: false))) {
      ProgramName.current.renaming(hint: text($0, presentation))
    }
  }

  /// Whether the settings file is missing; false if `AGENT_SOCKET` is set.
  private static var isFirstUse: Bool {
    guard Environment.value("AGENT_SOCKET") == nil, let home = try? UserDirectories.configHome else { return false }
    do {
      try FileDescriptor(opening: "\(home)/agent/config.json", for: .reading).close()
      return false
    } catch {
      return error.isNotFound
    }
  }

  static func text(_ result: JSONObject, _ presentation: Presentation) -> String {
    let accounts = result["accounts"]?.array ?? []
    if accounts.isEmpty { return firstSteps }
    let more = accounts.count - maximumAccounts
    return AccountText.table(Array(accounts.prefix(maximumAccounts)), of: .status, presentation)
      + (more > 0 ? Phrase("and \(more) more: \("agent list")").localized() + "\n" : "")
  }

  private static var firstSteps: String {
    let lines: [Phrase] = [
      Phrase("to sign in, to one of many services or your own: \("agent login")"),
      Phrase("then, to get a token: \("agent token")"), Phrase("for help: \("agent help")"),
    ]
    return lines.map { $0.localized() + "\n" }.joined()
  }
}
