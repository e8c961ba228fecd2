internal import OAuth

/// The role credentials of one account, in memory.
struct RoleCache {
  struct Key: Hashable {
    let endpoint: Endpoint
    let role: WebIdentityRole
  }

  private static let maximumCount = 32

  /// The remaining lifetime, in seconds, below which credentials are renewed.
  private static let renewalSeconds = 1200

  /// The credentials by role, and the unix time from which to renew them.
  private var credentials: [Key: (value: WebIdentityRole.Credentials, renewFrom: Int)] = [:]

  /// The credentials of a role, unless they need renewal. `now` is in unix seconds.
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
