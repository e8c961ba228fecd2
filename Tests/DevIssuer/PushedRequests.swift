import Platform

/// Authorization requests that came ahead of the browser (RFC 9126 section 2.2).
struct PushedRequests: Sendable {
  /// More than this push out the oldest.
  static let capacity = 1000
  /// Seconds.
  static let lifetime = 60

  private struct Entry: Sendable {
    let request: AuthorizationRequest
    let expiresAt: Instant
  }

  private var entries = BoundedTable<OpaqueKey, Entry>(capacity: capacity)

  mutating func add(_ request: AuthorizationRequest, key: OpaqueKey, at now: Instant) {
    entries[key] = Entry(request: request, expiresAt: now.advanced(by: .seconds(Self.lifetime)))
  }

  /// Takes a request out. One of another client stays and is not told.
  mutating func take(_ key: OpaqueKey, clientID: String, at now: Instant) -> AuthorizationRequest? {
    guard let entry = entries[key], entry.request.clientID == clientID else { return nil }
    entries[key] = nil
    return entry.expiresAt > now ? entry.request : nil
  }

  mutating func removeAll() {
    entries.removeAll()
  }
}
