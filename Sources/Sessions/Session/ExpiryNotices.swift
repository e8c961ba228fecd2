internal import Platform
internal import Vocabulary

/// A notice about a token that was not renewed in time.
package enum ExpiryNotice: Sendable, Hashable {
  case nearEnd(seconds: Int)
  case end
}

/// The notices about the expiry of one token. Each is given once.
struct ExpiryNotices: Sendable {
  /// Whether a new token can be obtained without the user.
  let isRenewable: Bool
  /// How long before expiry the first notice is due.
  private let lead: Duration
  /// The last notice given.
  private var notified: ExpiryNotice?

  /// The first notice is earlier if the user must act than if a renewal should have happened.
  init(_ grant: AccessGrant, isRenewable: Bool) {
    self.isRenewable = isRenewable
    lead =
      isRenewable
      ? RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)
      : RefreshPolicy.renewalLead(ofLifetime: grant.lifetimeSeconds ?? 0)
  }

  /// When the next notice is due. Nil if there are no more.
  ///
  /// - Parameter end: The token's expiry. Nil if unknown.
  func due(_ end: Instant?) -> Instant? {
    switch notified {
    case nil: end?.advanced(by: .zero - lead)
    case .nearEnd: end
    case .end: nil
    }
  }

  var areOver: Bool { notified == .end }

  /// Withdraws the last notice, since the token is valid again.
  mutating func revoke() { if areOver { notified = nil } }

  /// Returns the notice that is due, if any, and records it as given.
  mutating func next(_ end: Instant?, now: Instant) -> ExpiryNotice? {
    guard let end, let due = due(end), due <= now else { return nil }
    notified = now < end ? .nearEnd(seconds: Int(now.duration(to: end).components.seconds)) : .end
    return notified
  }
}
