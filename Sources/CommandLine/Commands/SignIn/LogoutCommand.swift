internal import Encoding
internal import Wire

enum LogoutCommand {
  static let logout = Command(
    .logout, topic: .sessions,
    summary: "Sign out, and revoke the tokens at the server",
    answer: LogoutRequest().manualEntry.result,
    options: [
      Option.all.declaration, Option.local.declaration,
      Option.browser.withSummary("Then open the page that ends the browser's session at the server", in: .signOut),
      Option.noOpen.withSummary("With `--browser`: show the address, but open no browser", in: .signOut),
    ],
    operands: .account,
    examples: [
      Example(
        "Sign out of the active account",
        "agent logout"),
      Example(
        "Sign out of every account before giving the machine away",
        "agent logout --all"),
      Example("Sign out here if the server is no longer reachable", "agent logout work --local"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    var request = LogoutRequest(
      allAccounts: invocation[.all], skipsRevocation: invocation[.local], returnsBrowserURL: invocation[.browser])
    guard !request.skipsRevocation || !request.returnsBrowserURL else {
      throw Failure(.invalidRequest, "--local cannot be used with --browser")
    }
    if request.allAccounts {
      guard try invocation.namedAccount() == nil else {
        throw Failure(.invalidRequest, "give an account or --all, not both")
      }
    } else {
      request.account = try invocation.account()
    }
    let client = DaemonClient(invocation)
    let pages = request.returnsBrowserURL ? LogoutPages(invocation) : nil
    return .doing { [request] () throws(Failure) in
      let result = try answer(client, request)
      if client.console.usesJSON {
        try Console.answer(result)
      } else {
        for line in lines(result, local: request.skipsRevocation) { client.console.note(line) }
      }
      let accounts = result["accounts"]?.array ?? []
      try pages?.open(accounts)
      let failures = accounts.compactMap { $0["error"].flatMap(Failure.init(json:)) }
      for failure in failures.dropFirst() { client.console.report(failure) }
      if let failure = failures.first { throw failure }
    }
  }

  /// Sends the request. If the account is locked, adds a local sign-out to the hint.
  private static func answer(_ client: DaemonClient, _ request: LogoutRequest) throws(Failure) -> JSONObject {
    do throws(Failure) { return try client.ask(.logout(request)) } catch {
      guard error.code == .locked, let advice = error.advice, !request.allAccounts else { throw error }
      let name = request.account.map { " \($0)" } ?? ""
      throw Failure(
        error.code, error.text,
        hint: Phrase("\(advice); to end the session only here: \("agent logout\(name) --local")"))
    }
  }

  static func lines(_ result: JSONObject, local: Bool) -> [Phrase] {
    let accounts = result["accounts"]?.array ?? []
    if accounts.isEmpty { return [Phrase("no account was signed in")] }
    return accounts.filter { $0["error"] == nil }.map { account in
      let name = account["account"]?.string ?? "?"
      if account["was_signed_in"]?.bool == false { return Phrase("\(name) was not signed in") }
      if account["revoked"]?.bool == true { return Phrase("signed out of \(name), tokens revoked") }
      if let detail = Phrase(account, "detail") {
        return Phrase("signed out of \(name); tokens not revoked: \(detail)")
      }
      return local
        ? Phrase("signed out of \(name) here only; the server was not contacted")
        : Phrase("signed out of \(name); tokens not revoked")
    }
  }
}
