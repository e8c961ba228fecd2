internal import Crypto
internal import Platform

struct CachedToken: Sendable {
  var grant: AccessGrant
  /// Whether a caller has received the token or requested a newer one.
  var isUsed = false
  var notices: ExpiryNotices
  /// How long before expiry to renew in the background, including jitter.
  private let renewalLead: Duration

  /// `jitter` is random in 0..<1.
  init(_ grant: AccessGrant, isRenewable: Bool, jitter: Double) {
    self.grant = grant
    notices = ExpiryNotices(grant, isRenewable: isRenewable)
    renewalLead = RefreshPolicy.renewalLead(ofLifetime: grant.lifetimeSeconds ?? 0) * (0.5 + 0.5 * jitter)
  }

  /// Nil if the lifetime is unknown or too short for background renewals.
  var renewalDue: Instant? {
    guard let lifetime = grant.lifetimeSeconds, lifetime >= RefreshPolicy.shortestRenewedLifetimeSeconds else {
      return nil
    }
    return grant.expiresAt?.advanced(by: .zero - renewalLead)
  }

  /// Whether the token cannot be renewed and may be valid. Ignores clock changes, which may be errors.
  func isIrreplaceable(at now: Instant) -> Bool {
    !notices.isRenewable && grant.accessToken.count > 0 && grant.latestEnd.map { now < $0 } ?? true
  }

  /// When to wipe the token. Nil before its final notice and after wiping.
  var wipeDue: Instant? {
    guard notices.areAllGiven, grant.accessToken.count > 0 else { return nil }
    return notices.isRenewable ? grant.expiresAt : grant.latestEnd
  }

  mutating func applyClockChange(wallSeconds: Int, now: Instant) {
    grant = grant.adjustedToClock(wallSeconds: wallSeconds, now)
    if isIrreplaceable(at: now), grant.isAlive(at: now) { notices.restartIfAllGiven() }
  }

  /// Nil if the policy keeps the token in memory.
  func removalDue(_ policy: RefreshPolicy) -> Instant? {
    guard policy == .strict else { return nil }
    let limit = grant.lifetimeStart.advanced(by: RefreshPolicy.longestStrictCache)
    guard let expiresAt = grant.expiresAt else { return limit }
    return min(
      limit, expiresAt.advanced(by: .zero - RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)))
  }

  func satisfies(_ need: TokenNeed, _ policy: RefreshPolicy, now: Instant) -> Bool {
    if let removalDue = removalDue(policy), now >= removalDue { return false }
    guard let remaining = grant.remaining(at: now) else {
      // A token of unknown lifetime suffices if young enough, or not renewable.
      guard let wanted = need.minimumValiditySeconds, wanted > 0, notices.isRenewable else { return true }
      return grant.lifetimeStart.duration(to: now) <= .seconds(wanted)
    }
    let wanted =
      need.minimumValiditySeconds.map { Duration.seconds($0) }
      ?? RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)
    return remaining > .zero && remaining >= wanted
  }
}
