internal import Encoding
internal import Platform
internal import Wire

enum StatusCommand {
  static let status = Command(
    .status, topic: .sessions,
    summary: "Show accounts and their sessions",
    answer: StateRequest.status(account: nil).manualEntry.result,
    options: [Option.check.declaration, Option.utc.declaration],
    operands: .account,
    examples: [
      Example("Show every account", "agent status"),
      Example("Ask the server of one whether its session is still valid", "agent status work --check"),
      Example(
        "List the accounts that need a new sign-in",
        #"agent status --json | jq -r '.accounts[] | select(.state == "expired").name'"#),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let named = try invocation.namedAccount()
    let checks = invocation[.check]
    let client = DaemonClient(invocation)
    let presentation = Presentation.current.inUTC(invocation[.utc])
    return Action { () throws(Failure) in
      let result = try client.ask(.state(.status(account: named, check: checks)))
      let follows = (result["accounts"]?.array ?? []).contains { $0[.directories] != nil }
      var note: Phrase?
      if let named, !client.console.usesJSON {
        note = preset(of: (result["accounts"]?.array ?? []).first { $0[.name]?.string == named }?[.preset])
      } else if follows, !client.console.usesJSON, Invocation.accountOfEnvironment == nil {
        note = AccountCommand.directoryNote(client)
      }
      try client.console.answer(result) {
        text($0, isNamed: named != nil, note: note, showsAll: invocation[.verbose], presentation)
      }
      return checks ? worstStatus(of: result["accounts"]?.array ?? [], isNamed: named != nil).rawValue : 0
    }
  }

  /// Names the preset's file and the differing settings; nil without a preset.
  private static func preset(of preset: JSON?) -> Phrase? {
    guard let file = preset?["file"]?.string else { return nil }
    let changed = (preset?["changed"]?.array ?? []).compactMap { $0.string.flatMap(AccountSetting.named)?.optionName }
    return changed.isEmpty
      ? Phrase("the settings are those of \(file)")
      : Phrase("settings that differ from \(file): \(changed.joined(separator: ", "))")
  }

  /// The most urgent exit status. Ignores accounts that are not signed in, unless `isNamed`.
  static func worstStatus(of accounts: [JSON], isNamed: Bool) -> ExitStatus {
    let found = accounts.map { (account) -> ExitStatus in
      switch account[.check]?.string.flatMap(CheckResult.init(rawValue:)) {
      case .signedOutElsewhere: .signInNeeded
      case .notSignedIn: isNamed ? .signInNeeded : .done
      case .failed: account[.checkProblem].flatMap(Failure.init(json:))?.code.exitStatus ?? .tryLater
      case .valid, .notPossible, nil: .done
      }
    }
    let order: [ExitStatus] = [.locked, .signInNeeded, .tryLater, .denied]
    return order.first { found.contains($0) } ?? (found.allSatisfy { $0 == .done } ? .done : .failed)
  }

  static var noAccounts: Phrase { Phrase("no accounts; add one with \("\"agent login\"")") }

  /// A table of the accounts, or the named one's details, then `note`. `showsAll` adds the daemon and vault.
  static func text(
    _ result: JSONObject, isNamed: Bool = false, note: Phrase? = nil, showsAll: Bool = false,
    _ presentation: Presentation
  ) -> String {
    let accounts = result["accounts"]?.array ?? []
    var text =
      isNamed
      ? accounts.map { AccountText.allDetails($0, presentation) }.joined(separator: "\n")
      : AccountText.table(accounts, of: .status, presentation)
    if accounts.isEmpty { text = noAccounts.localized() + "\n" }
    text += AccountText.pendingSignIns(result, presentation)
    if let note { text += note.localized(limit: 400) + "\n" }
    var listing = Listing()
    if showsAll {
      listing.add([Phrase("daemon"), DaemonText.line(result["daemon"])])
      listing.add([Phrase("socket"), Phrase(verbatim: result["daemon"]?["socket"]?.string ?? "")])
      listing.add([Phrase("vault"), VaultText.line(result["vault"])])
    } else {
      for problem in DaemonText.problems(result["daemon"]) + VaultText.problems(result["vault"]) {
        listing.add([Phrase("warning:"), problem])
      }
    }
    let rest = listing.text(columns: presentation.columns)
    if !rest.isEmpty { text += "\n" + rest }
    let ended = accounts.count(where: AccountText.hasEnded)
    guard !isNamed, ended > 0 else { return text }
    let count = Phrase.counted(ended, one: "\(ended) session has ended", other: "\(ended) sessions have ended")
    return text + Phrase("\(count); to sign in again: \("agent login --ended")").localized() + "\n"
  }
}
