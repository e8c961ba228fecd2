internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

/// An account's most recently published state. Each method records a change and returns the events to publish.
struct PublishedState {
  /// Published sign-in state. Nil until known.
  private var isSignedIn: Bool?
  private var isOffline = false
  /// The latest published refresh failure.
  private var failure: FailureCode?
  /// Whether the server rejected an unexpired token.
  private var wasTokenRejected = false
  /// In unix seconds. Nil if unknown or far off.
  private(set) var signInBy: Int?

  /// A guest session has no user. `wasGuest` describes the replaced session.
  mutating func recordSignIn(_ grant: AccessGrant, isGuest: Bool = false, wasGuest: Bool = false) -> [SessionEvent] {
    self = PublishedState()
    isSignedIn = true
    return [.signedIn(expiresAt: grant.expiresAtUnixSeconds, isGuest: isGuest, wasGuest: wasGuest)]
  }

  mutating func recordRenewal(_ grant: AccessGrant) -> [SessionEvent] {
    let events: [SessionEvent] = [
      isOffline ? .online : nil,
      // Another process may have signed in, or the earlier settings were restored.
      isSignedIn == false
        ? .signedIn(expiresAt: grant.expiresAtUnixSeconds) : .refreshed(expiresAt: grant.expiresAtUnixSeconds),
    ].compactMap { $0 }
    (isSignedIn, isOffline, failure, wasTokenRejected) = (true, false, nil, false)
    return events
  }

  /// Records that the server rejected an unexpired token.
  mutating func recordTokenRejection() -> [SessionEvent] {
    wasTokenRejected = true
    return []
  }

  /// - Parameter reason: The server's, for refusing the refresh token.
  mutating func recordSignOut(_ cause: SessionEvent.SignOutCause, reason: String? = nil) -> [SessionEvent] {
    guard isSignedIn != false else { return [] }
    self = PublishedState()
    isSignedIn = false
    return [.signedOut(cause, reason: reason)]
  }

  /// `end` is in unix seconds, or nil if unknown or far off.
  mutating func recordUpcomingEnd(at end: Int?) -> [SessionEvent] {
    let published = signInBy
    signInBy = end
    guard let end, published.map({ abs($0 - end) > GrantExpiry.tolerance }) ?? true else { return [] }
    return [.sessionExpiring(at: end)]
  }

  /// Records the expiry, in unix seconds, of a token that was not renewed.
  mutating func recordExpiry(at end: Int, isRenewable: Bool) -> [SessionEvent] {
    if !isRenewable { isSignedIn = false }
    return [.expired(at: end, isRenewable: isRenewable)]
  }

  mutating func recordFailure(_ error: SessionError) -> [SessionEvent] {
    if let cause = SessionEvent.SignOutCause(error) {
      // Without a known sign-in, only the server's report is published.
      if isSignedIn == nil, cause != .expired { return [] }
      guard case .expired(_, let reason) = error else { return recordSignOut(cause) }
      return recordSignOut(wasTokenRejected ? .revoked : .expired, reason: reason)
    }
    let code = Failure(error, account: nil).code
    // The lock publishes `locked`.
    if code.exitStatus == .locked { return [] }
    if case .oauth = error, error.isTemporary {
      if isOffline { return [] }
      isOffline = true
      return [.offline(SessionEvent.RefreshFailure(code, error))]
    }
    guard !Self.isUnrelatedToSession(error), failure != code, isSignedIn != false else { return [] }
    failure = code
    return [.refreshFailed(SessionEvent.RefreshFailure(code, error))]
  }

  private static func isUnrelatedToSession(_ error: SessionError) -> Bool {
    switch error {
    case .cancelled, .stopping, .tooBusy, .noAccount, .lifetimeTooShort, .otherTokensUnavailable: true
    default: error.isTemporary
    }
  }
}

extension SessionEvent.RefreshFailure {
  /// Adds the host if it was unreachable.
  init(_ code: FailureCode, _ error: SessionError) {
    guard case .oauth(let error) = error, case .host(let host) = error.subject else {
      self.init(code)
      return
    }
    self.init(code, at: TerminalText.clean(host, limit: 300), error.connectionProblem)
  }
}

extension SessionEvent.SignOutCause {
  /// Nil if the error does not end the session.
  init?(_ error: SessionError) {
    switch error.effect {
    case .ended(.expired): self = .expired
    case .ended(.notKept): self = .notKept
    case .ended: self = .elsewhere
    case .blocked(.settings): self = .settings
    case .blocked(.identity): self = .identity
    case .blocked(.accountMissing), .signInNeeded, .none: return nil
    }
  }
}
