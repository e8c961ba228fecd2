internal import Encoding
internal import Wire

/// `agent logout`.
enum LogoutCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    var request = LogoutRequest(
      all: invocation.has(.all), local: invocation.has(.local), browser: invocation.has(.browser))
    guard !request.local || !request.browser else {
      throw Failure(.invalidRequest, "--local and --browser exclude each other")
    }
    let named = try invocation.namedAccount()
    if request.all {
      guard named == nil else { throw Failure(.invalidRequest, "name an account or give --all, not both") }
    } else {
      request.account = try invocation.account()
    }
    let client = DaemonClient(invocation)
    let result = try client.ask(.logout(request))
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      for line in lines(result, local: request.local) { client.console.note(line) }
    }
    if request.browser { try LogoutPages(invocation).open(result["accounts"]?.array ?? []) }
    return 0
  }

  /// What is told of each account.
  static func lines(_ result: JSONObject, local: Bool) -> [Phrase] {
    let accounts = result["accounts"]?.array ?? []
    if accounts.isEmpty { return [Phrase("no account was signed in")] }
    return accounts.map { account in
      let name = account["account"]?.string ?? "?"
      if account["revoked"]?.bool == true { return Phrase("signed out of \(name), tokens revoked") }
      if let detail = account["detail"]?.string {
        return Phrase("signed out of \(name); tokens not revoked: \(Phrase(known: detail))")
      }
      return local
        ? Phrase("signed out of \(name) here; the server was not told")
        : Phrase("signed out of \(name); tokens not revoked")
    }
  }
}
