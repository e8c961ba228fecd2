import Crypto
import Encoding
import OAuth
import Platform
import Testing

/// An HTTP client that responds by URL and records requests.
final class ScriptedHTTP: HTTPClient {
  /// A request as it would have been sent.
  struct Recorded: Equatable, Sendable {
    var method: HTTPRequest.Method = .post
    var url: String
    /// In order; nil without a form.
    var form: [String]?
    var authorization: String?
    /// The `DPoP` header.
    var proof: String?
    /// Nil for any other body.
    var json: JSON?
    /// The `If-None-Match` header.
    var ifNoneMatch: String?
    /// The thumbprint of the client certificate, for a resource.
    var certificate: String?
  }

  typealias Answer = @Sendable (Recorded) throws -> HTTPResponse

  private struct State: Sendable {
    var once: [String: [Answer]] = [:]
    var always: [String: Answer] = [:]
    var requests: [Recorded] = []
    var transports: [Transport] = []
  }

  private let state = Monitor(State())

  var requests: [Recorded] { state.withLock { $0.requests } }
  var transports: [Transport] { state.withLock { $0.transports } }
  var urls: [String] { requests.map(\.url) }

  /// Records a request that another client handles.
  func record(_ request: Recorded) { state.withLock { $0.requests.append(request) } }

  func forgetRequests() { state.withLock { $0.requests = [] } }

  /// Sets the response to the next request to `url` that has none yet.
  func answer(_ url: String, _ answer: @escaping Answer) {
    state.withLock { $0.once[url, default: []].append(answer) }
  }

  func answer(_ url: String, _ response: HTTPResponse) { answer(url) { _ in response } }

  func fail(_ url: String, _ failure: HTTPFailure) { answer(url) { _ in throw failure } }

  /// Sets the response to requests to `url` that have none of their own.
  func always(_ url: String, _ response: HTTPResponse) { state.withLock { $0.always[url] = { _ in response } } }

  /// Fails, since no test of authorization servers contacts a resource.
  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse { throw HTTPFailure(.setup) }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let recorded = Recorded(
      method: request.method, url: request.endpoint.text,
      form: request.isJSON ? nil : Self.fields(request.form),
      authorization: Self.text(request.authorization), proof: request.proof,
      json: request.isJSON ? Self.json(request.form) : nil, ifNoneMatch: request.ifNoneMatch)
    let transport = request.transport
    let answer = state.withLock { state -> Answer? in
      state.requests.append(recorded)
      state.transports.append(transport)
      guard let script = state.once[recorded.url], let first = script.first else { return state.always[recorded.url] }
      state.once[recorded.url] = Array(script.dropFirst())
      return first
    }
    if request.cancellation?.isCancelled == true { throw HTTPFailure(.cancelled) }
    if request.spends { request.cancellation?.beginSpending() }
    guard let answer else {
      Issue.record("nobody expected a request to \(recorded.url)")
      throw HTTPFailure(.setup)
    }
    do {
      return try answer(recorded)
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
