internal import Encoding
internal import Platform
internal import Wire

/// `agent list`.
enum ListCommand {
  static func run(_ invocation: Invocation) -> Action {
    .ask(.list, DaemonClient(invocation)) { text($0, now: SystemTime().wallSeconds()) }
  }

  /// A line for each account; nothing when there is none.
  ///
  /// - Parameter now: Unix seconds.
  static func text(_ result: JSONObject, now: Int) -> String {
    var listing = Listing()
    for account in result["accounts"]?.array ?? [] {
      listing.add([
        account["active"]?.bool == true ? "*" : "", account["name"]?.string ?? "", account["state"]?.string ?? "",
        account["issuer"]?.string ?? "",
        account["in_config"]?.bool == false ? Phrase("not in config.json").localized() : reminder(account, now: now),
      ])
    }
    return listing.text
  }

  private static func reminder(_ account: JSON, now: Int) -> String {
    account[WireProtocol.signInMember]?.int.flatMap { SignInReminder.phrase(by: $0, now: now) }?.localized() ?? ""
  }
}

/// `agent whoami`.
enum WhoamiCommand {
  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    .ask(.whoami(account: try invocation.account()), DaemonClient(invocation), showing: text)
  }

  /// Claims that say who, not how the token was made.
  private static let shownClaims = ["name", "preferred_username", "email"]

  static func text(_ result: JSONObject) -> String {
    var listing = Listing()
    for member in ["account", "issuer", "subject"] { listing.add(member, result[member]?.string) }
    if result["source"]?.string == "userinfo" { listing.add("source", "userinfo (not verified)") }
    for claim in shownClaims { listing.add(claim, result["claims"]?[claim]?.string) }
    return listing.text
  }
}
