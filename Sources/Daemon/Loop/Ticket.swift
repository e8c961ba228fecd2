/// Names one request on one connection, so that a late answer never reaches another request.
struct Ticket: Sendable, Hashable {
  let connection: UInt64
  let serial: UInt64

  /// Of what the daemon does for itself.
  static let nobody = Ticket(connection: 0, serial: 0)
}
