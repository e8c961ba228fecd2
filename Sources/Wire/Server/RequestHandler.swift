package import Platform

/// Handles the connections' requests.
package protocol RequestHandler: AnyObject {
  /// Starts a request. Its last line may follow at once or much later.
  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Whether a request in progress accepts further messages.
  func awaitsMore(_ ticket: Ticket) -> Bool
  /// Handles a request that belongs to one in progress. Returns false for others.
  func handleFollowUp(_ request: Request, _ ticket: Ticket) -> Bool
  /// Keeps a result to send it later. Returns false to send it now.
  func postpone(_ result: Reply, of ticket: Ticket) -> Bool
  /// Called after a request's last line was sent.
  func didAnswer(_ ticket: Ticket)
  /// Logs a closed connection or a timeout.
  func note(_ event: LogEvent)
  /// Called when a connection has closed and its request has ended.
  func didClose(_ connection: UInt64)
  /// Cancels a request after its connection closed or its deadline passed.
  func abandon(_ ticket: Ticket)
}
