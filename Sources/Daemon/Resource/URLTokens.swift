internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Returns tokens to callers that send them to a URL themselves. The URL determines account and token.
final class URLTokens: AccountPart {
  /// Called with the token and how it is used at the URL.
  typealias Delivery = (TokenSlot, AccessGrant, TokenDescription.Use) throws(Failure) -> Void

  /// A request for a token to send to a URL.
  private struct URLTokenRequest {
    let request: TokenRequest
    let place: TokenRequest.Place
    let ticket: Ticket
    /// The account and settings for the URL. Nil without a URL.
    let choice: ResourceChoice?
    let target: TokenTarget?
    let deliver: Delivery
    /// Whether the ID Token was already renewed because it expires too soon.
    var hasRenewed = false

    /// The settings for the URL override the kind in the request.
    var kind: TokenKind { choice?.entry?.token ?? place.kind ?? .accessToken }

    /// The required remaining lifetime, in seconds.
    var minimum: Int { request.minimumValiditySeconds ?? AccessGrant.shortestIDTokenSeconds }
  }

  /// Responds with the token for a URL.
  func token(_ request: TokenRequest, _ ticket: Ticket) throws(Failure) {
    try obtain(request, ticket) { [loop, services] slot, grant, use throws(Failure) in
      var (description, extras) = (slot.describe(grant), request.extras)
      description.use = use
      if use.kind == .idToken { extras.idToken = true }
      if extras.idToken, let expiry = grant.idTokenExpiry, expiry <= services.time.wallSeconds() {
        (description.isIDTokenExpired, extras.idToken) = (true, false)
      }
      loop.send(try TokenLine(description, grant, extras).line, to: ticket)
    }
  }

  /// Gets the token for a URL. The response may be a failure.
  func obtain(_ request: TokenRequest, _ ticket: Ticket, _ deliver: @escaping Delivery) throws(Failure) {
    guard let place = request.place else { throw try nothingNamed() }
    let named = try broker.named(request.account)
    guard let url = place.url else {
      guard let named else { throw try nothingNamed() }
      return try begin(request, place, named, nil, ticket, deliver)
    }
    try choose(url, user: place.user, named, ticket) { [self] choice throws(Failure) in
      try begin(request, place, choice.account, choice, ticket, deliver)
    }
  }

  /// The error for a request with neither a URL nor an account.
  private func nothingNamed() throws(Failure) -> Failure {
    let names = try settings().accounts.prefix(3).map(\.name.text)
    return Failure(
      .invalidRequest, "neither a URL nor an account is given",
      hint: names.isEmpty ? "agent login" : Phrase("choose one: \(Phrase.choices(Array(names), of: "account"))"))
  }

  /// Chooses the account whose token may be sent to a URL.
  private func choose(
    _ url: String, user: String?, _ named: AccountName?, _ ticket: Ticket,
    then body: @escaping (ResourceChoice) throws(Failure) -> Void
  ) throws(Failure) {
    let (gate, places) = (try gate(for: ticket), ResourcePlace.places(url, user: user))
    jobs.run({ () throws(SessionError) in try gate.choice(among: places, named: named) }) { [self] outcome in
      answering(ticket) { () throws(Failure) in
        let choice: ResourceChoice
        do throws(SessionError) { choice = try outcome.get() } catch { throw Self.failure(error) }
        context.stepSubscribers.narrow(ticket, to: choice.account)
        try body(choice)
      }
    }
  }

  /// Converts an error, with a different code for URLs that no account lists.
  private static func failure(_ error: SessionError) -> Failure {
    var failure = Failure(error, account: nil)
    switch error {
    case .originNotListed, .originOfOtherUser, .noPlace: failure.code = .placeNotListed
    default: break
    }
    return failure
  }

  /// Requests the token once its account is known.
  private func begin(
    _ request: TokenRequest, _ place: TokenRequest.Place, _ name: AccountName, _ choice: ResourceChoice?,
    _ ticket: Ticket, _ deliver: @escaping Delivery
  ) throws(Failure) {
    var target = try TokenTarget.make(request.target, account: name.text)
    if target == nil { target = try TokenTarget.make(choice?.entry, account: name.text) }
    let placed = URLTokenRequest(
      request: request, place: place, ticket: ticket, choice: choice, target: target, deliver: deliver)
    let account = try broker.resolve(name.text)
    obtain(placed, account, renewing: request.forceRefresh || recordRefusal(placed, account.slot(for: target)))
  }

  /// Records that the resource refused the token, if the request reports it.
  ///
  /// - Returns: Whether a new token may help.
  private func recordRefusal(_ placed: URLTokenRequest, _ slot: TokenSlot) -> Bool {
    guard placed.place.isRefused, let origin = placed.choice?.place.origin, slot.session.grant != nil else {
      return false
    }
    let now = services.time.now()
    slot.refusals.refused(by: origin, generation: slot.session.generation, now: now)
    return !slot.refusals.arePermanent(at: origin, now: now)
  }

  private func obtain(_ placed: URLTokenRequest, _ account: Account, renewing: Bool) {
    let need = TokenNeed(
      minimumValiditySeconds: placed.request.minimumValiditySeconds, forceRefresh: renewing)
    broker.obtain(
      need, placed.target, for: placed.ticket, account, waitsUntil: waitEnd(placed.request.waitSeconds),
      isAfterRefusal: placed.place.isRefused
    ) { [self] slot, grant throws(Failure) in try finish(placed, slot, grant) }
  }

  /// Delivers the token.
  private func finish(_ placed: URLTokenRequest, _ slot: TokenSlot, _ grant: AccessGrant) throws(Failure) {
    var expiry = grant.expiresAtUnixSeconds
    if placed.kind == .idToken { expiry = grant.idTokenExpiry }
    if placed.kind == .idToken || placed.request.extras.idToken, try renewIDTokenIfDue(placed, slot, grant) { return }
    let (place, entry) = (placed.choice?.place.origin.text, placed.choice?.entry)
    try placed.deliver(
      slot, grant,
      TokenDescription.Use(
        placed.kind, at: place.map { $0 + (entry?.path ?? "") }, expiresAt: expiry, user: entry?.user,
        header: entry?.header))
  }

  /// Renews an ID Token that expires too soon, once.
  ///
  /// - Returns: Whether a refresh is in progress.
  private func renewIDTokenIfDue(
    _ placed: URLTokenRequest, _ slot: TokenSlot, _ grant: AccessGrant
  ) throws(Failure) -> Bool {
    let use = grant.idTokenUse(
      minimum: placed.minimum, wallSeconds: services.time.wallSeconds(), now: services.time.now())
    if use == .good { return false }
    guard use == .due, !placed.hasRenewed, slot.session.isRenewable else {
      guard placed.kind == .idToken else { return false }
      throw .spentIDToken(of: slot.name.text)
    }
    var placed = placed
    placed.hasRenewed = true
    obtain(placed, try broker.resolve(slot.name.text), renewing: grant.hasSameToken(as: slot.session.grant))
    return true
  }

  // MARK: Forgetting

  /// The maximum length of a token to compare, in bytes.
  private static let maximumBytes = 65_536

  /// Drops a cached token that the resource refused, if it is the one in the descriptor.
  func forget(_ request: ForgetRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    guard let source = passed.last else {
      throw Failure(.invalidRequest, "the request must pass a descriptor with the token")
    }
    let named = try broker.named(request.account)
    try choose(request.url, user: nil, named, ticket) { [self] choice in
      let cancellation = context.cancellation(of: ticket)
      jobs.wait(as: .changes(choice.account), cancellation) { () throws(SessionError) in
        try SecretContent.read(source, upTo: Self.maximumBytes, or: .content, cancellation) {
          (text) throws(SessionError) in SealedSecret(try SecretContent.shared(text))
        }
      } then: { [self] outcome in
        send(outcome, choice.account, ticket) { token in
          let isForgotten = forget(token, of: choice.account)
          return JSONObject([("account", .string(choice.account.text)), ("forgotten", .bool(isForgotten))])
        }
      }
    }
  }

  /// Drops the token that was read from the descriptor.
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
