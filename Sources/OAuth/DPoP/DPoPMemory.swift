internal import Platform

/// The nonces and clocks that servers sent for proofs. Shared by all accounts; thread-safe, bounded, and in memory
/// only.
///
/// Every key and every server has entries of its own, so that no server has a say in the proofs for another.
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
    /// In seconds.
    var clockErrors = RecentTable<Server, Int>(capacity: DPoPMemory.capacity)
    /// The last one of the authorization server, by the key's thumbprint.
    var issuerClockErrors = RecentTable<String, Int>(capacity: DPoPMemory.capacity)
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

  /// How many seconds a server is ahead of this machine's clock, where that was found to matter. A resource that has not
  /// shown another time is taken to have that of the authorization server, never the other way round.
  package func clockError(for key: DPoPKey, _ role: Role, origin: String) -> Int {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    return state.withLock { state in
      state.clockErrors[server] ?? (role == .resourceServer ? state.issuerClockErrors[server.thumbprint] : nil)
    } ?? 0
  }

  package func note(clockError: Int, for key: DPoPKey, _ role: Role, origin: String) {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    state.withLock { state in
      state.clockErrors.set(clockError, for: server)
      if role == .authorizationServer { state.issuerClockErrors.set(clockError, for: server.thumbprint) }
    }
  }
}

/// A dictionary of bounded size: when it is full, the entry that was set the longest time ago is dropped.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [Key: Value] = [:]
  /// Keys, the one that was set last at the end.
  private var order: [Key] = []

  /// - Parameter capacity: At least 1, and small: setting looks through all keys.
  init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  subscript(key: Key) -> Value? { values[key] }

  mutating func set(_ value: Value, for key: Key) {
    if values.updateValue(value, forKey: key) != nil { order.removeAll { $0 == key } }
    order.append(key)
    if order.count > capacity { values[order.removeFirst()] = nil }
  }
}
