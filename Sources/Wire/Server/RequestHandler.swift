package import Platform

/// Handles the requests of all connections.
package protocol RequestHandler: AnyObject {
  /// Starts a request. Its response may end during this call or later.
  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Whether a request accepts further messages.
  func awaitsMore(_ ticket: Ticket) -> Bool
  /// Handles a further message for the request `ticket`. Returns false for other requests.
  func handleFollowUp(_ request: Request, _ ticket: Ticket) -> Bool
  /// Keeps a result to send later; returns false to send it now.
  func postpone(_ result: Reply, of ticket: Ticket) -> Bool
  /// Called when a request has ended, before its final line is sent.
  func didAnswer(_ ticket: Ticket)
  /// Logs a closed connection or timeout.
  func note(_ event: LogEvent)
  /// Called after a connection and its request have ended.
  func didClose(_ connection: UInt64)
  /// Cancels a request after disconnection or timeout.
  func abandon(_ ticket: Ticket)
}
