internal import Platform
internal import Wire

extension Option<String?> {
  static var url: Self { Self("url", in: .service, .text("URL"), "The URL to get a token for") }
  static var user: Self { Self("user", in: .service, .text("NAME"), "The user name or mail address for the token") }
  static var roleARN: Self { Self("role-arn", in: .service, .text("ARN"), "The role that `aws` gets credentials for") }
  static var roleSessionName: Self {
    Self("session-name", in: .service, .text("NAME"), "The name of the role's session (default: `agentd`)")
  }
  static var keyringMode: Self {
    Self("mode", in: .output, .text("MODE"), "What `keyring` prints: `password` or `creds`")
  }
  static var keyringOutput: Self {
    Self("output", in: .output, .text("FORMAT"), "How `keyring` prints it: `plain` or `json`")
  }
}

/// Durations in seconds.
extension Option<Int?> {
  static var roleDuration: Self {
    Self(
      "duration", in: .service, time: .duration(900...43_200), "The lifetime of the role's credentials (default: 1h)")
  }
}

/// `agent helper`: speaks another program's protocol, without prompts and within a time limit.
struct HelperCommand {
  static let helper = Command(
    .helper,
    summary: "Give other programs tokens, in their own protocols",
    options: [
      Option.url.declaration, Option.user.declaration, Option.roleARN.declaration, Option.roleSessionName.declaration,
      Option.roleDuration.declaration, Option.keyringMode.declaration, Option.keyringOutput.declaration,
    ],
    shortHelp: ["url", "user", "role-arn", "session-name", "duration"],
    operands: .helperCall,
    examples: [
      Example(
        "Call an API without the token on the command line",
        "agent helper header --url https://api.example.com/me | curl -H @- https://api.example.com/me"),
      Example(
        "The same with a curl configuration",
        "agent helper curl --url https://api.example.com/me | curl -K - https://api.example.com/me"),
      Example("Print an entry for a .netrc file", "agent helper netrc --url https://api.example.com/me"),
    ],
    failureAnswer: FailureAnswer(isOneLine: true, text: HelperCommand.failureOutput),
    makeAction: makeAction)

  private let name: HelperProtocolName
  private let call: HelperCall
  private let account: String?
  private let client: DaemonClient
  private let deadline: Instant

  /// The limit per call.
  private static let seconds = 10

  /// The minimum remaining lifetime of tokens.
  private static let validitySeconds = 60

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let command = try HelperCommand(invocation)
    return Action { () throws(Failure) in command.answer() }
  }

  private init(_ invocation: Invocation) throws(Failure) {
    name = try Self.name(invocation.operands[0])
    var call = HelperCall(
      arguments: Array(invocation.operands.dropFirst()), url: invocation[.url], user: invocation[.user])
    if let mode = invocation[.keyringMode] { call.arguments.append("--mode=\(mode)") }
    if let output = invocation[.keyringOutput] { call.arguments.append("--output=\(output)") }
    (call.role, call.sessionName) = (invocation[.roleARN], invocation[.roleSessionName])
    call.durationSeconds = invocation[.roleDuration]
    call.variable = { Environment.value($0) }
    self.call = call
    // Ignore the active account and AGENT_ACCOUNT, which `agent env` exports to the entire shell.
    account = try invocation.namedAccount(operand: nil)
    deadline = .now.advanced(by: .seconds(invocation[.timeout] ?? Self.seconds))
    client = DaemonClient(invocation).forPrograms
  }

  private static func name(_ word: String) throws(Failure) -> HelperProtocolName {
    guard let name = HelperProtocolName(rawValue: word) else {
      let names = HelperProtocolName.allCases.map(\.rawValue)
      throw Failure(
        .invalidRequest,
        "unknown helper protocol \(TokenShape.redacted(word)); choose one of \(names.joined(separator: ", "))",
        hint: Phrase.didYouMean(word, among: names) ?? Phrase(verbatim: "agent help helper"))
    }
    return name
  }

  private init(_ other: HelperCommand, account: String?, call: HelperCall, deadline: Instant) {
    (name, client) = (other.name, other.client)
    (self.account, self.call, self.deadline) = (account, call, deadline)
  }

  static func helper(_ name: HelperProtocolName) -> HelperProtocol {
    switch name {
    case .git: GitHelper.helper
    case .docker: DockerHelper.helper
    case .kubectl: KubectlHelper.helper
    case .aws: AWSHelper.helper
    case .keyring: KeyringHelper.helper
    case .cargo: CargoHelper.helper
    case .go: GoHelper.helper
    case .curl: PlainHelpers.curl
    case .header: PlainHelpers.header
    case .xoauth2: MailHelper.xoauth2
    case .oauthbearer: MailHelper.oauthBearer
    case .mcp: PlainHelpers.mcp
    case .gcp: PlainHelpers.gcp
    case .netrc: PlainHelpers.netrc
    }
  }

  // MARK: Answers

  /// Handles the call or conversation; returns the exit status.
  private func answer() -> Int32 {
    let helper = Self.helper(name)
    do throws(Failure) {
      switch helper.input(call.arguments) {
      case .nothing: return answer(call, helper)
      case .paragraph: return answer(try readCall { $0.hasEmptyLine }, helper)
      case .everything: return answer(try readCall { _ in false }, helper)
      case .conversation: return try converse(helper)
      }
    } catch {
      return refuse(error, helper, call)
    }
  }

  /// Returns the exit status.
  private func answer(_ call: HelperCall, _ helper: HelperProtocol) -> Int32 {
    do throws(Failure) {
      switch try helper.request(call) {
      case .token(let destination, let named, let writer): try answer(destination, named ?? account, writer)
      case .tokens(let writer): try answerAll(writer)
      case .listedURLs(let text):
        try Console.answer(text(try listedURLs().map { ($0.url, $0.user ?? HelperCredential.anyUser) }))
      case .role(var request, let writer):
        try checkHost(request.url)
        request.account = account
        try client.limited(to: deadline).askForRole(request) { (answer, line) throws(Failure) in
          try SecretText.with(capacity: 2 * line.count + 256) { (text) throws(Failure) in
            writer(answer, line, &text)
            try Console.answer(text.bytes.span)
          }
        }
      case .text(let text): try Console.answer(text)
      case .erase(let url, let secret): return erase(url, secret)
      case .nextProgram(let program): return execNext(program, call)
      }
      return 0
    } catch {
      return refuse(error, helper, call)
    }
  }

  /// Handles one request per input line, continuing after failures.
  private func converse(_ helper: HelperProtocol) throws(Failure) -> Int32 {
    try Console.answer(helper.greeting)
    var input = HelperInput()
    while let line = try input.line(before: nil) {
      var call = call
      call.input = line
      let command = HelperCommand(
        self, account: account, call: call, deadline: .now.advanced(by: .seconds(Self.seconds)))
      _ = command.answer(call, helper)
    }
    return 0
  }

  private func readCall(until isWhole: ([UInt8]) -> Bool) throws(Failure) -> HelperCall {
    var call = call
    var input = HelperInput()
    call.input = try input.bytes(before: deadline, until: isWhole)
    return call
  }

  private func answer(
    _ destination: TokenRequest.Destination, _ account: String?, _ writer: HelperRequest.Writer
  ) throws(Failure) {
    try credential(destination, account, try client.limited(to: deadline), writer) { (text) throws(Failure) in
      try Console.answer(text.bytes.span)
    }
  }

  /// Gets a token, and passes the output of `writer` to `body`.
  private func credential(
    _ destination: TokenRequest.Destination, _ account: String?, _ client: DaemonClient, _ writer: HelperRequest.Writer,
    _ body: (borrowing SecretText) throws(Failure) -> Void
  ) throws(Failure) {
    try destination.url.map(checkHost)
    var request = TokenRequest(account: account, minimumValiditySeconds: Self.validitySeconds)
    // Without a destination, the active account's token would be returned.
    request.destination = destination
    request.destination?.kind = destination.kind ?? .accessToken
    try client.askForToken(.token(request)) { (answer, line) throws(Failure) in
      let credential = try HelperCredential(answer)
      let field = credential.kind == .idToken ? TokenField.idToken : .accessToken
      try field.withValue(in: answer, from: line) { (token) throws(Failure) in
        guard let token else { throw Failure.missingIDToken(of: credential.account) }
        try SecretText.with(capacity: 2 * line.count + 256) { (text) throws(Failure) in
          try writer(credential, token, &text)
          try body(text)
        }
      }
    }
  }

  /// Throws `place_not_listed` if programs may parse the URL's host differently.
  private func checkHost(_ url: String) throws(Failure) {
    guard HelperCall.namesPlainHost(url) else {
      throw Failure(.originNotListed, Phrase("\(TokenShape.redacted(url)) is not a plain host name"))
    }
  }

  /// Writes a token for each listed https URL. Throws the first failure if all fail.
  private func answerAll(_ writer: HelperRequest.Writer) throws(Failure) {
    let urls = try listedURLs().filter { $0.url.hasPrefix("https://") }
    try SecretText.with(capacity: 4096) { (all) throws(Failure) in
      var first: Failure?
      for (account, url, _) in urls {
        let until = min(deadline, .now.advanced(by: .seconds(Self.secondsPerToken)))
        do throws(Failure) {
          let client = try client.limited(to: until)
          try credential(TokenRequest.Destination(url: url), account, client, writer) { (text) throws(Failure) in
            all.append(contentsOf: text.bytes.span)
          }
        } catch {
          first = first ?? error
        }
      }
      if all.bytes.isEmpty, let first { throw first }
      try Console.answer(all.bytes.span)
    }
  }

  private static let secondsPerToken = 3

  /// The URLs in the accounts' settings. Skips those that two accounts list, with a warning.
  private func listedURLs() throws(Failure) -> [(account: String, url: String, user: String?)] {
    let all = try ListedOrigin.all(of: account, try client.limited(to: deadline)).filter { !$0.entry.isMail }
    var told: [OriginEntry] = []
    return all.compactMap { listed in
      let accounts = all.filter { $0.entry.hasSameLocation(as: listed.entry) }.map(\.account)
      let url = listed.entry.origin + listed.entry.path
      guard Set(accounts).count > 1 else { return (listed.account, url, listed.entry.user) }
      if !told.contains(where: { $0.hasSameLocation(as: listed.entry) }) {
        told.append(listed.entry)
        report(
          Failure(
            .invalidRequest, Phrase("\(Phrase.all(accounts)) may send their tokens to \(url)"),
            hint: Phrase("choose one: \(Phrase.choices(Array(accounts.prefix(3)), of: "account"))")))
      }
      return nil
    }
  }

  // MARK: Refusals

  /// Reports a failure in the protocol and on standard error. Returns the exit status.
  private func refuse(_ failure: Failure, _ helper: HelperProtocol, _ call: HelperCall) -> Int32 {
    let line = client.console.line(of: failure, in: .helper)
    let failureOutput = helper.failureOutput(failure, line, call)
    if let next = failureOutput.nextProgram { return execNext(next, call) }
    try? Console.answer(failureOutput.output)
    if !failureOutput.isSilent { Console.printToStandardError(line + "\n") }
    return failureOutput.status ?? failure.code.exitStatus.rawValue
  }

  /// The output for an invalid command line; empty unless the protocol requires one.
  fileprivate static func failureOutput(_ failure: Failure, _ invocation: Invocation?, _ arguments: [String]) -> String
  {
    let name = arguments.dropFirst().lazy.compactMap { HelperProtocolName(rawValue: $0) }.first
    guard name == .gcp else { return "" }
    return helper(.gcp).failureOutput(failure, Console.silent.line(of: failure, in: .helper), HelperCall()).output
  }

  private func report(_ failure: Failure) {
    Console.printToStandardError(client.console.line(of: failure, in: .helper) + "\n")
  }

  /// Makes the daemon drop a rejected token, unless the URL is unlisted. Returns the exit status.
  private func erase(_ url: String, _ secret: [UInt8]) -> Int32 {
    do throws(Failure) {
      try checkHost(url)
      let pipe = try FileDescriptor.pipe(containing: secret.span, named: "token")
      _ = try client.limited(to: deadline).ask(
        .forget(ForgetRequest(account: account, url: url)), passing: [SharedDescriptor(pipe)])
      return 0
    } catch {
      if error.code == .originNotListed { return 0 }
      report(error)
      return error.code.exitStatus.rawValue
    }
  }

  /// Keeps two helpers from running each other forever.
  private static let loopGuardVariable = "AGENT_HELPER_NEXT"

  /// Replaces this process with the next `program` on `PATH`. Returns the exit status on failure.
  private func execNext(_ program: String, _ call: HelperCall) -> Int32 {
    guard Environment.value(Self.loopGuardVariable) == nil,
      let path = Spawn.search(program, except: Machine.executablePath())
    else { return 1 }
    let words = ExecutedCommand.arguments(call.arguments)
    let error = Spawn.replaceProcess(
      executable: path, arguments: [Array(program.utf8)] + words,
      environment: Environment.entries() + [Array("\(Self.loopGuardVariable)=1".utf8)])
    return ExecutedCommand.reportStartFailure(path, error, client.console)
  }
}

extension [UInt8] {
  fileprivate var hasEmptyLine: Bool {
    let end = UInt8(ascii: "\n")
    return first == end || indices.dropFirst().contains { self[$0] == end && self[$0 - 1] == end }
  }
}

/// Standard input, which the caller may keep open. Never reads a terminal.
struct HelperInput {
  private var rest: [UInt8] = []
  private var hasEnded = false
  private var hasTimedOut = false

  /// Reads until `isWhole` accepts the input or it ends. Throws `timeout` at the deadline, `invalid_request` if it is
  /// too long.
  mutating func bytes(before deadline: Instant?, until isWhole: ([UInt8]) -> Bool) throws(Failure) -> [UInt8] {
    while !hasEnded, !isWhole(rest) { try readMore(before: deadline) }
    return rest
  }

  /// The next line without its line feed; nil at the end.
  mutating func line(before deadline: Instant?) throws(Failure) -> [UInt8]? {
    let end = UInt8(ascii: "\n")
    while !hasEnded, !rest.contains(end) { try readMore(before: deadline) }
    guard let index = rest.firstIndex(of: end) ?? (rest.isEmpty ? nil : rest.count) else { return nil }
    let line = Array(rest[..<index])
    rest.removeFirst(Swift.min(index + 1, rest.count))
    return line
  }

  private mutating func readMore(before deadline: Instant?) throws(Failure) {
    if Terminal.isTerminal(0) { return hasEnded = true }
    do throws(SystemError) {
      let input = try FileDescriptor.duplicate(0)
      let isReady = try input.waitUntilReadable(
        timeout: deadline.map { Instant.now.duration(to: $0) } ?? .seconds(86_400))
      if isReady { hasEnded = try input.read(into: &rest, upTo: 65_536) == 0 } else { hasTimedOut = true }
    } catch {
      throw Failure(error, doing: "cannot read the caller's request")
    }
    if hasTimedOut { throw Failure(.timeout, "the calling program did not finish its request in time") }
    guard rest.count <= HelperCall.maximumBytes else { throw Failure(.invalidRequest, "the request is too long") }
  }
}
