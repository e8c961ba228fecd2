internal import Sessions

/// Limits concurrent renewals that no request waits for.
final class RenewalLimiter {
  /// Renewals in progress, by server.
  private var perServer: [String: Int] = [:]
  private var count = 0

  /// A permitted renewal, ended by deinitialization.
  final class Permit {
    private let server: String
    private let owner: RenewalLimiter

    fileprivate init(_ server: String, _ owner: RenewalLimiter) {
      self.server = server
      self.owner = owner
    }

    deinit { owner.release(server) }
  }

  /// Nil if the limit is reached.
  func permit(at server: String) -> Permit? {
    let atServer = perServer[server] ?? 0
    guard count < RefreshPolicy.maximumRenewals, atServer < RefreshPolicy.maximumRenewalsPerServer else { return nil }
    perServer[server] = atServer + 1
    count += 1
    return Permit(server, self)
  }

  private func release(_ server: String) {
    count -= 1
    let left = (perServer[server] ?? 1) - 1
    perServer[server] = left == 0 ? nil : left
  }
}
