internal import OAuth

/// An account's role credentials, in memory.
struct RoleCache {
  struct Key: Hashable {
    let endpoint: Endpoint
    let role: WebIdentityRole
  }

  private static let maximumCount = 32

  /// Renewal begins this long before expiry, or after half the lifetime if shorter.
  private static let renewalSeconds = 1200

  /// Credentials by role, with the unix time from which to renew them.
  private var credentials: [Key: (value: WebIdentityRole.Credentials, renewFrom: Int)] = [:]

  /// Nil if the credentials need renewal. `now` is in unix seconds.
  func freshCredentials(for key: Key, now: Int) -> WebIdentityRole.Credentials? {
    credentials[key].flatMap { now < $0.renewFrom ? $0.value : nil }
  }

  /// `now` is in unix seconds.
  mutating func store(_ value: WebIdentityRole.Credentials, for key: Key, now: Int) {
    let (left, _) = value.expiresAt.subtractingReportingOverflow(now)
    credentials[key] = (value, value.expiresAt - min(Self.renewalSeconds, max(0, left / 2)))
    guard credentials.count > Self.maximumCount,
      let first = credentials.min(by: { $0.value.renewFrom < $1.value.renewFrom })
    else { return }
    credentials[first.key] = nil
  }
}
