/// Names one request on one connection, so that a late answer never reaches another request.
struct Ticket: Sendable, Hashable {
  let connection: UInt64
  let serial: UInt64

  /// Ticket of work without a request.
  static let nobody = Ticket(connection: 0, serial: 0)
}
