internal import Encoding
internal import Wire

/// `agent list`.
enum ListCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    let result = try DaemonClient(invocation).ask(.list)
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      try Console.answer(text(result))
    }
    return 0
  }

  /// A line for each account; nothing when there is none.
  static func text(_ result: JSONObject) -> String {
    var listing = Listing()
    for account in result["accounts"]?.array ?? [] {
      listing.add([
        account["active"]?.bool == true ? "*" : "", account["name"]?.string ?? "", account["state"]?.string ?? "",
        account["issuer"]?.string ?? "",
      ])
    }
    return listing.text
  }
}
