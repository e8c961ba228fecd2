internal import Encoding
internal import Platform
internal import Wire

struct LoginCommand {
  static let login = Command(
    .login, topic: .sessions,
    summary: "Sign in to an account",
    options: AccountSetting.withLoginOption.map(\.declaration) + Options.clientSecrets + [
      Option.register.declaration, Option.browser.declaration, Option.device.declaration, Option.paste.declaration,
      Option.noOpen.declaration, Option.noKeep.declaration, Option.ephemeral.declaration,
      Option.ifNeeded.declaration, Option.ended.declaration,
      Option.start.declaration, Option.resume.declaration,
      Option.acr.declaration, Option.maxAge.declaration, Option.claimsChallenge.declaration, Option.prompt.declaration,
      Option.loginHint.declaration,
    ],
    moved: MovedOptions.declarations,
    shortHelp: [
      "issuer", "client-id", "scope", "client-secret-prompt", "register", "browser", "device", "paste",
    ],
    operands: .accountOrService,
    examples: [
      Example("Sign in to a known service", "agent login github"),
      Example("Sign in again, after the session expired", "agent login work"),
      Example(
        "Sign in for the first time, under a name of your choice",
        "agent login work --issuer https://id.example.com --client-id my-cli --scope 'openid offline_access'"),
    ],
    makeAction: makeAction)

  static let workload = Command(
    .workload,
    summary: "Sign in a program, without a user",
    options: Options.accountSettings + Options.clientSecrets + [
      Option.assertionFD.declaration, Option.register.declaration, Option.ephemeral.declaration,
      Option.ifNeeded.declaration,
    ],
    shortHelp: [
      "issuer", "client-id", "scope", "assertion-from", "assertion-file", "client-secret-file",
    ],
    operands: .accountOrService,
    examples: [
      Example(
        "Sign in a job of GitHub Actions",
        "agent workload ci --issuer https://id.example.com --client-id my-ci --assertion-from github-actions"),
      Example(
        "Sign in a service with its own secret",
        "agent workload robot --issuer https://id.example.com --client-id robot --client-secret-file secret"),
      Example("Sign in again", "agent workload robot"),
    ],
    makeAction: makeWorkloadAction)

  private let client: DaemonClient
  private var request: Request
  /// The secrets for the daemon; nil when resuming.
  private let files: SecretFiles?
  private let resource: ResourceLogin?
  private let unlocker: VaultUnlocker?
  private let waiting: LoginWait.Choices
  /// Whether to prompt for missing settings.
  private let mayAsk: Bool

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let reporter = try LoginReporter(invocation)
    if let moved = MovedOptions(invocation) {
      let failure = moved.failure(DaemonClient(invocation))
      var reporter = reporter
      reporter.reportFailure(failure)
      throw failure
    }
    if invocation[.ended] { return try renewEnded(invocation) }
    return try action(reporter) { () throws(Failure) in try LoginCommand(invocation) }
  }

  private static func makeWorkloadAction(_ invocation: Invocation) throws(Failure) -> Action {
    try action(LoginReporter(console: Console(invocation), terminal: .current, time: SystemTime())) {
      () throws(Failure) in
      try LoginCommand(invocation, LoginOptions.workloadRequest(invocation), .unattended, ResourceLogin(invocation))
    }
  }

  /// Makes the action of a command. Also reports failures as JSON events.
  private static func action(
    _ reporter: LoginReporter, _ make: () throws(Failure) -> LoginCommand
  ) throws(Failure) -> Action {
    let command: LoginCommand
    do {
      command = try make()
    } catch {
      var reporter = reporter
      reporter.reportFailure(error)
      throw error
    }
    return Action { () throws(Failure) in
      var reporter = reporter
      do throws(Failure) {
        return try command.signIn(&reporter)
      } catch {
        reporter.reportFailure(error)
        throw error
      }
    }
  }

  /// Signs in again to each account whose session has ended. Continues after failures; Ctrl-C cancels all.
  private static func renewEnded(_ invocation: Invocation) throws(Failure) -> Action {
    guard try invocation.namedAccount() == nil else {
      throw Failure(.invalidRequest, "name an account or give --ended, not both")
    }
    let command = try LoginCommand(invocation)
    let console = command.client.console
    return Action { () throws(Failure) in
      let accounts = try command.client.ask(.state(.list))["accounts"]?.array ?? []
      let ended = accounts.filter(AccountText.needsSignIn).compactMap { $0[.name]?.string }
      if ended.isEmpty { console.note("no session has ended") }
      var (failed, left): (Int32, [String]) = (0, [])
      for (index, name) in ended.enumerated() {
        var (command, reporter) = (command, try LoginReporter(invocation))
        reporter.isOneOfSeveral = ended.count > 1
        if reporter.isOneOfSeveral { console.note(Phrase("signing in to \(name) (\(index + 1) of \(ended.count))")) }
        if case .login(var login) = command.request {
          login.account = name
          command.request = .login(login)
        }
        do throws(Failure) {
          let status = try command.signIn(&reporter)
          guard status == 0 else { return status }
        } catch {
          reporter.reportFailure(error)
          console.report(error)
          if failed == 0 { failed = error.code.exitStatus.rawValue }
          left.append(name)
        }
      }
      if ended.count > 1, !left.isEmpty {
        console.note(
          Phrase(
            "signed in again: \(ended.count - left.count) of \(ended.count); still signed out: \(left.joined(separator: ", "))"
          ))
      }
      return failed
    }
  }

  private init(_ invocation: Invocation) throws(Failure) {
    let waiting = LoginWait.Choices(invocation)
    guard let login = invocation[.resume] else {
      self = try LoginCommand(invocation, LoginOptions.request(invocation), waiting, ResourceLogin(invocation))
      return
    }
    if invocation.has(.account) { throw invocation.conflict(Option.account.declaration, Option.resume.declaration) }
    client = DaemonClient(invocation)
    self.waiting = waiting
    request = .loginStep(.resume(loginID: login, waits: !invocation[.start]))
    (files, resource, unlocker, mayAsk) = (nil, nil, nil, false)
  }

  private init(
    _ invocation: Invocation, _ login: LoginRequest, _ waiting: LoginWait.Choices, _ resource: ResourceLogin?
  ) throws(Failure) {
    client = DaemonClient(invocation)
    self.waiting = waiting
    self.resource = resource
    mayAsk =
      !invocation[.noInput] && !invocation[.json] && !waiting.isDetached && (try? Terminal.openControlling()) != nil
    let files = try SecretFiles(
      login.isGuest ? Set(PassedSecret.allCases) : Set(PassedSecret.allCases.filter { $0 != .assertion }), invocation)
    if waiting.isDetached, client.isPrivate {
      throw Failure(
        .invalidRequest, "a sign-in in the background requires a persistent daemon", hint: "omit --no-daemon")
    }
    var login = login
    login.isDetached = waiting.isDetached
    login.passedSecrets = files.announcedKinds
    if login.skipCondition == nil, mayAsk, Terminal.isTerminal(2), login.isPlain { login.skipCondition = .signedIn }
    request = .login(login)
    self.files = files
    unlocker = try VaultUnlocker(invocation, client)
  }

  /// Signs in, prompting for a missing service, issuer or client ID.
  private func signIn(_ reporter: inout LoginReporter) throws(Failure) -> Int32 {
    var descriptors = try files?.open() ?? []
    var request = try requestWithResource(reporter)
    if case .login(let login) = request, login.flow == .device, BrowserEnvironment.current.canOpenBrowser {
      client.console.note(Phrase("a browser can be opened here, and needs no code: omit \("--device")"))
    }
    var preset: AccountPreset?
    if case .login(var login) = request {
      try askForAccountOrService(&login)
      preset = try applyPreset(to: &login)
      request = .login(login)
    }
    var (isRespelt, hasAsked) = (false, false)
    while true {
      do throws(Failure) {
        let status = try signIn(request, descriptors, &reporter)
        if status == 0, let preset { try runSetupCommands(of: preset) }
        return status
      } catch {
        guard case .login(var login) = request else { throw error }
        // The daemon may have read the secrets, which can be read only once.
        if !isRespelt, resource != nil, descriptors.isEmpty,
          let issuer = ResourceLogin.issuerSpelling(in: error, at: login.issuer)
        {
          (login.issuer, isRespelt) = (issuer, true)
        } else {
          guard mayAsk, try Self.ask(for: error, &login, &descriptors) else {
            throw hasAsked ? Self.withDaemonCommands(error) : error
          }
          hasAsked = true
        }
        request = .login(login)
      }
    }
  }

  private func askForAccountOrService(_ login: inout LoginRequest) throws(Failure) {
    guard mayAsk, !login.isGuest, Terminal.isTerminal(2), login.account == nil, login.issuer == nil,
      login.provider == nil
    else { return }
    guard let choice = try SignInChoices(client).ask() else {
      Console.printToStandardError("\n")
      throw Failure(.invalidRequest, "no input", hint: "agent help login")
    }
    if choice.utf8.contains(UInt8(ascii: ":")) { login.issuer = choice } else { login.account = choice }
  }

  /// Adds a preset's settings to a new account, unless the command line names another server.
  private func applyPreset(to login: inout LoginRequest) throws(Failure) -> AccountPreset? {
    guard let name = login.account, login.issuer == nil, login.provider == nil else { return nil }
    let files = AdministratorFiles.ofThisMachine()
    guard let preset = files.presets.first(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
    let accounts = try client.ask(.state(.list))["accounts"]?.array ?? []
    guard !accounts.contains(where: { $0[.inConfig]?.bool != false && $0[.name]?.string == name }) else { return nil }
    var settings = preset.settings
    settings.apply(login.settings)
    login.settings = settings
    client.console.note(Phrase("using the settings in \(preset.path)"))
    return preset
  }

  /// Offers to run a preset's setup commands, otherwise prints them.
  private func runSetupCommands(of preset: AccountPreset) throws(Failure) {
    guard !preset.setupCommands.isEmpty else { return }
    let commands = preset.setupCommands.map { "agent setup \($0)" }.joined(separator: " && ")
    let words = preset.setupCommands.compactMap(ShellWord.words)
    var names: [String] = []
    for name in words.compactMap(\.first) where !names.contains(name) { names.append(name) }
    let console = client.console
    guard mayAsk, Terminal.isTerminal(2), !client.isPrivate,
      try Confirmation.ask(Phrase("Set up \(Phrase.all(names)) to get tokens?"), orElse: true) == true
    else { return console.note(Phrase("to set up \(Phrase.all(names)): \(commands)")) }
    for words in words {
      do throws(Failure) {
        // The file's commands are valid.
        guard let command = try? Parser.parse(["setup"] + words + ["--yes"], by: client.commands) else { continue }
        _ = try SetupCommand.makeAction(command).run()
      } catch {
        console.report(error)
      }
    }
  }

  /// Replaces corrections in the hint by the daemon's complete commands, which include the answers to prompts.
  private static func withDaemonCommands(_ failure: Failure) -> Failure {
    var failure = failure
    failure.advice = failure.advice?.correcting { $0.command }
    return failure
  }

  /// Asks for the missing value; true if entered.
  private static func ask(
    for missing: Failure, _ login: inout LoginRequest, _ descriptors: inout [SharedDescriptor]
  ) throws(Failure) -> Bool {
    switch missing.code {
    case .issuerNeeded where login.issuer == nil:
      printProblem(missing)
      repeat {
        guard let issuer = try Confirmation.askForLine(Phrase("Issuer URL")) else { throw unansweredFailure(missing) }
        login.issuer = issuer
      } while !checkAddress(login.issuer)
    case .clientNeeded where missing.needsClientSecret:
      guard !login.passedSecrets.contains(.clientSecret) else { return false }
      printProblem(missing)
      // The client secret is always the first descriptor.
      descriptors.insert(try SecretFiles.askForClientSecret(), at: 0)
      login.passedSecrets.insert(.clientSecret)
    case .clientNeeded where login.clientID == nil:
      printProblem(missing)
      guard let id = try Confirmation.askForLine(Phrase("Client ID")) else { throw unansweredFailure(missing) }
      (login.clientID, login.registersClient) = (id, false)
    default: return false
    }
    return true
  }

  /// Whether the text contains a dot or colon, like any issuer; otherwise prints an example.
  private static func checkAddress(_ text: String?) -> Bool {
    if text?.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }) ?? false { return true }
    Console.printToStandardError(Phrase("an issuer URL is like \("https://id.example.org")").localized() + "\n")
    return false
  }

  /// Ends the prompt's line, and returns the failure for no input. `missing` was already printed.
  private static func unansweredFailure(_ missing: Failure) -> Failure {
    Console.printToStandardError("\n")
    return Failure(missing.code, "no input", hint: missing.advice)
  }

  private static func printProblem(_ failure: Failure) {
    let columns = OutputTerminal.current?.columns() ?? 80
    Console.printToStandardError(LoginText.paragraph(failure.text.localized(limit: 4096), columns: columns))
  }

  /// Returns the exit status.
  private func signIn(
    _ request: Request, _ descriptors: [SharedDescriptor], _ reporter: inout LoginReporter
  ) throws(Failure) -> Int32 {
    let begin = Instant.now
    // The daemon cancels a foreground sign-in if its client disconnects.
    let ending = try client.converse { (connection) throws(Failure) in
      if case .login(let login) = request, let level = login.protection {
        try unlocker?.prepare(level, over: &connection)
      }
      do throws(Failure) {
        return try wait(for: request, descriptors, over: &connection, &reporter)
      } catch {
        guard error.code == .locked, case .login(let login) = request, let unlocker, unlocker.canGetSecret else {
          throw error
        }
        // The daemon has read no descriptor yet.
        guard try !unlocker.open(login.account, over: &connection).isEmpty else { throw error }
        return try wait(for: request, descriptors, over: &connection, &reporter)
      }
    }
    switch ending {
    case .signedIn(let result):
      client.logOutcome("answered", since: begin)
      if result["kept"]?.bool == true, case .login(var login) = request, login.skipCondition == .signedIn {
        guard try Confirmation.ask(LoginText.signInAgainQuestion(result)) ?? true else { return 0 }
        login.skipCondition = nil
        return try signIn(.login(login), descriptors, &reporter)
      }
      if result["state"] != nil { return try reporter.reportBackground(result, isStart: waiting.isDetached) }
      try reporter.reportSuccess(result)
      if case .login(let login) = request, !login.dropsAccessToken { try offerToKeep(result) }
      return 0
    case .interrupted(let signal):
      reporter.reportInterruption()
      return 128 + signal
    }
  }

  /// Offers to store an access token that never expires and is the entire session.
  private func offerToKeep(_ result: JSONObject) throws(Failure) {
    guard result["not_kept"]?.bool == true, result["expires_at"] == nil, let account = result["account"]?.string else {
      return
    }
    // A private daemon has already lost the token.
    let mayKeep = mayAsk && Terminal.isTerminal(2) && !client.isPrivate
    let question = Phrase(
      "The token does not expire, and no other replaces it. Keep it in the vault, so that \(account) stays signed in?")
    guard mayKeep, try Confirmation.ask(question) == true else {
      let command = client.isPrivate ? "agent login \(account) --keep" : "agent account set \(account) --keep"
      return client.console.note(Phrase("to keep the access token in the vault: \(command)"))
    }
    var settings = AccountSettings()
    settings.keepsAccessToken = true
    _ = try client.ask(.account(.set(account: account, settings, unset: [])))
    client.console.note(Phrase("the token is kept; \(account) stays signed in"))
  }

  private func requestWithResource(_ reporter: LoginReporter) throws(Failure) -> Request {
    guard case .login(var login) = request else { return request }
    try resource?.complete(&login, client)
    login.wantsQRCode = reporter.drawsQRCodes
    login.pageTranslations = Language.current.pageTranslations
    return .login(login)
  }

  private func wait(
    for request: Request, _ descriptors: [SharedDescriptor], over connection: inout DaemonConnection,
    _ reporter: inout LoginReporter
  ) throws(Failure) -> LoginWait.Ending {
    var signals = try SignInSignals()
    var (request, relay) = (request, RelayConnection?.none)
    if waiting.usesRelay, case .login(var login) = request, login.flow == nil, !login.canOpenBrowser, !login.isGuest {
      relay = RelayConnection.find(client.console)
      login.redirectPort = relay.map { Int($0.port) }
      login.canOpenBrowser = relay != nil || waiting.mayPaste
      request = .login(login)
    }
    _ = client.logRequest(request)
    try connection.send(client.envelope(request), passing: descriptors)
    reporter.startServerWait()
    if reporter.hasCountdown { signals.hideTyping() }
    let deadline = client.deadline(of: request, standard: Self.maximumWaitSeconds)
    var wait = LoginWait(waiting, environment: .current, relay, until: deadline)
    return try wait.run(over: &connection, &signals, &reporter)
  }

  private static let maximumWaitSeconds = WireProtocol.maximumTimeoutSeconds
}
