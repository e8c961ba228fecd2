internal import Encoding
internal import Platform
internal import Wire

enum ListCommand {
  static let list = Command(
    .list,
    summary: "List the accounts",
    answer: StateRequest.list.manualEntry.result,
    options: [Option.utc.declaration],
    examples: [
      Example(
        "Print the name of the active account",
        "agent list --json | jq -r '.accounts[] | select(.active).name'"),
      Example("List the accounts and their states", "agent list"),
      Example("Print the names of all accounts", "agent list --json | jq -r '.accounts[].name'"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) -> Action {
    let presentation = Presentation.current.inUTC(invocation[.utc])
    let client = DaemonClient(invocation)
    return client.action(.state(.list)) { result in
      let text = text(result, presentation)
      if text.isEmpty, Terminal.isTerminal(1) { client.console.note(StatusCommand.noAccounts) }
      return text
    }
  }

  static func text(_ result: JSONObject, _ presentation: Presentation) -> String {
    AccountText.table(result["accounts"]?.array ?? [], of: .list, presentation)
      + AccountText.pendingSignIns(result, presentation)
  }
}

enum WhoamiCommand {
  static let whoami = Command(
    .whoami,
    summary: "Show who is signed in",
    answer: StateRequest.whoami(account: nil).manualEntry.result,
    operands: .account,
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    try DaemonClient(invocation).action(.state(.whoami(account: invocation.account())), showing: text)
  }

  private static let shownClaims = ["name", "preferred_username", "email"]

  static func text(_ result: JSONObject) -> String {
    var listing = Listing()
    for member in ["account", "issuer", "subject"] { listing.add(member, result[member]?.string) }
    if result["source"]?.string == "userinfo" { listing.add("source", "userinfo (not verified)") }
    for claim in shownClaims { listing.add(claim, result["claims"]?[claim]?.string) }
    return listing.text()
  }
}
