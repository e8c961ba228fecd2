internal import Encoding
package import Platform

/// The access rules of a connection that permits only some requests. They apply until it closes.
package protocol Admission: AnyObject {
  /// Parses a line. Forbidden and unknown requests get the same error.
  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope
  /// Admits a request. Overrides the properties that its sender may not choose.
  ///
  /// - Returns: The request to handle; nil to suspend it until ``ReplySink/resume(with:_:passed:)`` or a failure.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope?
  /// Whether a response may contain the lent token.
  func lendsToken(to ticket: Ticket) -> Bool
  /// Removes data that the peer must not see from a response.
  func filtering(_ reply: Reply, of ticket: Ticket) -> Reply
  /// Called when a connection is closed.
  func didDisconnect(_ connection: UInt64)
}

extension Admission {
  /// Parses a line of a request whose properties satisfy `isPermitted`.
  ///
  /// - Throws: `not_permitted` for any other line, and more specific errors for permitted requests.
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
