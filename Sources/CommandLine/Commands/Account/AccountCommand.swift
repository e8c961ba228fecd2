internal import Encoding
internal import Platform
internal import Wire

enum AccountCommand {
  static let accountAdd = Command(
    .accountAdd, topic: .upkeep,
    summary: "Set up an account without signing in",
    answer: AccountRequest.add(account: "", AccountSettings()).manualEntry.result,
    options: Options.accountSettings,
    shortHelp: ["issuer", "client-id", "provider", "scope", "audience", "redirect-uri", "host", "ca-file", "refresh"],
    operands: .newAccount,
    examples: [
      Example(
        "Set up an account to sign in to later",
        "agent account add work --issuer https://id.example.com --client-id my-cli")
    ],
    makeAction: add)

  static let accountShow = Command(
    .accountShow, topic: .upkeep,
    summary: "Show the settings of an account",
    answer: AccountRequest.show(account: nil).manualEntry.result,
    operands: .account,
    makeAction: show)

  static let accountSet = Command(
    .accountSet, topic: .upkeep,
    summary: "Change the settings of an account",
    answer: AccountRequest.set(account: "", AccountSettings(), unset: []).manualEntry.result,
    options: Options.accountSettings + [Option.unsetSettings.declaration],
    shortHelp: ["scope", "audience", "host", "refresh", "protect", "unset"],
    operands: .namedAccount,
    examples: [
      Example(
        "Permit an API for the token of an account",
        "agent account set work --host api.example.com"),
      Example("Request fewer scopes at the next sign-in", "agent account set work --scope openid"),
      Example("Reset a setting", "agent account set work --unset scope"),
    ],
    makeAction: set)

  static let accountRename = Command(
    .accountRename, topic: .upkeep,
    summary: "Give an account another name",
    answer: AccountRequest.rename(account: "", to: "").manualEntry.result,
    operands: .rename,
    makeAction: rename)

  static let accountRemove = Command(
    .accountRemove, topic: .upkeep,
    summary: "Sign out of an account and forget its settings",
    answer: AccountRequest.remove(account: "", local: false).manualEntry.result,
    options: [Option.local.declaration],
    operands: .namedAccount,
    examples: [
      Example(
        "Forget an account",
        "agent account remove work")
    ],
    makeAction: remove)

  static let accountImport = Command(
    .accountImport, topic: .upkeep,
    summary: "Set up an account with a refresh token from elsewhere",
    answer: AccountRequest.import(account: "", AccountSettings(), passedSecrets: []).manualEntry.result,
    options: Options.accountSettings + Options.clientSecrets + [
      Option.refreshTokenFile.declaration, Option.refreshTokenFD.declaration,
    ],
    shortHelp: [
      "refresh-token-file", "refresh-token-fd", "issuer", "client-id", "scope", "client-secret-file",
      "client-secret-prompt",
    ],
    operands: .newAccount,
    examples: [
      Example(
        "Import a refresh token from a file",
        "agent account import work --issuer https://id.example.com --client-id my-cli --refresh-token-file token")
    ],
    makeAction: `import`)

  static let accountClientMetadata = Command(
    .accountClientMetadata, topic: .upkeep,
    summary: "Write the metadata that a client publishes",
    answer: AccountRequest.clientMetadata(account: nil, AccountSettings(), passedSecrets: []).manualEntry.result,
    options: Options.clientMetadata.map(\.declaration) + [Option.clientKeyFile.declaration],
    shortHelp: ["client-id", "redirect-uri", "scope", "client-key-file", "dpop"],
    operands: .account,
    examples: [
      Example(
        "Write the document for a web server",
        "agent account client-metadata --client-id https://example.com/agent.json > agent.json")
    ],
    makeAction: clientMetadata)

  static let use = Command(
    .use, topic: .sessions,
    summary: "Show or change the active account",
    answer: StateRequest.useDirectory(account: "", directory: "").manualEntry.result,
    options: [Option.here.declaration, Option.directory.declaration, Option.clear.declaration],
    operands: .account,
    examples: [
      Example("Change the active account", "agent use work"),
      Example("Use another account in one directory", "agent use work --here"),
      Example("Reset it to the active account", "agent use --clear"),
    ],
    makeAction: use)

  static func add(_ invocation: Invocation) throws(Failure) -> Action {
    let account = try invocation.requiredAccount()
    let settings = try SettingsOptions.read(invocation)
    return try change(.add(account: account, settings), settings, invocation) { _ in
      Phrase("added \(account); to sign in: agent login \(account)")
    }
  }

  static func show(_ invocation: Invocation) throws(Failure) -> Action {
    try DaemonClient(invocation).action(.account(.show(account: invocation.account())), showing: text)
  }

  static func set(_ invocation: Invocation) throws(Failure) -> Action {
    let account = try invocation.requiredAccount()
    let settings = try SettingsOptions.read(invocation)
    let unset = invocation[.unsetSettings]
    guard settings != AccountSettings() || !unset.isEmpty else {
      throw Failure(.invalidRequest, "no setting given", hint: "agent help account set")
    }
    return try change(.set(account: account, settings, unset: unset), settings, invocation) {
      changeConfirmation(account, $0, named: AccountSetting.all.filter { $0.value(in: settings) != nil })
    }
  }

  static func rename(_ invocation: Invocation) throws(Failure) -> Action {
    let account = try invocation.requiredAccount()
    let newName = invocation.operands[1]
    return try change(.rename(account: account, to: newName), nil, invocation) { _ in
      Phrase("renamed \(account) to \(newName)")
    }
  }

  static func remove(_ invocation: Invocation) throws(Failure) -> Action {
    let account = try invocation.requiredAccount()
    return try change(.remove(account: account, local: invocation[.local]), nil, invocation) {
      removalConfirmation(account, $0)
    }
  }

  /// Shows, changes or resets the active account or a directory's account.
  static func use(_ invocation: Invocation) throws(Failure) -> Action {
    let named = try invocation.namedAccount()
    let client = DaemonClient(invocation)
    let console = client.console
    let mayAsk =
      console.mayAsk && !console.usesJSON && !console.isQuiet && Terminal.isTerminal(1) && Terminal.isTerminal(2)
    let (isHere, directory, clears) = (invocation[.here], invocation[.directory], invocation[.clear])
    if directory != nil, isHere { throw invocation.conflict(Option.here.declaration, Option.directory.declaration) }
    if clears, named != nil { throw Failure(.invalidRequest, "use only one of --clear and an account") }
    if isHere || directory != nil || clears {
      return .doing { () throws(Failure) in
        let path = try resolved(directory ?? ".", mayBeGone: clears && directory != nil)
        var chosen = named
        if named == nil, !clears, mayAsk { chosen = try askForAccount(client) }
        if chosen == nil, !clears { throw Failure(.invalidRequest, "no account given") }
        let result = try client.ask(.state(.useDirectory(account: chosen, directory: path)))
        try console.confirm(result) { result in
          let directory = result["directory"]?.string ?? path
          guard let account = result["account"]?.string else {
            return Phrase("\(directory) no longer has an account of its own")
          }
          return Phrase("commands in \(directory) and below now use \(account)")
        }
      }
    }
    return .doing { () throws(Failure) in
      let account: String
      if let chosen = named == nil && mayAsk ? try askForAccount(client) : named {
        let result = try client.ask(.state(.use(account: chosen)))
        account = result["account"]?.string ?? chosen
        try console.confirm(result) { _ in Phrase("\(account) is now the active account") }
      } else {
        account = try active(client)
        try console.answer(JSONObject([("account", .string(account))])) { _ in "\(TerminalText.clean(account))\n" }
      }
      noteOverride(of: account, client)
    }
  }

  /// The active account's name, ignoring the working directory's account.
  private static func active(_ client: DaemonClient) throws(Failure) -> String {
    let here = try client.ask(.account(.show(account: nil)))
    guard here["directory"] != nil else { return here["account"]?.string ?? "?" }
    let accounts = try client.ask(.state(.list))["accounts"]?.array ?? []
    return accounts.first { $0[.active]?.bool == true }?[.name]?.string ?? "?"
  }

  /// A directory's absolute path without symbolic links.
  private static func resolved(_ path: String, mayBeGone: Bool) throws(Failure) -> String {
    do {
      return try Machine.resolvedDirectory(path)
    } catch {
      if mayBeGone, error.isNotFound { return try SettingsOptions.absolute(path) }
      throw Failure(.invalidRequest, Phrase("cannot use the directory \(path): \(Phrase(known: error.message))"))
    }
  }

  /// Returns nil for an empty answer or fewer than two accounts.
  private static func askForAccount(_ client: DaemonClient) throws(Failure) -> String? {
    let accounts = try (client.ask(.state(.list))["accounts"]?.array ?? []).filter { $0[.inConfig]?.bool != false }
    guard accounts.count > 1 else { return nil }
    var listing = Listing()
    for (index, account) in accounts.enumerated() {
      listing.add([
        account[.active]?.bool == true ? "*" : "", String(index + 1), account[.name]?.string ?? "?",
        account[.person]?.string ?? "", AccountText.directories(account) ?? "",
      ])
    }
    Console.printToStandardError(listing.text(columns: OutputTerminal.current?.columns()))
    let question = Phrase("Number or name of the account to use")
    let names = accounts.map { $0[.name]?.string ?? "?" }
    while let answer = try Confirmation.askForLine(question, orElse: ""), !answer.isEmpty {
      if names.contains(where: { $0.hasSameBytes(as: answer) }) { return answer }
      if let number = Int(answer), names.indices.contains(number - 1) { return names[number - 1] }
      let hint = Phrase.didYouMean(answer, among: names) ?? Phrase("choose a number from 1 to \(names.count)")
      Console.printToStandardError(hint.localized() + "\n")
    }
    return nil
  }

  private static func noteOverride(of account: String, _ client: DaemonClient) {
    guard !client.console.usesJSON else { return }
    if let other = Invocation.accountOfEnvironment {
      guard !other.hasSameBytes(as: account) else { return }
      client.console.note("AGENT_ACCOUNT=\(other) in this shell overrides the active account until you unset it")
    } else if let note = directoryNote(client) {
      client.console.note(note)
    }
  }

  /// Names the working directory's own account, if any.
  static func directoryNote(_ client: DaemonClient) -> Phrase? {
    guard let here = try? client.ask(.account(.show(account: nil))), let directory = here["directory"]?.string,
      let account = here["account"]?.string
    else { return nil }
    return Phrase("commands in \(directory) and below use \(account)")
  }

  static func `import`(_ invocation: Invocation) throws(Failure) -> Action {
    let account = try invocation.requiredAccount()
    var settings = try SettingsOptions.read(invocation)
    if !invocation.has(AccountSetting.table.proxy.declaration) {
      (settings.proxy, settings.proxyExclusions) = LoginOptions.proxy(from: Environment.value)
    }
    let files = try SecretFiles(PassedSecret.credentials, invocation)
    let token = try NamedSecret(Phrase("refresh token"), .refreshTokenFile, or: .refreshTokenFD, invocation)
    let request = AccountRequest.import(account: account, settings, passedSecrets: files.announcedKinds)
    return try change(
      request, settings, invocation,
      bringing: { () throws(Failure) in
        let descriptors = try files.open()
        guard let token = try token.open() else {
          throw Failure(.invalidRequest, "no refresh token given", hint: "use \("--refresh-token-file")")
        }
        return [SharedDescriptor(token)] + descriptors
      }, noting: { LoginText.success($0, now: SystemTime().wallSeconds()) })
  }

  static func clientMetadata(_ invocation: Invocation) throws(Failure) -> Action {
    let settings = try SettingsOptions.read(invocation, among: Options.clientMetadata)
    let named = try settings.clientID == nil ? invocation.account() : invocation.namedAccount()
    let files = try SecretFiles([.clientKey], invocation)
    let request = AccountRequest.clientMetadata(account: named, settings, passedSecrets: files.announcedKinds)
    let client = DaemonClient(invocation)
    return .doing { () throws(Failure) in
      try client.console.answer(try client.ask(.account(request), passing: try files.open())) {
        JSON.object($0).indented + "\n"
      }
    }
  }

  /// Prepares the protection level in `settings`, sends the request with the descriptors from `secrets`, and prints the
  /// confirmation from `note`.
  private static func change(
    _ request: AccountRequest, _ settings: AccountSettings?, _ invocation: Invocation,
    bringing secrets: @escaping () throws(Failure) -> [SharedDescriptor] = { [] },
    noting note: @escaping (JSONObject) -> Phrase
  ) throws(Failure) -> Action {
    let client = DaemonClient(invocation)
    let level = settings?.protection
    let unlocker = level == nil ? nil : try VaultUnlocker(invocation, client)
    return Action { () throws(Failure) in
      let descriptors = try secrets()
      let result = try client.converse { (connection) throws(Failure) in
        if let level { try unlocker?.prepare(level, over: &connection) }
        return try client.ask(.account(request), passing: descriptors, over: &connection)
      }
      try client.console.confirm(result, note)
      return 0
    }
  }

  static func text(_ result: JSONObject) -> String {
    var listing = Listing()
    let mark = result["active"]?.bool == true ? " (active account)" : ""
    listing.add(["account", (result["account"]?.string ?? "?") + mark])
    if let level = result["protection"]?.string { listing.add(["protection", level]) }
    let settings = result["settings"]?.object ?? JSONObject()
    for name in settings.names {
      let title = AccountSetting.named(name)?.optionName ?? String(name.map { $0 == "_" ? "-" : $0 })
      listing.add([title, value(settings[name])])
    }
    return listing.text()
  }

  /// Formats a setting for users.
  static func value(_ value: JSON?) -> String {
    if let texts = value?.array { return texts.compactMap(\.string).joined(separator: " ") }
    return value?.string ?? (value?.bool == true ? "yes" : "?")
  }

  /// `named` are the settings on the command line.
  static func changeConfirmation(_ account: String, _ result: JSONObject, named: [AccountSetting] = []) -> Phrase {
    guard result["signed_out"]?.bool == true else {
      let isKept = result["kept"]?.bool == true
      let waiting = named.filter { $0.appliesAtSignIn && !(isKept && $0 === AccountSetting.table.keepsAccessToken) }.map
      {
        "--\($0.optionName)"
      }.joined(separator: ", ")
      if waiting.isEmpty { return Phrase("changed \(account)") }
      return Phrase("changed \(account); \(waiting) takes effect at the next sign-in: agent login \(account)")
    }
    let setting = result["setting"]?.string.map { Phrase(verbatim: $0) } ?? Phrase("a setting")
    return Phrase(
      "changed \(account); signed out because \(setting) differs from the last sign-in; sign in again: agent login \(account)"
    )
  }

  static func removalConfirmation(_ account: String, _ result: JSONObject) -> Phrase {
    var line = Phrase("removed \(account)")
    if result["revoked"]?.bool == true {
      line = Phrase("\(line), tokens revoked")
    } else if let detail = Phrase(.object(result), "detail") {
      line = Phrase("\(line); tokens not revoked: \(detail)")
    }
    if result["client_deleted"]?.bool == true {
      line = Phrase("\(line); its client was deleted at the server")
    } else if let detail = Phrase(.object(result), "client_detail") {
      line = Phrase("\(line); its client is still registered: \(detail)")
    }
    if let active = result["active_account"]?.string {
      line = Phrase("\(line); \(active) is now the active account")
    }
    return line
  }
}
