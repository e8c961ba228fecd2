import Crypto
import Encoding
import OAuth
import WireSupport
import Platform
import TestSupport
import Vocabulary

/// An authorization server whose responses the test sets.
final class PlayedServer: HTTPClient {
  struct Answer: Sendable {
    let status: Int
    let body: JSON

    static func json(_ body: JSONObject, _ status: Int = 200) -> Answer { Answer(status: status, body: .object(body)) }
    static func status(_ status: Int) -> Answer { Answer(status: status, body: [:]) }
    static func error(_ code: String) -> Answer { json(["error": .string(code)], 400) }
    static func tokens(_ access: String, refresh: String) -> Answer {
      .json([
        "access_token": .string(access), "token_type": "Bearer", "expires_in": 3600, "refresh_token": .string(refresh),
      ])
    }
  }

  enum ResourceAnswer: Sendable {
    case failure(HTTPFailure)
    case status(Int)
    /// The head of an event stream. Nothing follows until all such streams end.
    case events
  }

  /// Content that ends when the streams end.
  private struct Silence: PendingContent {
    let server: PlayedServer

    func receive(_ finish: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void) {
      server.state.withLock { $0.streams.append(finish) }
    }
  }

  private struct State: Sendable {
    var book: GrantBook?
    var resourceAnswers: [ResourceAnswer] = []
    var resourceTokens: [String] = []
    var isResourceHeld = false
    var streams: [@Sendable (Result<Int, HTTPFailure>) -> Void] = []
    var isSilentAtRevocation = false
    var revoked: [String] = []
    var answers: [Answer] = []
    var forms: [String] = []
    var roles: [EndpointRole] = []
    var registrations: [String] = []
    var isHeld = false
    var pollInterval = 5
    var refusesCodes = false
    var documents: [String: JSONObject] = [:]
    var areDocumentsHeld = false
    var heldRole: EndpointRole?
  }

  static let metadata: JSONObject = [
    "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
    "authorization_endpoint": "https://as.example/authorize",
    "device_authorization_endpoint": "https://as.example/device", "revocation_endpoint": "https://as.example/revoke",
    "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
  ]

  /// A device authorization response, whose code is valid for five minutes.
  private static func device(_ interval: Int) -> JSONObject {
    [
      "device_code": "dc-1", "user_code": "WDJB-MJHT", "verification_uri": "https://as.example/activate",
      "expires_in": 300, "interval": .int(interval),
    ]
  }

  private let state = Monitor(State())

  /// Determines the token endpoint's responses; nil to use ``answers``.
  var book: GrantBook? {
    get { state.withLock(\.book) }
    set { state.withLock { $0.book = newValue } }
  }

  /// The responses to the next token requests.
  var answers: [Answer] {
    get { state.withLock { $0.answers } }
    set { state.withLock { $0.answers = newValue } }
  }

  /// The refresh tokens in token requests; empty if absent.
  var sent: [String] {
    state.withLock(\.forms).map { Self.field("refresh_token", of: $0) }
  }

  var revoked: [String] { state.withLock(\.revoked) }

  var registrations: [String] { state.withLock(\.registrations) }

  /// Whether responses to token requests are delayed.
  var isHeld: Bool {
    get { state.withLock(\.isHeld) }
    set { state.update { $0.isHeld = newValue } }
  }

  /// In seconds.
  var pollInterval: Int {
    get { state.withLock(\.pollInterval) }
    set { state.withLock { $0.pollInterval = newValue } }
  }

  /// Whether the server refuses the device grant.
  var refusesCodes: Bool {
    get { state.withLock(\.refusesCodes) }
    set { state.withLock { $0.refusesCodes = newValue } }
  }

  /// Other than the metadata, by URL.
  var documents: [String: JSONObject] {
    get { state.withLock(\.documents) }
    set { state.withLock { $0.documents = newValue } }
  }

  var areDocumentsHeld: Bool {
    get { state.withLock(\.areDocumentsHeld) }
    set { state.update { $0.areDocumentsHeld = newValue } }
  }

  var heldRole: EndpointRole? {
    get { state.withLock(\.heldRole) }
    set { state.update { $0.heldRole = newValue } }
  }

  var resourceAnswers: [ResourceAnswer] {
    get { state.withLock(\.resourceAnswers) }
    set { state.withLock { $0.resourceAnswers = newValue } }
  }

  var resourceTokens: [String] { state.withLock(\.resourceTokens) }

  var isResourceHeld: Bool {
    get { state.withLock(\.isResourceHeld) }
    set { state.update { $0.isResourceHeld = newValue } }
  }

  func endStreams() {
    let streams = state.withLock { state in
      defer { state.streams = [] }
      return state.streams
    }
    for finish in streams { finish(.success(0)) }
  }

  /// Whether requests at the revocation endpoint time out.
  var isSilentAtRevocation: Bool {
    get { state.withLock(\.isSilentAtRevocation) }
    set { state.withLock { $0.isSilentAtRevocation = newValue } }
  }

  /// Waits until the token endpoint has received `count` requests.
  func awaitRequests(_ count: Int) {
    _ = state.wait(.testLimit) { $0.forms.count >= count ? true : nil }
  }

  /// The requested endpoints, in order.
  var roles: [EndpointRole] { state.withLock(\.roles) }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    if request.cancellation?.isCancelled == true { throw HTTPFailure(.cancelled) }
    let role = request.role
    state.withLock { $0.roles.append(role) }
    switch role {
    case .token: break
    case .deviceAuthorization:
      return try Self.response(refusesCodes ? .error("unauthorized_client") : .json(Self.device(pollInterval)))
    case .revocation:
      let form = Self.text(of: request)
      state.withLock { state in
        let token = Self.field("token", of: form)
        state.revoked.append(token)
        state.book?.revoke(token)
      }
      if isSilentAtRevocation { throw HTTPFailure(.timeout, requestMayHaveArrived: true) }
      return try Self.response(.json([:]))
    default:
      if role == .registration {
        let content = Self.text(of: request)
        state.withLock { $0.registrations.append(content) }
      }
      let url = request.endpoint.text
      let document = state.withLock { $0.documents[url] } ?? Self.metadata
      _ = state.wait(nil) { $0.areDocumentsHeld || $0.heldRole == role ? nil : true }
      return try Self.response(.json(document))
    }
    if request.spends { request.cancellation?.beginSpending() }
    let form = Self.text(of: request)
    // Like a real server, acts even if its response is not read.
    let planned = state.withLock { state in
      state.book?.answer(
        to: Self.field("grant_type", of: form), Self.field("refresh_token", of: form),
        from: Self.field("client_id", of: form))
    }
    state.update { $0.forms.append(form) }
    let answer = try answer(for: request.cancellation, planned: planned)
    return try Self.response(answer)
  }

  /// Waits while responses are delayed.
  private func answer(for cancellation: Cancellation?, planned: GrantBook.Planned?) throws(HTTPFailure) -> Answer {
    let isCut = Monitor(false)
    let waker = cancellation?.addWaker { [state] in
      isCut.withLock { $0 = true }
      state.update { _ in }
    }
    defer { if let waker { cancellation?.removeWaker(waker) } }
    if cancellation?.isCancelled == true { throw HTTPFailure(.cancelled) }
    let answer = state.wait(nil) { state -> Answer?? in
      if isCut.withLock(\.self) { return .some(nil) }
      if state.isHeld { return nil }
      if let planned { return .some(planned.answer) }
      return .some(state.answers.isEmpty ? nil : state.answers.removeFirst())
    }
    if isCut.withLock(\.self) { throw HTTPFailure(.cancelled, requestMayHaveArrived: true) }
    if let answer, let answer { return answer }
    throw planned == nil ? HTTPFailure(.connect) : HTTPFailure(.receive, requestMayHaveArrived: true)
  }

  private static func text(of request: borrowing HTTPRequest) -> String {
    request.form?.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) } ?? ""
  }

  /// Empty if absent.
  private static func field(_ name: String, of form: String) -> String {
    let field = form.split(separator: "&").first { $0.hasPrefix("\(name)=") }
    return String((field ?? "").dropFirst(name.count + 1))
  }

  private static func response(_ answer: Answer) throws(HTTPFailure) -> HTTPResponse {
    do {
      return HTTPResponse(
        status: answer.status, headers: HTTPHeaders([("Content-Type", "application/json")]),
        body: try SecretBytes(copying: answer.body.serialized().span))
    } catch {
      throw HTTPFailure(.setup)
    }
  }

  /// Reads the content sent to a resource, at most two mebibytes.
  private static func take(_ content: any ResourceContent) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for _ in 0..<32 {
      var space = buffer.mutableSpan
      guard case .bytes = content.read(into: &space) else { return }
    }
  }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    if let content { Self.take(content) }
    let token = authorization.first { $0.name == "Authorization" }?.value.text ?? ""
    state.update { $0.resourceTokens.append(token) }
    let answer = state.wait(nil) { state -> ResourceAnswer?? in
      if state.isResourceHeld { return nil }
      return .some(state.resourceAnswers.isEmpty ? nil : state.resourceAnswers.removeFirst())
    }
    switch answer {
    case .some(.status(let status)):
      let head = ResourceHead(status: status, headers: HTTPHeaders([]))
      _ = receiver.begin(head)
      return ResourceResponse(head: head, contentBytes: 0)
    case .some(.events):
      let head = ResourceHead(status: 200, headers: HTTPHeaders([("Content-Type", "text/event-stream")]))
      _ = receiver.begin(head)
      return ResourceResponse(head: head, contentBytes: 0, pending: Silence(server: self))
    case .some(.failure(let failure)): throw failure
    default: throw HTTPFailure(.connect)
    }
  }
}
