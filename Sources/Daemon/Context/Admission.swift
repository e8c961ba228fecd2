internal import Platform
internal import Wire

/// The access rules of a lease's socket. They apply to every connection accepted there until it closes. Used on the
/// loop only.
protocol Admission: AnyObject {
  /// Parses a line. A request that is never permitted fails with the same message as an unknown one.
  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope
  /// Permits a request, and sets all parameters that its sender may not choose.
  ///
  /// - Returns: Nil to defer the request until ``ReplySink/goOn(with:_:passed:)`` or a failure is sent.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope?
  /// Whether the response to a request is the lent token.
  func lendsToken(to ticket: Ticket) -> Bool
  /// A line of a response as the peer may see it.
  func shown(_ reply: Reply, of ticket: Ticket) -> Reply
  /// Handles a closed connection.
  func left(_ connection: UInt64)
}
