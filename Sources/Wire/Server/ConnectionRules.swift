internal import Encoding
package import Platform

/// A connection's access rules until it closes.
package protocol ConnectionRules: AnyObject {
  /// Parses a line. Forbidden and unknown requests get the same error.
  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope
  /// Admits a request, overriding members that its sender may not choose. Returns nil to suspend it until
  /// ``RequestLoop/resume(with:_:passed:)``.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope?
  /// Whether a response may contain the lent token.
  func lendsToken(to ticket: Ticket) -> Bool
  /// Removes parts that the peer must not see.
  func filtering(_ reply: Reply, of ticket: Ticket) -> Reply
  func didDisconnect(_ connection: UInt64)
}

extension ConnectionRules {
  /// - Throws: `not_permitted` unless a request's properties satisfy `isPermitted`.
  package func envelope(
    parsing line: Span<UInt8>, where isPermitted: (RequestProperties) -> Bool
  ) throws(Failure) -> RequestEnvelope {
    let envelope: RequestEnvelope
    do throws(Failure) { envelope = try RequestEnvelope(parsing: line) } catch {
      let name = (try? JSON(parsing: line, limits: WireProtocol.requestLimits))?["request"]?.string
      let row = name.flatMap(Request.declaration(named:))?.properties
      throw row.map(isPermitted) == true ? error : .notPermittedByLease
    }
    guard isPermitted(envelope.request.properties) else { throw .notPermittedByLease }
    return envelope
  }
}
