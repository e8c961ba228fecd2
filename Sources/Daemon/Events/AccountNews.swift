internal import Sessions
internal import Wire

/// What was told of an account, so that each thing is told once.
struct AccountNews {
  /// Nil before anything is known.
  private var isSignedIn: Bool?
  private var isOffline = false
  private var failure: FailureCode?

  /// Somebody signed in.
  mutating func signedIn(_ grant: AccessGrant) -> [SessionEvent] {
    self = AccountNews()
    isSignedIn = true
    return [.signedIn(expiresAt: grant.expiresAtUnixSeconds)]
  }

  /// There is a new token.
  mutating func renewed(_ grant: AccessGrant) -> [SessionEvent] {
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
    self = AccountNews()
    isSignedIn = false
    return [.signedOut(cause)]
  }

  /// The token has ended, and nobody has renewed it. What only a person can renew is a sign-in that is over.
  mutating func expired(at end: Int, isRenewable: Bool) -> [SessionEvent] {
    if !isRenewable { isSignedIn = false }
    return [.expired(at: end, isRenewable: isRenewable)]
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
    // What is locked is told of as such.
    if code.exitStatus == .locked { return [] }
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

extension SessionEvent.SignOutCause {
  /// Nil for an error that leaves the session what it is.
  init?(_ error: SessionError) {
    switch error {
    case .expired: self = .expired
    case .signedOut: self = .elsewhere
    case .configurationChanged, .endpointMoved: self = .settings
    case .identityChanged, .identityUnverified, .identityUnknown: self = .identity
    default: return nil
    }
  }
}
