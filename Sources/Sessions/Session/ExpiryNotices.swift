internal import Platform

/// A notice about a token that was not renewed in time.
package enum ExpiryNotice: Sendable, Hashable {
  case nearEnd(seconds: Int)
  /// The token has expired.
  case end
}

/// The expiry notices about one token, each given once.
struct ExpiryNotices: Sendable {
  let isRenewable: Bool
  /// How long before expiry the first notice is due.
  private let lead: Duration
  /// The latest notice given.
  private var notified: ExpiryNotice?

  /// Unless the daemon renews the token (`isRenewable`), the first notice is earlier, since the user must act.
  init(_ grant: AccessGrant, isRenewable: Bool) {
    self.isRenewable = isRenewable
    lead =
      isRenewable
      ? RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)
      : RefreshPolicy.renewalLead(ofLifetime: grant.lifetimeSeconds ?? 0)
  }

  /// The time of the next notice about a token that expires at `end`. Nil if that is unknown or no notice is left.
  func nextNotice(before end: Instant?) -> Instant? {
    switch notified {
    case nil: end?.advanced(by: .zero - lead)
    case .nearEnd: end
    case .end: nil
    }
  }

  var areAllGiven: Bool { notified == .end }

  /// Restarts the notices after the final one, because the token is valid again.
  mutating func withdrawLast() { if areAllGiven { notified = nil } }

  /// Returns the notice that is due, if any, once. `end` is the token's expiry, if known.
  mutating func takeNext(_ end: Instant?, now: Instant) -> ExpiryNotice? {
    guard let end, let due = nextNotice(before: end), due <= now else { return nil }
    notified = now < end ? .nearEnd(seconds: Int(now.duration(to: end).components.seconds)) : .end
    return notified
  }
}
