internal import Platform
internal import Sessions
internal import Wire

/// What was told of an account, so that each thing is told once.
struct AccountNews {
  /// Nil before anything is known.
  private var isSignedIn: Bool?
  private var isOffline = false
  private var failure: FailureCode?
  /// Whether a new token can be got without a person.
  private var isRenewable = true
  /// How much of a token's end was told, by the session's generation.
  private var ending: (generation: UInt64, isOver: Bool)?
  /// When the timer for the token's end goes off.
  private var scheduled: Instant?

  /// Somebody signed in.
  mutating func signedIn(_ grant: AccessGrant, isRenewable: Bool) -> [SessionEvent] {
    self = AccountNews(scheduled: scheduled)
    isSignedIn = true
    self.isRenewable = isRenewable
    return [.signedIn(expiresAt: grant.expiresAtUnixSeconds)]
  }

  /// There is a new token.
  mutating func renewed(_ grant: AccessGrant) -> [SessionEvent] {
    // Only what came by a refresh replaced something.
    isRenewable = grant.replacedGeneration != nil
    let events: [SessionEvent] = [
      isOffline ? .online : nil,
      // Another process may have signed in, or somebody put the settings back.
      isSignedIn == false
        ? .signedIn(expiresAt: grant.expiresAtUnixSeconds) : .refreshed(expiresAt: grant.expiresAtUnixSeconds),
    ].compactMap { $0 }
    (isSignedIn, isOffline, failure) = (true, false, nil)
    return events
  }

  /// The session is over.
  mutating func signedOut(_ cause: SessionEvent.SignOutCause) -> [SessionEvent] {
    guard isSignedIn != false else { return [] }
    self = AccountNews(scheduled: scheduled)
    isSignedIn = false
    return [.signedOut(cause)]
  }

  /// A new token could not be got.
  mutating func failed(_ error: SessionError) -> [SessionEvent] {
    if let cause = SessionEvent.SignOutCause(error) {
      // Of an account that nobody knew to be signed in only the server's word is news.
      return isSignedIn == nil && cause != .expired ? [] : signedOut(cause)
    }
    // A lock is told where it happens.
    if error.isLocked { return [] }
    let code = Failure(error, account: nil).code
    if case .oauth = error, error.isPassing {
      if isOffline { return [] }
      isOffline = true
      return [.offline(code)]
    }
    guard !Self.passesByItself(error), failure != code, isSignedIn != false else { return [] }
    failure = code
    return [.refreshFailed(code)]
  }

  private static func passesByItself(_ error: SessionError) -> Bool {
    switch error {
    case .cancelled, .noAccount, .lifetimeTooShort, .noOtherTokens: true
    default: error.isPassing
    }
  }
}

// MARK: - The token's end

extension AccountNews {
  init(scheduled: Instant? = nil) { self.scheduled = scheduled }

  /// The same for the account under another name, which has no timer yet.
  var forAnotherName: AccountNews {
    var news = self
    news.scheduled = nil
    return news
  }

  /// When the timer for the token at hand must go off; nil when it need not be set.
  mutating func nextLook(at session: Session) -> Instant? {
    guard let grant = session.grant, let expiry = grant.expiresAt else { return nil }
    if ending?.generation == session.generation, ending?.isOver == true { return nil }
    let near = expiry.advanced(by: .zero - lead(of: grant))
    let isNearTold = ending?.generation == session.generation
    let due = isNearTold ? expiry : near
    // One that goes off too early sets the next.
    if let scheduled, scheduled <= due { return nil }
    scheduled = due
    return due
  }

  /// The timer went off.
  mutating func look(at session: Session, now: Instant) -> [SessionEvent] {
    scheduled = nil
    guard let grant = session.grant, let expiry = grant.expiresAt, let seconds = grant.expiresAtUnixSeconds,
      expiry.advanced(by: .zero - lead(of: grant)) <= now
    else { return [] }
    let isOver = expiry <= now
    if let ending, ending.generation == session.generation, ending.isOver || !isOver { return [] }
    ending = (session.generation, isOver)
    guard isOver else { return [.expiring(at: seconds, isRenewable: isRenewable)] }
    if !isRenewable { isSignedIn = false }
    return [.expired(at: seconds, isRenewable: isRenewable)]
  }

  /// A token that is renewed by itself is near its end when that did not happen; what a person must do is told
  /// earlier.
  private func lead(of grant: AccessGrant) -> Duration {
    isRenewable
      ? RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)
      : RefreshPolicy.renewalLead(ofLifetime: grant.lifetimeSeconds ?? 0)
  }
}

extension SessionEvent.SignOutCause {
  /// Nil for an error that leaves the session what it is.
  init?(_ error: SessionError) {
    switch error {
    case .expired: self = .expired
    case .signedOut: self = .elsewhere
    case .configurationChanged, .endpointMoved: self = .settings
    case .identityChanged, .identityUnknown: self = .identity
    default: return nil
    }
  }
}
