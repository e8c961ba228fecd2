internal import Platform
internal import Wire

/// Answers the requests of the connections.
protocol RequestHandler: AnyObject {
  /// Starts a request. Its last line may follow at once or much later.
  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Whether more may be said to the request that is being answered.
  func awaitsMore(_ ticket: Ticket) -> Bool
  /// Handles a request that arrives during another one and belongs to it. Returns false for any other request.
  func handleBeside(_ request: Request, _ ticket: Ticket) -> Bool
  /// Keeps the result of a request, which is sent again later. Returns false if it can be sent now.
  func hold(_ result: Reply, of ticket: Ticket) -> Bool
  /// The last line of a request was sent.
  func answered(_ ticket: Ticket)
  /// A connection is closed, after its request was ended.
  func closed(_ connection: UInt64)
  /// Ends a request whose connection closed or whose time is over.
  func abandon(_ ticket: Ticket)
}
