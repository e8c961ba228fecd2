internal import Platform

/// Nonces and clock offsets, separate by key and server. Thread-safe and bounded.
package final class DPoPMemory: Sendable {
  /// A host in both roles issues separate nonces (RFC 9449 section 9).
  package enum Role: Sendable, Hashable { case authorizationServer, resourceServer }

  /// Limits the servers. The least recently updated is dropped.
  package static let capacity = 256

  private struct Server: Hashable {
    let thumbprint: String
    let role: Role
    let origin: String
  }

  private struct State {
    var nonces = RecentTable<Server, String>(capacity: DPoPMemory.capacity)
    /// In seconds.
    var clockOffsets = RecentTable<Server, Int>(capacity: DPoPMemory.capacity)
    /// The authorization server's latest offset, by key thumbprint.
    var issuerClockOffsets = RecentTable<String, Int>(capacity: DPoPMemory.capacity)
  }

  private let state = Monitor(State())

  package init() {}

  /// The server's latest nonce (RFC 9449 section 8.2), if any.
  package func nonce(for key: DPoPKey, _ role: Role, origin: String) -> String? {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    return state.withLock { $0.nonces[server] }
  }

  package func store(nonce: String, for key: DPoPKey, _ role: Role, origin: String) {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    state.withLock { $0.nonces.set(nonce, for: server) }
  }

  /// Seconds that the server's clock is ahead of this machine's; 0 if unknown. A resource's defaults to the
  /// authorization server's.
  package func clockOffset(for key: DPoPKey, _ role: Role, origin: String) -> Int {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    return state.withLock { state in
      state.clockOffsets[server] ?? (role == .resourceServer ? state.issuerClockOffsets[server.thumbprint] : nil)
    } ?? 0
  }

  package func store(clockOffset: Int, for key: DPoPKey, _ role: Role, origin: String) {
    let server = Server(thumbprint: key.thumbprint, role: role, origin: origin)
    state.withLock { state in
      state.clockOffsets.set(clockOffset, for: server)
      if role == .authorizationServer { state.issuerClockOffsets.set(clockOffset, for: server.thumbprint) }
    }
  }
}

/// A bounded dictionary that drops the least recently set entry.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [Key: Value] = [:]
  /// Least recently set first.
  private var order: [Key] = []

  /// `capacity` must be small, since setting a value searches all keys.
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
