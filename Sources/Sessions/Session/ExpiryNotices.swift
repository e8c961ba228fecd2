internal import Platform

/// A notice about a token that was not renewed in time.
package enum ExpiryNotice: Sendable, Hashable {
  /// Seconds until the expiry.
  case nearEnd(seconds: Int)
  case end
}

struct ExpiryNotices: Sendable {
  let isRenewable: Bool
  /// How long before expiry the first notice is due.
  private let lead: Duration
  private var notified: ExpiryNotice?

  /// Unless `isRenewable`, the first notice is earlier, since the user must act.
  init(_ grant: AccessGrant, isRenewable: Bool) {
    self.isRenewable = isRenewable
    lead =
      isRenewable
      ? RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)
      : RefreshPolicy.renewalLead(ofLifetime: grant.lifetimeSeconds ?? 0)
  }

  /// The time of the next notice, if any, about a token that expires at `end`.
  func nextNotice(before end: Instant?) -> Instant? {
    switch notified {
    case nil: end?.advanced(by: .zero - lead)
    case .nearEnd: end
    case .end: nil
    }
  }

  var areAllGiven: Bool { notified == .end }

  /// Call it when an expired token is valid again.
  mutating func restartIfAllGiven() { if areAllGiven { notified = nil } }

  /// Returns the due notice, if any, once. `end` is the token's expiry.
  mutating func takeNext(_ end: Instant?, now: Instant) -> ExpiryNotice? {
    guard let end, let due = nextNotice(before: end), due <= now else { return nil }
    notified = now < end ? .nearEnd(seconds: Int(now.duration(to: end).components.seconds)) : .end
    return notified
  }
}
