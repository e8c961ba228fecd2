internal import Encoding
internal import Platform
internal import Wire

/// `agent __complete -- WORDS`, called by shells for completion. Prints nothing on failure.
enum CompleteCommand {
  static let complete = Command(
    .complete,
    summary: "Print candidates for a shell's completion", operands: .completedWords,
    makeAction: makeAction)

  private static func makeAction(_ invocation: Invocation) -> Action {
    let isPrivate = invocation[.noDaemon]
    return .doing { () throws(Failure) in
      guard !isPrivate else { return }
      let lines = CommandLineCompletion.lines(for: invocation.operands, by: invocation.commands)
      try? Console.answer(lines.map { $0 + "\n" }.joined())
    }
  }
}

/// The names to complete, from a running daemon within a second, or else the settings file. Omits those that a shell
/// would split.
enum CompletionNames {
  private static let timeout = Duration.seconds(1)

  static var accounts: [String] { ((try? listedAccounts()) ?? []).filter(WireProtocol.isAccountName) }

  static var accountsAndServices: [String] {
    let accounts = accounts
    let services = AdministratorFiles.read().presets.map(\.name) + Provider.names
    return accounts + services.filter { !accounts.contains($0) }
  }

  private static func listedAccounts() throws(Failure) -> [String] {
    guard var connection = try DaemonLauncher.connect() else { return storedAccounts }
    let deadline = Instant.now.advanced(by: timeout)
    try connection.send(RequestEnvelope(.state(.list), timeoutSeconds: 1))
    guard case .result(let result) = try connection.nextReply(before: deadline) else { return [] }
    return (result["accounts"]?.array ?? []).compactMap { $0[.name]?.string }
  }

  private static var storedAccounts: [String] {
    guard let home = try? UserDirectories.configHome,
      let file = try? FileDescriptor(opening: "\(home)/agent/config.json", for: .reading),
      let bytes = try? file.readToEnd(limit: maximumSettingsBytes, within: timeout)
    else { return [] }
    let limits = JSONLimits(bytes: maximumSettingsBytes, members: maximumAccounts)
    return (try? JSON(parsing: bytes, limits: limits))?["accounts"]?.object?.names ?? []
  }

  private static let maximumSettingsBytes = 4 << 20, maximumAccounts = 1000
}
