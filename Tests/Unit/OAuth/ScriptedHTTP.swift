import Crypto
import Encoding
import OAuth
import Synchronization
import Testing

/// An HTTP client that responds from a script and records requests.
final class ScriptedHTTP: HTTPClient {
  enum Reply: Sendable {
    case response(HTTPResponse)
    case failure(HTTPFailure)
  }

  /// A request as it would have been sent.
  struct Recorded: Equatable, Sendable {
    var method: HTTPRequest.Method
    var url: String
    /// In the order of the body; nil without a body.
    var form: [String]?
    var authorization: String?
    /// The `DPoP` header.
    var proof: String?
    var accept = "application/json"
    var followsRedirects = false
    var limit = 262_144
    /// Nil for any other body.
    var json: JSON?
  }

  private struct State: Sendable {
    var script: [Reply]
    var requests: [Recorded] = []
    var transports: [Transport] = []
  }

  private let state: Mutex<State>

  init(_ script: [Reply]) { state = Mutex(State(script: script)) }

  convenience init(_ responses: HTTPResponse...) { self.init(responses.map { .response($0) }) }

  var requests: [Recorded] { state.withLock { $0.requests } }
  var transports: [Transport] { state.withLock { $0.transports } }
  /// The number of replies that were not requested.
  var unused: Int { state.withLock { $0.script.count } }

  /// Tests of authorization servers reach no resource.
  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse { throw HTTPFailure(.setup) }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let recorded = Recorded(
      method: request.method, url: request.endpoint.text,
      form: request.isJSON ? nil : Self.fields(request.form),
      authorization: Self.text(request.authorization), proof: request.proof, accept: request.accept,
      followsRedirects: request.followsRedirects, limit: request.responseLimit,
      json: request.isJSON ? Self.json(request.form) : nil)
    let transport = request.transport
    let reply = state.withLock { state -> Reply? in
      state.requests.append(recorded)
      state.transports.append(transport)
      return state.script.isEmpty ? nil : state.script.removeFirst()
    }
    if request.cancellation?.isCancelled == true { throw HTTPFailure(.cancelled) }
    switch reply {
    case .response(let response): return response
    case .failure(let failure): throw failure
    case nil:
      Issue.record("a request more than the script has")
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
