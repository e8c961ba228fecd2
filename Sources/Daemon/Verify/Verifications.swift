internal import Encoding
internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Verifies tokens with an issuer's or the caller's keys.
final class Verifications: AccountPart {
  private var verifications: [Ticket: Cancellation] = [:]

  private static let maximumVerifications = 16

  private static let unlimitedTime = Duration.seconds(10 * 365 * 86_400)

  /// Starts to verify tokens, with a time limit only if `hasDeadline`.
  func verify(
    _ request: VerifyRequest, _ ticket: Ticket, hasDeadline: Bool, passed: [SharedDescriptor]
  ) throws(Failure) {
    guard verifications.count < Self.maximumVerifications else {
      throw Failure(.tooBusy, "\(Self.maximumVerifications) token checks are already in progress", hint: "try again")
    }
    guard passed.count == (request.passesKeySet ? 3 : 2) else {
      throw Failure(
        .invalidRequest,
        "the request must pass one descriptor for the tokens and one for the results, preceded by one for the key set, if any"
      )
    }
    var rules = try TokenRules(request)
    let source = try keySource(request, passed[0])
    rules.issuer = if case .issuer(let configuration, _, _) = source { configuration.issuer } else { request.issuer }
    let cancellation = Cancellation()
    let check: TokenCheck
    do {
      check = try TokenCheck(
        tokens: passed[passed.count - 2], results: passed[passed.count - 1], rules: rules,
        knownIssuers: (try? settings())?.accounts.map { ($0.configuration.issuer, $0.name.text) } ?? [],
        isBrief: request.brief, time: services.time,
        cancellation: cancellation)
    } catch {
      throw .unusableDescriptor(error)
    }
    verifications[ticket] = cancellation
    if !hasDeadline { loop.setDeadline(services.time.now().advanced(by: Self.unlimitedTime), of: ticket) }
    start(check, source, ticket)
  }

  private func start(_ check: TokenCheck, _ source: KeySource, _ ticket: Ticket) {
    let services = source.account.map { self.services(for: $0) } ?? context.services
    let notice = jobs.messageSender { [unowned self] (text: Phrase) in loop.send(.event(.notice(text)), to: ticket) }
    jobs.runWaiting(as: WaitShare(ticket), check.cancellation) { () throws(SessionError) in
      Result { () throws(Failure) in try check.run(try source.keys(services, check.cancellation, report: notice)) }
    } then: { [self] outcome in
      handleResult(ticket, outcome.mapError { Failure($0, account: nil) }.flatMap { $0 })
    }
  }

  private func handleResult(_ ticket: Ticket, _ outcome: Result<VerifyTally, Failure>) {
    guard verifications.removeValue(forKey: ticket) != nil else { return }
    switch outcome {
    case .success(let tally): loop.send(.result(tally.memberObject), to: ticket)
    case .failure(let failure): loop.send(.failure(failure), to: ticket)
    }
  }

  /// Cancels one request's verification, or all if nil.
  func endVerifications(of ticket: Ticket? = nil) {
    for (each, cancellation) in verifications where ticket == nil || each == ticket {
      cancellation.cancel()
      if ticket != nil { verifications[each] = nil }
    }
  }

  /// The descriptor `first`, or an issuer with its account's connection settings, if any.
  private func keySource(_ request: VerifyRequest, _ first: SharedDescriptor) throws(Failure) -> KeySource {
    if request.passesKeySet {
      guard request.account == nil else {
        throw Failure(.invalidRequest, "use either your own keys or those of an account's issuer")
      }
      return .descriptor(first)
    }
    guard let issuer = request.issuer.map(AccountConfiguration.issuer(pasted:)) else {
      let account = try broker.resolve(request.account)
      return .issuer(account.configuration, account.name, proxyCredentials: nil)
    }
    func isMeant(_ configuration: AccountConfiguration) -> Bool {
      configuration.issuer.hasSameBytes(as: issuer)
    }
    let namesWay = request.settings.caFile != nil || request.settings.allowHTTPLoopback
    if let name = request.account {
      let account = try broker.resolve(name)
      guard isMeant(account.configuration) else {
        throw Failure(.invalidRequest, "the account \(account.name.text) belongs to another issuer")
      }
      guard !namesWay else {
        throw Failure(.invalidRequest, "an account has its own connection settings: use those or the account")
      }
      return .issuer(account.configuration, account.name, proxyCredentials: nil)
    }
    // Connection settings in the request override those of an account.
    if !namesWay, let known = try commonSource(of: settings().accounts.filter({ isMeant($0.configuration) })) {
      return known
    }
    var configuration = AccountConfiguration(issuer: issuer, clientID: "")
    try configuration.change(to: request.settings)
    try configuration.checkIssuer()
    let credentials = try configuration.replaceProxy(from: request.settings)
    return .issuer(configuration, nil, proxyCredentials: credentials)
  }

  /// The source of keys for accounts with the same issuer. Throws if their trust settings differ. Nil without accounts.
  private func commonSource(
    of known: [(name: AccountName, configuration: AccountConfiguration)]
  ) throws(Failure) -> KeySource? {
    guard let first = known.first else { return nil }
    func way(_ configuration: AccountConfiguration) -> [String?] {
      [configuration.caFile, configuration.jwksURI] + Set(configuration.pins).sorted()
    }
    guard known.allSatisfy({ way($0.configuration) == way(first.configuration) }) else {
      throw Failure(
        .invalidRequest, "several accounts have that issuer but trust different authorities, pins or keys",
        hint: "choose one: \(Phrase.choices(known.prefix(3).map(\.name.text), of: "account"))")
    }
    return .issuer(first.configuration, first.name, proxyCredentials: nil)
  }
}

extension TokenRules {
  fileprivate init(_ request: VerifyRequest) throws(Failure) {
    self.init()
    audiences = request.audiences
    type = request.type
    profile = request.profile
    requiredClaims = request.requiredClaims
    requiresExpiry = !request.allowsMissingExpiry
    claimRequirements = try request.claims.map { (text) throws(Failure) in
      guard let demand = ClaimRequirement(text) else {
        throw Failure(.invalidRequest, "a required claim must be NAME=VALUE")
      }
      return demand
    }
    isSignatureOnly = request.signatureOnly
    clockSkew = request.clockSkew ?? TokenClock.defaultSkew
    try Self.refuseContradictions(request)
    guard !request.algorithms.isEmpty else { return }
    hasChosenAlgorithms = true
    algorithms = try Self.algorithms(request.algorithms)
  }

  private static func refuseContradictions(_ request: VerifyRequest) throws(Failure) {
    let checksClaims =
      !request.audiences.isEmpty || request.clockSkew != nil || request.profile != nil || request.allowsMissingExpiry
      || !request.requiredClaims.isEmpty || !request.claims.isEmpty
    if request.signatureOnly, checksClaims {
      throw Failure(.invalidRequest, "a check of the signature alone does not check audience or time")
    }
    if request.profile != nil, request.type != nil {
      throw Failure(.invalidRequest, "a profile sets its own type")
    }
    if request.allowsMissingExpiry, request.profile ?? .logoutToken != .logoutToken {
      throw Failure(.invalidRequest, "tokens of that profile always have exp, so it cannot be optional")
    }
  }

  private static func algorithms(_ names: [String]) throws(Failure) -> Set<JWSAlgorithm> {
    var algorithms: Set<JWSAlgorithm> = []
    for name in names {
      guard let algorithm = JWSAlgorithm(name: name) else {
        throw Failure(
          .invalidRequest,
          "\"\(TerminalText.clean(name, limit: 32))\" is not a supported signature algorithm",
          hint: Phrase.didYouMean(name, among: JWSAlgorithm.allCases.map(\.rawValue))
            ?? Phrase("one of \(JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))"))
      }
      algorithms.insert(algorithm)
    }
    return algorithms
  }
}
