internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// `agent verify`.
///
/// The verdicts are the answer, so they go to standard output as they come, whatever they are.
enum VerifyCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    try check(invocation)
    let client = DaemonClient(invocation)
    let request = try request(invocation)
    // Before anything is read: who has no daemon need not type a token in vain.
    let connection = try connect(client, invocation)
    var passed: [SharedDescriptor] = []
    if let path = invocation.text(.jwks) { passed.append(SharedDescriptor(try openKeys(path))) }
    let tokens = try TokenInput.open(invocation)
    let (isJSON, now) = (invocation.has(.json), SystemTime().wallSeconds())
    let tally = try VerifyConversation(client).run(request, of: tokens, over: connection, passing: passed) {
      (block) throws(Failure) in try tell(block, isJSON: isJSON, now: now)
    }
    guard tally.tokens > 0 else { throw TokenInput.nothing }
    if tally.notValid == 0 { return 0 }
    let status = tally.notValid == tally.undecided ? Wire.ExitStatus.tryLater : .tokenNotValid
    return status.rawValue
  }

  private static func tell(_ block: LineBlocks.Block, isJSON: Bool, now: Int) throws(Failure) {
    if isJSON {
      // The beginning of a line that is not complete comes again.
      let end = block.lines.last?.place.map { min($0.upperBound + 1, block.bytes.count) } ?? 0
      return try Console.answer(block.bytes.span.extracting(..<end))
    }
    var text: [UInt8] = []
    for line in block.lines {
      guard let place = line.place, let verdict = try? JSON(parsing: block.bytes.span.extracting(place)) else {
        continue
      }
      text.append(contentsOf: VerdictText.text(verdict, now: now).utf8)
    }
    try Console.answer(text.span)
  }

  /// Keys at hand need no network and nothing that is stored here, so nobody else's `agentd` is bothered with them.
  private static func connect(_ client: DaemonClient, _ invocation: Invocation) throws(Failure) -> DaemonConnection {
    guard invocation.has(.jwks) else { return try client.connect() }
    return try DaemonLauncher.startPrivate(client.console, because: "keys at hand need no other", needsHome: false)
  }

  private static func check(_ invocation: Invocation) throws(Failure) {
    try TokenShape.refuseTokens(invocation)
    if invocation.has(.jwks) {
      for option in [OptionName.account, .caFile, .allowHTTPLoopback] where invocation.has(option) {
        throw Failure(.invalidRequest, "--jwks names the keys, so --\(option.rawValue) has no place beside it")
      }
      let isInput = { (path: String?) in path?.utf8.elementsEqual("-".utf8) ?? true }
      if isInput(invocation.text(.jwks)), isInput(invocation.operands.first) {
        throw Failure(.invalidRequest, "standard input cannot hold both the keys and the tokens")
      }
    } else if !invocation.has(.issuer) || invocation.has(.account) {
      for option in [OptionName.caFile, .allowHTTPLoopback] where invocation.has(option) {
        throw Failure(.invalidRequest, "--\(option.rawValue) belongs to --issuer; an account has its own")
      }
    }
    guard invocation.has(.signatureOnly) else { return }
    for option in [OptionName.audience, .clockSkew] + (invocation.has(.jwks) ? [.issuer] : [])
    where invocation.has(option) {
      throw Failure(
        .invalidRequest, "with --signature-only no claim is looked at, so --\(option.rawValue) has no place")
    }
  }

  private static func request(_ invocation: Invocation) throws(Failure) -> VerifyRequest {
    var request = VerifyRequest()
    request.issuer = invocation.text(.issuer)
    request.bringsKeys = invocation.has(.jwks)
    if request.issuer != nil, !request.bringsKeys {
      request.account = try invocation.namedAccount(operand: nil)
      request.settings.caFile = try invocation.text(.caFile).map { (path) throws(Failure) in
        try SettingsOptions.absolute(path)
      }
      request.settings.allowHTTPLoopback = invocation.has(.allowHTTPLoopback)
      (request.settings.proxy, request.settings.proxyExclusions) = LoginOptions.proxy(from: Environment.value)
    } else if !request.bringsKeys {
      request.account = try invocation.account(operand: nil)
    }
    request.audience = invocation.text(.audience)
    request.algorithms = invocation.texts(.algorithms).flatMap { list in
      list.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    }
    request.type = invocation.text(.type)
    request.signatureOnly = invocation.has(.signatureOnly)
    request.clockSkew = invocation.seconds(.clockSkew)
    request.brief = !invocation.has(.json)
    return request
  }

  private static func openKeys(_ path: String) throws(Failure) -> FileDescriptor {
    do {
      return try path.utf8.elementsEqual("-".utf8)
        ? LoginOptions.duplicate(0) : FileDescriptor(opening: path, for: .reading)
    } catch {
      throw Failure(.invalidRequest, "the key set \"\(path)\" cannot be read: \(error.message)")
    }
  }
}
