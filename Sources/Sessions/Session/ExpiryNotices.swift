internal import Platform
internal import Vocabulary

/// A notice about a token that was not renewed in time.
package enum ExpiryNotice: Sendable, Hashable {
  /// The token expires in this many seconds.
  case nearEnd(seconds: Int)
  case end
}

/// The notices about the expiry of one token. Each is given once.
struct ExpiryNotices: Sendable {
  /// Whether a new token can be obtained without a person.
  let isRenewable: Bool
  /// Nil for a token of unknown lifetime, which has no notices.
  private let end: Instant?
  private let nearEnd: Instant?
  /// The last notice given.
  private var notified: ExpiryNotice?

  /// The first notice comes earlier if a person must act than if the renewal should have happened by itself.
  init(_ grant: AccessGrant, isRenewable: Bool) {
    self.isRenewable = isRenewable
    end = grant.expiresAt
    let lead =
      isRenewable
      ? RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)
      : RefreshPolicy.renewalLead(ofLifetime: grant.lifetimeSeconds ?? 0)
    nearEnd = end?.advanced(by: .zero - lead)
  }

  /// When the next notice is due; nil if there are none left.
  var due: Instant? {
    switch notified {
    case nil: nearEnd
    case .nearEnd: end
    case .end: nil
    }
  }

  /// Returns the notice that is due, if any, and records it as given.
  mutating func next(now: Instant) -> ExpiryNotice? {
    guard let end, let due, due <= now else { return nil }
    notified = now < end ? .nearEnd(seconds: Int(now.duration(to: end).components.seconds)) : .end
    return notified
  }
}
