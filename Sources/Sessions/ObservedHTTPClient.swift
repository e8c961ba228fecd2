internal import OAuth
internal import Platform

/// Tells what came of each request, and how long it took.
struct ObservedHTTPClient: HTTPClient {
  let client: any HTTPClient
  let time: any TimeSource
  let observer: StepObserver

  /// `client` itself when nobody is to be told.
  static func wrapping(_ client: any HTTPClient, time: any TimeSource, _ observer: StepObserver?) -> any HTTPClient {
    guard let observer else { return client }
    return ObservedHTTPClient(client: client, time: time, observer: observer)
  }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let begin = time.now()
    let role = request.role
    func milliseconds() -> Int { begin.duration(to: time.now()).wholeMilliseconds }
    do {
      let response = try client.send(request)
      observer(.answered(role, status: response.status, milliseconds: milliseconds()))
      return response
    } catch {
      observer(.unanswered(role, error.code, milliseconds: milliseconds()))
      throw error
    }
  }
}
