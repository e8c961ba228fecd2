internal import Encoding
internal import Wire

extension SetupCommand {
  /// Finds origin and account for the client. If `mayPermit`, offers to add the origin to an account.
  func context(_ client: SetupClient, mayPermit: Bool = true) throws(Failure) -> SetupContext {
    let name = ProgramName.current.text
    let program = try SetupContext.ownPath(name)
    let all = try ListedOrigin.all(of: nil, daemon).filter { client.supports($0.entry) }
    let own = account.map { account in all.filter { $0.account.hasSameBytes(as: account) } } ?? all
    var origin: OriginEntry?
    if let host {
      origin = try Self.parseHost(host, client, among: own)
    } else if !client.hasSingleSetting {
      origin = try onlyOrigin(of: own, client)
    }
    guard let origin else {
      guard let first = own.first else {
        throw Failure(
          .originNotListed, "no account lists a host for \(client.name)", hint: "name it with \("--host")")
      }
      return context(client, program, name, origin: nil, first)
    }
    let fits = { (origins: [ListedOrigin]) in
      let fitting = origins.filter {
        $0.entry.origin.hasSameBytes(as: origin.origin) && $0.entry.covers(origin.path)
      }
      let longest = fitting.map(\.entry.path.utf8.count).max()
      return fitting.filter { $0.entry.path.utf8.count == longest }
    }
    guard let first = fits(own).first else {
      let account = try permit(origin.origin + origin.path, client, mayAsk: mayPermit)
      if mode == .apply { return try context(client, mayPermit: false) }
      return context(client, program, name, origin: origin, ListedOrigin(account: account, entry: origin))
    }
    let others = fits(client.choices.contains(.account) && account != nil ? own : all).filter {
      $0.account != first.account
    }
    if let other = others.first {
      let accounts = Phrase.all([first.account, other.account])
      throw client.choices.contains(.account)
        ? Failure(
          .invalidRequest, Phrase("\(accounts) may send their tokens to \(origin.text)"),
          hint: Phrase("choose one: \(Phrase.choices([first.account, other.account], of: "account"))"))
        : Failure(
          .invalidConfiguration,
          Phrase(
            "\(accounts) may send their tokens to \(origin.text), but \(client.name) cannot choose between them"))
    }
    return context(client, program, name, origin: origin, first)
  }

  /// `program` and `name` are this program's; `origin` is nil if the client has a single setting.
  private func context(
    _ client: SetupClient, _ program: String, _ name: String, origin: OriginEntry?, _ listed: ListedOrigin
  ) -> SetupContext {
    SetupContext(
      program: program, name: name, origin: origin, account: listed.account, listed: listed.entry,
      namesAccount: client.choices.contains(.account) && account != nil, entryName: entryName, user: user, role: role,
      serverURL: client == .mcp ? host.flatMap { OriginEntry.uri($0)?.text } : nil)
  }

  /// Parses a host or URL, ignoring the query of an MCP server. A mail server may lack a scheme, which `listed` origins
  /// then determine.
  static func parseHost(
    _ host: String, _ client: SetupClient, among listed: [ListedOrigin] = []
  ) throws(Failure) -> OriginEntry {
    let hasScheme = host.utf8.contains(UInt8(ascii: "/"))
    let isSchemeless = client.isMail && !hasScheme
    let schemes = isSchemeless ? ["imaps://", "submission://", "submissions://"] : [""]
    let text = client == .mcp ? String(decoding: host.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self) : host
    let origins = schemes.compactMap { OriginEntry($0 + text, allowHTTPLoopback: true) }
      .filter { !isSchemeless || client.supports($0) }
    let origin = origins.first { origin in listed.contains { origin.hasSameLocation(as: $0.entry) } } ?? origins.first
    guard let origin, origin.isBare,
      host.utf8.allSatisfy({ $0.isVisibleASCII && !"\"'\\`$#;".utf8.contains($0) }),
      client != .mcp || OriginEntry.uri(host) != nil
    else { throw Failure(.invalidRequest, "\(TokenShape.redacted(host)) is neither a host nor an https URL") }
    return origin
  }

  /// Nil if there are none. Throws if there are several.
  private func onlyOrigin(of origins: [ListedOrigin], _ client: SetupClient) throws(Failure) -> OriginEntry? {
    var texts: [String] = []
    for origin in origins {
      let text = origin.entry.origin + origin.entry.path
      if !texts.contains(where: { $0.hasSameBytes(as: text) }) { texts.append(text) }
    }
    guard texts.count < 2 else {
      throw Failure(
        .invalidRequest, Phrase("no host given: \(Phrase.choices(texts))"), hint: hint(client, ["--host", texts[0]]))
    }
    return try texts.first.map { (text) throws(Failure) in try Self.parseHost(text, client) }
  }

  /// Adds a URL to an account's origins if the user agrees (`--yes` is not enough), and returns the account. With
  /// `--print` or `--dry-run`, only prints the command. Otherwise throws `place_not_listed`; the hint adds the URL or
  /// signs in.
  private func permit(_ url: String, _ client: SetupClient, mayAsk: Bool) throws(Failure) -> String {
    let shown = ShellWord.quoted(url)
    let own = AccountRequest.show(account: Invocation.accountOfEnvironment)
    let isSignInBetter = client == .mcp && (try? URI(url))?.isHTTPS ?? false
    guard let name = account ?? (isSignInBetter ? nil : try? daemon.ask(.account(own)))?["account"]?.string else {
      throw Failure(
        .originNotListed, "no account may send its token to \(url)",
        hint: isSignInBetter ? "agent login \(shown)" : "agent help account set")
    }
    let denied = Phrase("\(name) may not send its token to \(url)")
    let command = "agent account set \(name) --host \(shown)"
    if mode == .print || mode == .dryRun {
      if !console.usesJSON { console.note(Phrase("\(denied); to permit it: \(command)")) }
      return name
    }
    let question = Phrase("\(name) may not send its token to \(url). Permit it?")
    guard mayAsk, mode == .apply, console.mayAsk, !console.usesJSON, try Confirmation.ask(question) ?? false else {
      throw Failure(
        .originNotListed, denied, hint: .command("\(command) && agent setup \(client.name) --host \(shown)"))
    }
    var settings = AccountSettings()
    settings.origins = [url]
    _ = try daemon.ask(.account(.set(account: name, settings, unset: [])))
    return name
  }
}
