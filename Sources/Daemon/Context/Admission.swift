internal import Platform
internal import Wire

/// The terms of a socket that lends a part of the daemon. A connection that came by it is under them for life. Used on the
/// loop only.
protocol Admission: AnyObject {
  /// Reads a line. A request that is never permitted is refused in the same words as one that is not known.
  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope
  /// Lets a request pass, with all that its sender may not choose.
  ///
  /// - Returns: Nil holds it, until ``ReplySink/goOn(with:_:passed:)`` or a failure is sent.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope?
  /// Whether the answer to a request is the token that is lent.
  func lendsToken(to ticket: Ticket) -> Bool
  /// A line of an answer as the peer may see it.
  func shown(_ reply: Reply, of ticket: Ticket) -> Reply
  /// A connection is closed.
  func left(_ connection: UInt64)
}
