internal import Platform

/// The nonces and clocks that servers sent for proofs. Shared by all accounts; thread-safe, bounded, and in memory
/// only.
///
/// Every key has entries of its own, so that no server of one account has a say in the proofs of another.
package final class DPoPMemory: Sendable {
  /// The role of a server for an account. The same host may have both, and issues nonces for each (RFC 9449 section 9).
  package enum Role: Sendable, Hashable { case authorizationServer, resourceServer }

  /// More servers than this push out the one that was heard of the longest time ago.
  package static let capacity = 256

  private struct Server: Hashable {
    let thumbprint: String
    let role: Role
    let origin: String
  }

  private struct State {
    var nonces = RecentTable<Server, String>(capacity: DPoPMemory.capacity)
    /// By thumbprint, in seconds.
    var clockErrors = RecentTable<String, Int>(capacity: DPoPMemory.capacity)
  }

  private let state = Monitor(State())

  package init() {}

  /// The nonce that a server gave last (RFC 9449 section 8.2).
  package func nonce(for key: DPoPKey, _ role: Role, origin: String) -> String? {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    return state.withLock { $0.nonces[server] }
  }

  /// Takes a new nonce in place of the one before.
  package func note(nonce: String, for key: DPoPKey, _ role: Role, origin: String) {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    state.withLock { $0.nonces.set(nonce, for: server) }
  }

  /// How many seconds the servers are ahead of this machine's clock, where that was found to matter.
  package func clockError(for key: DPoPKey) -> Int {
    state.withLock { $0.clockErrors[key.thumbprint] } ?? 0
  }

  package func note(clockError: Int, for key: DPoPKey) {
    let thumbprint = key.thumbprint
    state.withLock { $0.clockErrors.set(clockError, for: thumbprint) }
  }
}
