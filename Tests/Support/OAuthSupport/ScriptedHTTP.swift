internal import Crypto
package import Encoding
package import OAuth
internal import Platform
internal import Testing

/// An HTTP client that responds from a script, or by URL, and records requests.
package final class ScriptedHTTP: HTTPClient {
  /// A request as it would have been sent.
  package struct Recorded: Equatable, Sendable {
    package var method: HTTPRequest.Method
    package var url: String
    /// In the order of the body; nil without a form.
    package var form: [String]?
    package var authorization: String?
    /// The `DPoP` header.
    package var proof: String?
    package var accept = "application/json"
    package var followsRedirects = false
    package var limit = HTTPRequest.defaultResponseLimit
    /// Nil for any other body.
    package var json: JSON?
    /// The `If-None-Match` header.
    package var ifNoneMatch: String?
    /// The thumbprint of the client certificate, for a resource.
    package var certificate: String?

    package init(
      method: HTTPRequest.Method = .post, url: String, form: [String]? = nil, authorization: String? = nil,
      followsRedirects: Bool = false, limit: Int = HTTPRequest.defaultResponseLimit, certificate: String? = nil
    ) {
      (self.method, self.url, self.form, self.authorization) = (method, url, form, authorization)
      (self.followsRedirects, self.limit, self.certificate) = (followsRedirects, limit, certificate)
    }
  }

  /// A response of the script, or a failure.
  package typealias Reply = Result<HTTPResponse, HTTPFailure>
  package typealias Answer = @Sendable (Recorded) throws -> HTTPResponse

  private struct State: Sendable {
    /// For the next requests, whatever their URL.
    var script: [Answer]
    var once: [String: [Answer]] = [:]
    var always: [String: Answer] = [:]
    var requests: [Recorded] = []
    var transports: [Transport] = []
  }

  private let state: Monitor<State>

  package init(_ script: [Reply]) {
    state = Monitor(State(script: script.map { reply in { _ in try reply.get() } }))
  }

  package convenience init(_ responses: HTTPResponse...) { self.init(responses.map { .success($0) }) }

  package var requests: [Recorded] { state.withLock { $0.requests } }
  package var transports: [Transport] { state.withLock { $0.transports } }
  package var urls: [String] { requests.map(\.url) }
  /// The number of responses of the script that were not requested.
  package var unused: Int { state.withLock { $0.script.count } }

  /// Records a request that another client handles.
  package func record(_ request: Recorded) { state.withLock { $0.requests.append(request) } }

  package func forgetRequests() { state.withLock { $0.requests = [] } }

  /// Sets the response to the next request to `url` that has none yet.
  package func answer(_ url: String, _ answer: @escaping Answer) {
    state.withLock { $0.once[url, default: []].append(answer) }
  }

  package func answer(_ url: String, _ response: HTTPResponse) { answer(url) { _ in response } }

  package func fail(_ url: String, _ failure: HTTPFailure) { answer(url) { _ in throw failure } }

  /// Sets the response to requests to `url` that have none of their own.
  package func always(_ url: String, _ response: HTTPResponse) {
    state.withLock { $0.always[url] = { _ in response } }
  }

  /// Fails, since no test of authorization servers contacts a resource.
  package func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse { throw HTTPFailure(.setup) }

  package func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    var recorded = Recorded(
      method: request.method, url: request.endpoint.text, form: request.isJSON ? nil : Self.fields(request.form),
      authorization: Self.text(request.authorization), followsRedirects: request.followsRedirects)
    (recorded.proof, recorded.accept, recorded.limit) = (request.proof, request.accept, request.responseLimit)
    (recorded.json, recorded.ifNoneMatch) = (request.isJSON ? Self.json(request.form) : nil, request.ifNoneMatch)
    let (transport, sent) = (request.transport, recorded)
    let answer = state.withLock { state -> Answer? in
      state.requests.append(sent)
      state.transports.append(transport)
      if !state.script.isEmpty { return state.script.removeFirst() }
      guard let first = state.once[sent.url]?.first else { return state.always[sent.url] }
      state.once[sent.url]?.removeFirst()
      return first
    }
    if request.cancellation?.isCancelled == true { throw HTTPFailure(.cancelled) }
    if request.spends { request.cancellation?.beginSpending() }
    guard let answer else {
      Issue.record("an unexpected request to \(sent.url)")
      throw HTTPFailure(.setup)
    }
    do {
      return try answer(sent)
    } catch let failure as HTTPFailure {
      throw failure
    } catch {
      Issue.record(error)
      throw HTTPFailure(.setup)
    }
  }

  private static func fields(_ form: borrowing SecretBytes?) -> [String]? {
    switch form {
    case .none: return nil
    case .some(let body):
      let fields = body.withBytes { (try? Form.parse($0)) ?? [] }
      return fields.map { "\($0.name)=\($0.value)" }
    }
  }

  private static func json(_ body: borrowing SecretBytes?) -> JSON? {
    text(body).flatMap { try? JSON(parsing: Array($0.utf8)) }
  }

  private static func text(_ secret: borrowing SecretBytes?) -> String? {
    switch secret {
    case .none: return nil
    case .some(let bytes): return bytes.text
    }
  }
}
