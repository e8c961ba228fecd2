internal import Encoding
internal import Platform
internal import Wire

/// `agent serve` and `agent exec --lease`: opens a lease while the command runs.
enum LeaseCommand {
  static let serve = Command(
    .serve,
    summary: "Lend other programs requests with an account's token",
    options: [Option.socket.declaration] + Options.lease,
    shortHelp: ["only", "method", "for", "times", "socket"],
    operands: .account,
    examples: [
      Example(
        "Lend one API for reading, for an hour",
        "agent serve work --only https://api.example.com/notes --method GET --for 1h"),
      Example(
        "Choose the socket's path, to forward it by ssh -R for three requests",
        "agent serve work --only api.example.com --times 3 --socket ~/lease/agent.sock"),
      Example("Ask before the first request to each origin", "agent serve work --confirm"),
    ],
    refusing: [Option.noDaemon.declaration],
    makeAction: serve)

  static func serve(_ invocation: Invocation) throws(Failure) -> Action {
    let configuration = try LeaseConfiguration(invocation, LeaseRequest(invocation))
    let path = invocation[.socket]
    return .doing { () throws(Failure) in try keepOpen(configuration, at: path) }
  }

  private static func keepOpen(_ configuration: LeaseConfiguration, at path: String?) throws(Failure) {
    let console = configuration.client.console
    var socket = try LeaseSocket(at: path, servesOthers: !configuration.request.userIDs.isEmpty)
    let signals: Signals.SignalReceiver
    do { signals = try Signals.SignalReceiver([Signals.SIGHUP, Signals.SIGINT, Signals.SIGTERM]) } catch {
      throw Failure(error, doing: "cannot receive signals")
    }
    var keeper = try LeaseKeeper(configuration, socket.takeListener())
    try announce(keeper.account, socket.path, console)
    describe(configuration.request, of: keeper.account, socket.path, console)
    try wait(for: signals, &keeper)
    guard let ending = keeper.endReason else { return }
    guard ending.code == .leaseEnded else { throw ending }
    console.note(ending.text)
  }

  private static func announce(_ account: String, _ path: String, _ console: Console) throws(Failure) {
    guard console.usesJSON else { return try Console.answer(path + "\n") }
    let object = JSONObject([("account", .string(account)), ("socket", .string(path))])
    try Console.answer(object)
  }

  private static func describe(_ request: LeaseRequest, of account: String, _ path: String, _ console: Console) {
    guard !console.usesJSON, Terminal.isTerminal(2) else { return }
    describeOrigins(request, of: account, console)
    if let seconds = request.expiresInSeconds {
      console.note(Phrase("the lease ends after \(RelativeTime.phrase(seconds: seconds)) or when you press Ctrl-C"))
    } else {
      console.note("the lease ends when you press Ctrl-C")
    }
    console.note(Phrase("to use it: AGENT_SOCKET=\(path) agent request URL"))
  }

  static func describeOrigins(_ request: LeaseRequest, of account: String, _ console: Console) {
    if request.origins.isEmpty {
      console.note(Phrase("programs may send requests as \(account) to every origin listed for the account"))
    } else {
      let origins = request.origins.map { TerminalText.clean($0, limit: 300) }.joined(separator: ", ")
      console.note(Phrase("programs may send requests as \(account) to \(origins)"))
    }
  }

  /// Serves the lease until it ends or a signal arrives.
  private static func wait(
    for signals: borrowing Signals.SignalReceiver, _ keeper: inout LeaseKeeper
  ) throws(Failure) {
    do throws(SystemError) {
      let poller = try Poller()
      try poller.add(signals.raw, interest: .read, key: 0)
      try keeper.watch(poller)
      while keeper.endReason == nil {
        let events = try poller.wait(until: keeper.nextAttempt)
        if signals.next() != nil { return }
        try keeper.handle(poller, events)
      }
    } catch {
      throw Failure(error, doing: "cannot keep the lease open")
    }
  }

  /// Runs a command with the lease's socket instead of the daemon's.
  static func exec(_ command: [String], _ invocation: Invocation) throws(Failure) -> Action {
    let (configuration, http) = (try LeaseConfiguration(invocation, LeaseRequest(invocation)), try LentHTTP(invocation))
    return try SignInOffer.action(invocation, configuration.client) { () throws(Failure) in
      try configuration.requireSession()
      return try run(command, configuration, http).propagate()
    }
  }

  private static func run(
    _ command: [String], _ configuration: LeaseConfiguration, _ http: LentHTTP
  ) throws(Failure) -> ProcessStatus {
    let (request, client) = (configuration.request, configuration.client)
    var socket = try LeaseSocket(at: nil, servesOthers: !request.userIDs.isEmpty)
    var opened = try http.open()
    let variables = opened.adding(to: try LentEnvironment.make(lending: socket.path, client))
    var keeper = try LeaseKeeper(configuration, socket.takeListener())
    for served in opened.origins {
      try keeper.serve(served.request, at: served.listener)
      try keeper.serve(served.request, at: SharedDescriptor(try socket.addHTTPSocket(for: served.port)))
    }
    opened.origins = []
    return try ExecutedCommand.run(command, variables, client.console) { (child) throws(SystemError) in
      let poller = try Poller()
      try poller.add(child.raw, interest: .read, key: 0)
      try keeper.watch(poller)
      while true {
        let events = try poller.wait(until: keeper.nextAttempt)
        if let status = try child.handleSignals() { return status }
        try keeper.keepOpen(poller, events)
      }
    }
  }
}

struct LeaseConfiguration {
  let client: DaemonClient
  let request: LeaseRequest
  let questions: LeaseQuestions
  /// Whether `agent-lease` filters its system calls.
  let filtersSystemCalls: Bool
  /// Whether to check the session at the server first (`--ask`).
  private let checksSession: Bool

  init(_ invocation: Invocation, _ request: LeaseRequest) throws(Failure) {
    client = DaemonClient(invocation)
    if client.isPrivate {
      throw Failure(.invalidRequest, "a private daemon cannot lend an account: omit \"--no-daemon\"")
    }
    self.request = request
    // A command or session uses the terminal itself.
    let isServing = invocation.command?.name == .serve
    questions = try LeaseQuestions(invocation, mayUseTerminal: isServing)
    filtersSystemCalls = !invocation[.noJail]
    checksSession = !isServing && invocation[.ask]
  }

  /// Throws only if the account is signed out or locked, which opening a lease does not check.
  func requireSession() throws(Failure) {
    do throws(Failure) {
      if checksSession {
        try client.askForToken(.token(TokenRequest(account: request.account))) { (_, _) in }
      } else {
        _ = try client.ask(.state(.whoami(account: request.account, verified: true)))
      }
    } catch {
      if SignInOffer.canResolve(error) { throw error }
    }
  }
}

extension LeaseRequest {
  init(_ invocation: Invocation) throws(Failure) {
    try self.init(invocation, lending: try invocation.account())
    userIDs = try invocation[.users].map { (text) throws(Failure) in
      guard let number = Int(text), Self.validUserIDs.contains(number) else {
        throw Failure(.invalidRequest, "\"--user\" must be a user ID", hint: "id -u prints your own")
      }
      return number
    }
    guard userIDs.count <= Self.maximumUsers else {
      throw Failure(.invalidRequest, "\"--user\" may be used at most \(Self.maximumUsers) times")
    }
  }

  /// Reads the lease options except `--user`. A nil account is the active one.
  init(_ invocation: Invocation, lending account: String?) throws(Failure) {
    self.init(account: account)
    origins = invocation[.leaseOrigins]
    methods = invocation[.methods]
    headers = invocation[.allowedHeaders]
    target = try TokenRequest.Target(invocation)
    expiresInSeconds = invocation[.leaseTime]
    lendsToken = invocation[.handOutToken]
    requiresConfirmation = invocation[.confirm]
    guard headers.count <= Self.maximumHeaders else {
      throw Failure(.invalidRequest, "\"--allow-header\" may be used at most \(Self.maximumHeaders) times")
    }
    uses = try invocation[.leaseUses].map { (text) throws(Failure) in
      guard let number = Int(text), (1...Self.maximumUses).contains(number) else {
        throw Failure(.invalidRequest, "\"--times\" must be a number from 1 to \(Self.maximumUses)")
      }
      return number
    }
  }
}
