internal import Encoding
internal import Wire

/// `agent whoami`.
enum WhoamiCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    let result = try DaemonClient(invocation).ask(.whoami(account: try invocation.account()))
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      try Console.answer(text(result))
    }
    return 0
  }

  /// Claims that say who, not how the token was made.
  private static let shownClaims = ["name", "preferred_username", "email"]

  static func text(_ result: JSONObject) -> String {
    var listing = Listing()
    func add(_ title: String, _ value: String?) {
      if let value { listing.add([title, value]) }
    }
    add("account", result["account"]?.string)
    add("issuer", result["issuer"]?.string)
    add("subject", result["subject"]?.string)
    for claim in shownClaims { add(claim, result["claims"]?[claim]?.string) }
    return listing.text
  }
}
