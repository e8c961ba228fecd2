internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Provides tokens that callers send to a URL themselves. The URL determines account and token.
final class URLTokens: AccountPart {
  /// Receives the token and how to use it at the URL.
  typealias Delivery = (TokenSlot, AccessGrant, TokenDescription.Use) throws(Failure) -> Void

  private struct URLTokenRequest {
    let request: TokenRequest
    let destination: TokenRequest.Destination
    let ticket: Ticket
    /// The account and settings for the URL. Nil without a URL.
    let choice: SelectedAccount?
    /// Nil for the account's own token.
    let target: TokenTarget?
    let deliver: Delivery
    /// Whether an ID Token was already renewed for expiring too soon.
    var hasRenewed = false

    /// According to the URL's settings, or else the request.
    var kind: TokenKind { choice?.entry?.token ?? destination.kind ?? .accessToken }

    /// The lifetime needed, in seconds.
    var minimum: Int { request.minimumValiditySeconds ?? AccessGrant.shortestIDTokenSeconds }
  }

  func sendToken(_ request: TokenRequest, _ ticket: Ticket) throws(Failure) {
    try obtain(request, ticket) { [loop, services] slot, grant, use throws(Failure) in
      var (description, extras) = (slot.describe(grant), request.extras)
      description.use = use
      if use.kind == .idToken { extras.wantsIDToken = true }
      if extras.wantsIDToken, let expiry = grant.idTokenExpiry, expiry <= services.time.wallSeconds() {
        (description.isIDTokenExpired, extras.wantsIDToken) = (true, false)
      }
      loop.send(try TokenLine(description, grant, extras).line, to: ticket)
    }
  }

  /// Passes the URL's token to `deliver`, or responds with a failure.
  func obtain(_ request: TokenRequest, _ ticket: Ticket, _ deliver: @escaping Delivery) throws(Failure) {
    guard let destination = request.destination else { throw try missingURLAndAccount() }
    let named = try broker.requestedName(request.account)
    guard let url = destination.url else {
      guard let named else { throw try missingURLAndAccount() }
      return try begin(request, destination, named, nil, ticket, deliver)
    }
    try choose(url, user: destination.user, named, ticket) { [self] choice throws(Failure) in
      try begin(request, destination, choice.account, choice, ticket, deliver)
    }
  }

  /// Throws if the settings are unreadable.
  private func missingURLAndAccount() throws(Failure) -> Failure {
    let names = try settings().accounts.prefix(3).map(\.name.text)
    return Failure(
      .invalidRequest, "neither a URL nor an account is given",
      hint: names.isEmpty ? "agent login" : Phrase("choose one: \(Phrase.choices(Array(names), of: "account"))"))
  }

  /// Chooses the account that may send its token to the URL.
  private func choose(
    _ url: String, user: String?, _ named: AccountName?, _ ticket: Ticket,
    then body: @escaping (SelectedAccount) throws(Failure) -> Void
  ) throws(Failure) {
    let (gate, urls) = (try accountSelector(for: ticket), ResourceURL.candidates(for: url, user: user))
    jobs.run({ () throws(SessionError) in try gate.selectAccount(among: urls, named: named) }) { [self] outcome in
      sendFailure(to: ticket) { () throws(Failure) in
        let choice: SelectedAccount
        do throws(SessionError) { choice = try outcome.get() } catch { throw Self.failure(error) }
        context.stepSubscribers.narrow(ticket, to: choice.account)
        try body(choice)
      }
    }
  }

  private static func failure(_ error: SessionError) -> Failure {
    var failure = Failure(error, account: nil)
    switch error {
    case .originNotListed, .originOfOtherUser, .unsuitableURL: failure.code = .originNotListed
    default: break
    }
    return failure
  }

  private func begin(
    _ request: TokenRequest, _ destination: TokenRequest.Destination, _ name: AccountName, _ choice: SelectedAccount?,
    _ ticket: Ticket, _ deliver: @escaping Delivery
  ) throws(Failure) {
    var target = try TokenTarget.make(request.target, account: name.text)
    if target == nil { target = try TokenTarget.make(choice?.entry, account: name.text) }
    let call = URLTokenRequest(
      request: request, destination: destination, ticket: ticket, choice: choice, target: target, deliver: deliver)
    let account = try broker.resolve(name.text)
    obtain(call, account, renewing: request.forceRefresh || recordRefusal(call, account.slot(for: target)))
  }

  /// Records that the resource refused the token, if reported. Returns whether a new token may help.
  private func recordRefusal(_ call: URLTokenRequest, _ slot: TokenSlot) -> Bool {
    guard call.destination.isRefused, let origin = call.choice?.url.origin, slot.session.grant != nil else {
      return false
    }
    let now = services.time.now()
    slot.refusals.recordRefusal(by: origin, generation: slot.session.generation, now: now)
    return !slot.refusals.arePermanent(at: origin, now: now)
  }

  private func obtain(_ call: URLTokenRequest, _ account: Account, renewing: Bool) {
    let need = TokenNeed(
      minimumValiditySeconds: call.request.minimumValiditySeconds, forceRefresh: renewing)
    broker.obtain(
      need, call.target, for: call.ticket, account, waitsUntil: waitDeadline(call.request.waitSeconds),
      isAfterRefusal: call.destination.isRefused
    ) { [self] slot, grant throws(Failure) in try finish(call, slot, grant) }
  }

  /// Delivers the token, or first renews an ID Token that expires too soon.
  private func finish(_ call: URLTokenRequest, _ slot: TokenSlot, _ grant: AccessGrant) throws(Failure) {
    var expiry = grant.expiresAtUnixSeconds
    if call.kind == .idToken { expiry = grant.idTokenExpiry }
    if call.kind == .idToken || call.request.extras.wantsIDToken, try renewIDTokenIfDue(call, slot, grant) { return }
    let (origin, entry) = (call.choice?.url.origin.text, call.choice?.entry)
    try call.deliver(
      slot, grant,
      TokenDescription.Use(
        call.kind, at: origin.map { $0 + (entry?.path ?? "") }, expiresAt: expiry, user: entry?.user,
        header: entry?.header))
  }

  /// Renews the ID Token at most once. Returns whether a refresh is in progress.
  private func renewIDTokenIfDue(
    _ call: URLTokenRequest, _ slot: TokenSlot, _ grant: AccessGrant
  ) throws(Failure) -> Bool {
    let use = grant.idTokenUse(
      minimum: call.minimum, wallSeconds: services.time.wallSeconds(), now: services.time.now())
    if use == .sufficient { return false }
    guard use == .refreshNeeded, !call.hasRenewed, slot.session.isRenewable else {
      guard call.kind == .idToken else { return false }
      throw .expiringIDToken(of: slot.name.text)
    }
    var call = call
    call.hasRenewed = true
    obtain(call, try broker.resolve(slot.name.text), renewing: grant.hasSameToken(as: slot.session.grant))
    return true
  }

  // MARK: Forgetting

  /// The limit for a token to compare.
  private static let maximumBytes = 65_536

  /// Drops the cached token if it equals the one in the descriptor.
  func forget(_ request: ForgetRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    guard let source = passed.last else {
      throw Failure(.invalidRequest, "the request must pass a descriptor with the token")
    }
    let named = try broker.requestedName(request.account)
    try choose(request.url, user: nil, named, ticket) { [self] choice in
      let cancellation = context.cancellation(of: ticket)
      jobs.runWaiting(as: .changes(choice.account), cancellation) { () throws(SessionError) in
        try SecretReader.read(source, upTo: Self.maximumBytes, or: { _ in .content }, cancellation) {
          (text) throws(SessionError) in SealedSecret(try SecretReader.secureCopy(of: text))
        }
      } then: { [self] outcome in
        send(outcome, choice.account, ticket) { token in
          let isForgotten = forget(token, of: choice.account)
          return JSONObject([("account", .string(choice.account.text)), ("forgotten", .bool(isForgotten))])
        }
      }
    }
  }

  /// Returns false if the token is not in memory or cannot be renewed.
  private func forget(_ token: SealedSecret, of account: AccountName) -> Bool {
    var isForgotten = false
    for slot in broker.accounts[account]?.slots ?? [] {
      // A token that cannot be renewed is the session itself.
      guard let grant = slot.session.grant, slot.session.isRenewable, slot.session.refresh == nil,
        grant.accessToken.isSame(as: token) || grant.idToken?.isSame(as: token) ?? false
      else { continue }
      slot.session.forgetToken()
      isForgotten = true
    }
    return isForgotten
  }
}
