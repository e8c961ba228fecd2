internal import Encoding
package import Platform
package import Wire

/// The access rules of a connection that may send only some requests, until it closes. Used on the loop only.
package protocol Admission: AnyObject {
  /// Parses a line. A request that is never permitted gets the same error as an unknown one.
  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope
  /// Admits a request after setting everything that its sender may not choose.
  ///
  /// - Returns: Nil to suspend the request until ``ReplySink/goOn(with:_:passed:)`` is called or a failure is sent.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope?
  /// Whether the response to a request may contain the lent token.
  func lendsToken(to ticket: Ticket) -> Bool
  /// Returns a line of a response as the peer may see it.
  func shown(_ reply: Reply, of ticket: Ticket) -> Reply
  /// Called when a connection has closed.
  func left(_ connection: UInt64)
}

extension Admission {
  /// Parses a line.
  ///
  /// - Throws: `not_permitted` for a request that is not permitted or not known, and for a line that is not a request.
  ///   Only errors in a permitted request are described.
  package func envelope(
    parsing line: Span<UInt8>, where isPermitted: (RequestRow) -> Bool
  ) throws(Failure) -> RequestEnvelope {
    let envelope: RequestEnvelope
    do throws(Failure) { envelope = try RequestEnvelope(parsing: line) } catch {
      let name = (try? JSON(parsing: line, limits: WireProtocol.requestLimits))?["request"]?.string
      let row = name.flatMap(Request.declaration(named:))?.row
      throw row.map(isPermitted) == true ? error : .notLent
    }
    guard isPermitted(envelope.request.row) else { throw .notLent }
    return envelope
  }
}
