internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Variables passed by clients, in memory until the connection closes.
final class PassedVariables: DaemonPart {
  private static let maximumBytes = BearerAssertion.maximumBytes

  /// Values by connection and name.
  private var values: [UInt64: [String: SealedSecret]] = [:]
  private var ticketsBeingRead: Set<Ticket> = []

  /// Replaces the connection's values.
  func read(_ request: VariablesRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    let sources = passed.suffix(request.names.count)
    guard sources.count == request.names.count else {
      throw .missingDescriptors
    }
    ticketsBeingRead.insert(ticket)
    let cancellation = context.cancellation(of: ticket)
    jobs.runWaiting(as: WaitShare(ticket), cancellation) { () throws(SessionError) in
      var values: [String: SealedSecret] = [:]
      for (name, source) in zip(request.names, sources) {
        let unusable = SessionError.assertion(.malformed, .variable(name))
        let value = try SecretReader.readLine(source, upTo: Self.maximumBytes, or: { _ in unusable }, cancellation) {
          bytes in
          bytes.indices.allSatisfy { bytes[$0].isVisibleASCII }
        }
        values[name] = SealedSecret(value)
      }
      return values
    } then: { [self] outcome in
      guard ticketsBeingRead.remove(ticket) != nil else { return }
      send(outcome, nil, ticket) { found in
        values[ticket.connection] = found
        return JSONObject()
      }
    }
  }

  /// Ignores a disconnected sender's values.
  func abandon(_ ticket: Ticket) { ticketsBeingRead.remove(ticket) }

  func forgetValues(of connection: UInt64) { if !values.isEmpty { values[connection] = nil } }

  /// The values from the first connection that passed all variables, or none.
  func values(_ names: [String], of tickets: [Ticket]) -> [String: SharedSecret] {
    for ticket in tickets {
      let found = (values[ticket.connection] ?? [:]).filter { names.contains($0.key) }.compactMapValues {
        try? $0.open()
      }
      if found.count == names.count { return found }
    }
    return [:]
  }
}
