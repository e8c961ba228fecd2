import Platform

/// Authorization requests that wait for the user.
struct PendingAuthorizations: Sendable {
  /// More than this push out the oldest.
  static let capacity = 1000
  private static let lifetime = Duration.seconds(600)

  private struct Entry: Sendable {
    let request: AuthorizationRequest
    let expiresAt: Instant
  }

  private var entries = BoundedTable<OpaqueKey, Entry>(capacity: capacity)

  mutating func add(_ request: AuthorizationRequest, key: OpaqueKey, at now: Instant) {
    entries[key] = Entry(request: request, expiresAt: now.advanced(by: Self.lifetime))
  }

  /// Nil for one that is unknown, decided or too old.
  func request(_ key: OpaqueKey, at now: Instant) -> AuthorizationRequest? {
    guard let entry = entries[key], entry.expiresAt > now else { return nil }
    return entry.request
  }

  /// Takes the request out, so that it is decided once.
  mutating func take(_ key: OpaqueKey, at now: Instant) -> AuthorizationRequest? {
    defer { entries[key] = nil }
    return request(key, at: now)
  }

  mutating func removeAll() {
    entries.removeAll()
  }
}
