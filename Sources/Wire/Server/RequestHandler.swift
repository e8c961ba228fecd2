package import Platform

/// Handles the requests of all connections.
package protocol RequestHandler: AnyObject {
  /// Starts a request. Its response may end during this call or much later.
  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Whether a request accepts further messages.
  func awaitsMore(_ ticket: Ticket) -> Bool
  /// Handles a further message for the request `ticket`. Returns false if `request` is not such a message.
  func handleFollowUp(_ request: Request, _ ticket: Ticket) -> Bool
  /// Keeps a result to send it later. Returns false to send it now.
  func postpone(_ result: Reply, of ticket: Ticket) -> Bool
  /// Called when a request has ended, before the last line of its response is sent.
  func didAnswer(_ ticket: Ticket)
  /// Logs a closed connection or a timeout.
  func note(_ event: LogEvent)
  /// Called when a connection has closed and its request has ended.
  func didClose(_ connection: UInt64)
  /// Cancels a request, for a closed connection or a timeout.
  func abandon(_ ticket: Ticket)
}
