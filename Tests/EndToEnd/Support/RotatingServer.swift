import Encoding
import Platform
import Synchronization
import TestSupport
import Testing

/// An authorization server without OpenID Connect whose refresh tokens are single-use: using an old one ends the
/// entire grant (RFC 9700 section 4.14.2). It can lose responses, fail, and restart on the same port with its state.
final class RotatingServer: Sendable {
  /// The server's misbehavior at one refresh.
  enum Fault: Sendable, Hashable {
    /// Processes the refresh and closes the connection without a byte.
    case silence
    /// Like ``silence``, but after the status line.
    case statusLine
    /// Like ``silence``, but after half of the body.
    case halfBody
    /// Closes the connection before processing the refresh.
    case refusal
    /// Responds with this error status, without processing the refresh.
    case status(Int, retryAfter: Int? = nil)
    /// Delays the refresh until the test calls ``release()``.
    case hold
    /// Processes the refresh and responds with these members instead of its own, without those that are null.
    case odd(JSONObject, status: Int = 200)
    /// Responds with a body and a status, without processing the refresh.
    case refused(String, status: Int = 400)
  }

  private struct State: Sendable {
    var lifetime = 3600
    /// Whether the server accepts the previous refresh token once more.
    var isLenient = false
    /// Whether each refresh token is single-use.
    var rotates = true
    /// The number of the valid refresh token, by grant.
    var grants: [Int: Int] = [:]
    var ended: Set<Int> = []
    /// The number of times a reusable refresh token was accepted, so that access tokens differ.
    var uses = 0
    var replays = 0
    var faults: [Fault] = []
    var usualFault: Fault?
    var refreshes: [Instant] = []
    var sent: [String] = []
    var requests = 0
    var underWay = 0
    var mostUnderWay = 0
    var released = 0
    var holding = 0
  }

  let port: UInt16
  private let state = Monitor(State())
  private let door: Mutex<Door?>

  private final class Door: Sendable {
    let listener: FileDescriptor
    let stop: EventCounter

    init(port: UInt16) throws {
      listener = try UnixSocket.listenLoopback(port: port)
      stop = try EventCounter()
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }

  static func with<Result>(_ body: (RotatingServer) throws -> Result) throws -> Result {
    let server = try RotatingServer()
    defer { server.close() }
    return try body(server)
  }

  private init() throws {
    Signals.ignoreFailingWrites()
    // The server restarts on this port.
    port = try LoopbackServer.unusedPort()
    let first = try Door(port: port)
    door = Mutex(first)
    try serve(first)
  }

  // MARK: Control by tests

  /// Stops listening, so that connections are refused.
  func close() {
    let wasOpen = door.withLock { (door: inout Door?) -> Bool in
      defer { door = nil }
      door?.stop.signal()
      return door != nil
    }
    guard wasOpen else { return }
    // The socket is closed when its thread has released it.
    let deadline = Instant.now.advanced(by: .testLimit)
    while (try? UnixSocket.connectLoopback(port: port)) != nil {
      if Instant.now > deadline {
        Issue.record("the server goes on")
        return
      }
      Threads.sleep(for: .milliseconds(5))
    }
  }

  func open() throws {
    let new = try Door(port: port)
    door.withLock { $0 = new }
    try serve(new)
  }

  func fail(_ faults: Fault...) { state.update { $0.faults += faults } }

  /// Sets the fault of all other refreshes.
  func failAlways(_ fault: Fault?) { state.update { $0.usualFault = fault } }

  /// Also accepts the refresh token before the last one, as many servers do for a short time.
  func becomeLenient() { state.update { $0.isLenient = true } }

  /// Accepts the same refresh token any number of times, and issues no other.
  func stopRotating() { state.update { $0.rotates = false } }

  var lastSent: String? { state.withLock { $0.sent.last } }
  /// The number of refresh tokens that were sent more than once.
  var repeated: Int { state.withLock { $0.sent.count - Set($0.sent).count } }

  func setLifetime(_ seconds: Int) { state.update { $0.lifetime = seconds } }

  /// Creates a grant and returns its refresh token.
  func mint() -> String {
    state.update { state in
      let grant = state.grants.count + 1
      state.grants[grant] = 0
      return Self.refreshToken(grant, 0)
    }
  }

  /// Processes the delayed refreshes.
  func release() { state.update { $0.released += 1 } }

  func awaitHolding(_ count: Int) throws {
    try #require(state.wait(.testLimit) { $0.holding >= count ? true : nil } != nil)
  }

  func awaitRefreshes(_ count: Int) throws {
    try #require(
      state.wait(.testLimit) { $0.refreshes.count >= count ? true : nil } != nil,
      "there are only \(refreshes.count) refreshes")
  }

  var refreshes: [Instant] { state.withLock { $0.refreshes } }
  var replays: Int { state.withLock { $0.replays } }
  var requests: Int { state.withLock { $0.requests } }
  var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }
  /// The number of grants that were ended because of a replay.
  var endedGrants: Int { state.withLock { $0.ended.count } }

  // MARK: Serving

  private func serve(_ door: Door) throws {
    let poller = try Poller()
    try poller.add(door.listener.raw, interest: .read, key: 0)
    try poller.add(door.stop.raw, interest: .read, key: 1)
    let set = PollerBox(poller)
    try Threads.start(name: "rotating") { [self] in
      while let events = try? set.poller.wait(timeoutMilliseconds: -1), !events.contains(where: { $0.key == 1 }) {
        guard let socket = try? UnixSocket.accept(door.listener),
          let conversation = try? Conversation(socket, number: 0, record: { _ in })
        else { continue }
        try? Threads.start(name: "rotating-peer") { [self] in try? answer(conversation) }
      }
    }
  }

  private final class PollerBox: Sendable {
    let poller: Poller
    init(_ poller: consuming Poller) { self.poller = poller }
  }

  private func answer(_ peer: Conversation) throws {
    guard let request = try peer.readRequest() else { return }
    state.update { $0.requests += 1 }
    let path = request.line.split(separator: " ").dropFirst().first ?? ""
    switch path {
    case "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration":
      try peer.json([
        "issuer": .string(url), "token_endpoint": .string(url + "/token"),
        "device_authorization_endpoint": .string(url + "/device"), "response_types_supported": ["code"],
      ])
    case "/device":
      try peer.json([
        "device_code": "d", "user_code": "ABCD-EFGH", "verification_uri": .string(url + "/verify"),
        "expires_in": 600, "interval": 1,
      ])
    case "/token": try token(peer, request.body)
    default: try peer.json(["error": "not_found"], status: 404)
    }
  }

  private func token(_ peer: Conversation, _ form: String) throws {
    guard let sent = form.split(separator: "&").first(where: { $0.hasPrefix("refresh_token=") }) else {
      let fault = state.update { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
      return try peer.write(Self.answer(tokens(for: mint()), fault))
    }
    let fault = state.update { state -> Fault? in
      state.refreshes.append(.now)
      state.sent.append(String(sent))
      state.underWay += 1
      state.mostUnderWay = max(state.mostUnderWay, state.underWay)
      return state.faults.isEmpty ? state.usualFault : state.faults.removeFirst()
    }
    if case .hold = fault {
      let released = state.update { state -> Int in
        state.holding += 1
        return state.released
      }
      _ = state.wait(.testLimit) { $0.released > released ? true : nil }
    }
    // Before the response, after which the next request may arrive immediately.
    state.update { $0.underWay -= 1 }
    switch fault {
    case .refusal: return
    case .status(let status, let retryAfter):
      let headers = retryAfter.map { ["Retry-After: \($0)"] } ?? []
      return try peer.json(["error": "temporarily_unavailable"], status: status, headers: headers)
    case .refused(let body, let status):
      return try peer.respond(status, headers: ["Content-Type: application/json", "Connection: close"], body: body)
    default: break
    }
    guard let next = rotate(String(sent.dropFirst("refresh_token=".count))) else {
      return try peer.json(["error": "invalid_grant"], status: 400)
    }
    let rotates = state.withLock { $0.rotates }
    let answer = Self.answer(tokens(for: next, withRefreshToken: rotates), fault)
    switch fault {
    case .silence: return
    case .statusLine: try peer.write("HTTP/1.1 200 OK\r\n")
    case .halfBody: try peer.write(Array(answer.dropLast(answer.count / 4)))
    default: try peer.write(answer)
    }
  }

  private static func answer(_ members: JSONObject, _ fault: Fault?) -> [UInt8] {
    var (members, status) = (members, 200)
    if case .odd(let changes, let other) = fault {
      status = other
      for name in changes.names { members[name] = changes[name] == .null ? nil : changes[name] }
    }
    let body = JSON.object(members).serialized()
    let head = "HTTP/1.1 \(status) OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }

  /// The next refresh token; nil if the given one is invalid.
  private func rotate(_ token: String) -> String? {
    let parts = token.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 2 else { return nil }
    return state.update { state in
      guard let current = state.grants[parts[0]], !state.ended.contains(parts[0]) else { return nil }
      guard current == parts[1] || state.isLenient && current == parts[1] + 1 else {
        state.replays += 1
        state.ended.insert(parts[0])
        return nil
      }
      guard state.rotates else {
        state.uses += 1
        return Self.refreshToken(parts[0], current)
      }
      state.grants[parts[0]] = current + 1
      return Self.refreshToken(parts[0], current + 1)
    }
  }

  private static func refreshToken(_ grant: Int, _ number: Int) -> String { "rt-\(grant)-\(number)" }

  private func tokens(for refreshToken: String, withRefreshToken: Bool = true) -> JSONObject {
    let (lifetime, uses) = state.withLock { ($0.lifetime, $0.uses) }
    var members: JSONObject = [
      "access_token": .string("at" + refreshToken.dropFirst(2) + (uses > 0 ? "-\(uses)" : "")),
      "token_type": "Bearer", "expires_in": .int(lifetime),
    ]
    if withRefreshToken { members["refresh_token"] = .string(refreshToken) }
    return members
  }
}

extension Conversation {
  fileprivate func json(_ object: JSONObject, status: Int = 200, headers: [String] = []) throws {
    try respond(
      status, headers: ["Content-Type: application/json", "Connection: close"] + headers,
      body: String(decoding: JSON.object(object).serialized(), as: UTF8.self))
  }
}
