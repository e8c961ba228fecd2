internal import Sessions

/// How many renewals that nobody waits for are under way. Used on the loop alone.
///
/// A server that hangs, or a thousand accounts that are due, must not take the threads of those who wait.
final class Renewals {
  private var perServer: [String: Int] = [:]
  private var count = 0

  /// A renewal's claim, given back with it, also when its account goes.
  final class Place {
    private let server: String
    private let owner: Renewals

    fileprivate init(_ server: String, _ owner: Renewals) {
      self.server = server
      self.owner = owner
    }

    deinit { owner.giveBack(server) }
  }

  /// A place for one more; nil when there are enough.
  func place(at server: String) -> Place? {
    let atServer = perServer[server] ?? 0
    guard count < RefreshPolicy.mostRenewals, atServer < RefreshPolicy.mostRenewalsPerServer else { return nil }
    perServer[server] = atServer + 1
    count += 1
    return Place(server, self)
  }

  private func giveBack(_ server: String) {
    count -= 1
    let left = (perServer[server] ?? 1) - 1
    perServer[server] = left == 0 ? nil : left
  }
}
