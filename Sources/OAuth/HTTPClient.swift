/// What sends one HTTP request. OAuth owns this protocol so that every flow can be tested without a network.
///
/// The call blocks until the whole response is there, so it belongs on a worker thread. An implementation
/// keeps every promise of ``HTTPRequest`` and ``Transport``, and answers each status as a response: only a
/// failure to get a response at all is thrown.
package protocol HTTPClient: Sendable {
  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse
}
