/// Names one request on one connection, so that a late answer never reaches another request.
struct Ticket: Sendable, Hashable {
  let connection: UInt64
  let serial: UInt64
}
