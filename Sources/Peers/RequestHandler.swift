package import Platform
package import Wire

/// Handles the requests of the connections.
package protocol RequestHandler: AnyObject {
  /// Starts a request. Its last line may be sent at once or much later.
  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Whether the request in progress accepts further messages.
  func awaitsMore(_ ticket: Ticket) -> Bool
  /// Handles a request that belongs to another one in progress. Returns false for any other request.
  func handleBeside(_ request: Request, _ ticket: Ticket) -> Bool
  /// Keeps the result of a request to send it later. Returns false if it can be sent now.
  func hold(_ result: Reply, of ticket: Ticket) -> Bool
  /// Called after the last line of a request was sent.
  func answered(_ ticket: Ticket)
  /// Logs that this process closed a connection, or that a request timed out.
  func note(_ event: LogEvent)
  /// Called when a connection has closed, after its request was ended.
  func closed(_ connection: UInt64)
  /// Cancels a request whose connection closed or whose deadline passed.
  func abandon(_ ticket: Ticket)
}
