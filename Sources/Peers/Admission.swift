internal import Encoding
package import Platform
package import Wire

/// The terms of a connection that may send few requests, for as long as it is open. Used on the loop only.
package protocol Admission: AnyObject {
  /// Reads a line. A request that is never permitted is refused in the same words as one that is not known.
  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope
  /// Lets a request pass, with all that its sender may not choose.
  ///
  /// - Returns: Nil holds it, until ``ReplySink/goOn(with:_:passed:)`` or a failure is sent.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope?
  /// Whether the answer to a request may contain the token that is lent.
  func lendsToken(to ticket: Ticket) -> Bool
  /// A line of an answer as the peer may see it.
  func shown(_ reply: Reply, of ticket: Ticket) -> Reply
  /// A connection is closed.
  func left(_ connection: UInt64)
}

extension Admission {
  /// Reads a line.
  ///
  /// - Throws: `not_permitted` for a request that is not permitted or not known, and for a line that is no request. Only of a
  ///   permitted request is it told what is wrong with it.
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
