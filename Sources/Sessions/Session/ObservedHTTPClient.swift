internal import Encoding
internal import OAuth
internal import Platform

/// Reports the result and duration of each request.
struct ObservedHTTPClient: HTTPClient {
  let client: any HTTPClient
  let time: any TimeSource
  let observer: SessionObserver

  static func wrapping(_ client: any HTTPClient, time: any TimeSource, _ observer: SessionObserver?) -> any HTTPClient {
    guard let observer else { return client }
    return ObservedHTTPClient(client: client, time: time, observer: observer)
  }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let begin = time.now()
    let line = RequestLine(request.role, request.method.rawValue, url: request.endpoint.text)
    do {
      let response = try client.send(request)
      let time = milliseconds(since: begin)
      if let defect = response.defect {
        observer(.unanswered(line, defect, milliseconds: time))
      } else {
        observer(.step(.answered(line, status: response.status, milliseconds: time)))
      }
      return response
    } catch {
      observer(.unanswered(line, error, milliseconds: milliseconds(since: begin)))
      throw error
    }
  }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    let begin = time.now()
    let line = RequestLine(.resource, request.method.text, url: request.endpoint.uri.origin)
    do {
      let response = try client.exchange(request, authorization: authorization, content: content, receiver: receiver)
      observer(.step(.answered(line, status: response.head.status, milliseconds: milliseconds(since: begin))))
      return response
    } catch {
      observer(.unanswered(line, error, milliseconds: milliseconds(since: begin)))
      throw error
    }
  }

  private func milliseconds(since begin: Instant) -> Int { begin.duration(to: time.now()).wholeMilliseconds }
}
