import Encoding
import Platform
import Synchronization
import TestSupport
import Testing

/// An authorization server without OpenID Connect whose tokens the test sets, so that they can be hostile, or
/// searched for afterwards. It approves at the first poll.
final class ScriptedServer: Sendable {
  struct Tokens: Sendable {
    var access = "access-1"
    var refresh = "refresh-1"
    var device = "device-1"
    /// The lifetime of the access token in seconds.
    var lifetime = 3600
  }

  private struct State: Sendable {
    var tokens: Tokens
    var requests: [String] = []
  }

  let port: UInt16
  private let listener: FileDescriptor
  private let stopSignal: EventCounter
  private let state: Monitor<State>
  private let hasEnded = Monitor(false)

  var url: String { "http://127.0.0.1:\(port)" }

  var requests: [String] { state.withLock { $0.requests } }

  static func with<Result>(_ tokens: Tokens, _ body: (ScriptedServer) throws -> Result) throws -> Result {
    let server = try ScriptedServer(tokens)
    try Threads.start(name: "scripted") {
      server.serve()
      server.hasEnded.update { $0 = true }
    }
    defer {
      server.stopSignal.signal()
      if server.hasEnded.wait(.testLimit, for: { $0 ? true : nil }) == nil { Issue.record("the server goes on") }
    }
    return try body(server)
  }

  private init(_ tokens: Tokens) throws {
    listener = try UnixSocket.listenLoopback(port: 0)
    port = try UnixSocket.localPort(listener)
    stopSignal = try EventCounter()
    state = Monitor(State(tokens: tokens))
  }

  /// Sets the tokens in the next responses.
  func hand(out tokens: Tokens) { state.withLock { $0.tokens = tokens } }

  /// Serves one request per connection, one connection at a time.
  private func serve() {
    do {
      let poller = try Poller()
      try poller.add(listener.raw, interest: .read, key: 0)
      try poller.add(stopSignal.raw, interest: .read, key: 1)
      while true {
        let events = try poller.wait(timeoutMilliseconds: -1)
        if events.contains(where: { $0.key == 1 }) { return }
        try? answer(UnixSocket.accept(listener))
      }
    } catch {
      Issue.record(error, "the scripted server stopped")
    }
  }

  private func answer(_ socket: consuming FileDescriptor) throws {
    let path = try Self.readRequest(socket)
    let tokens = state.withLock { state in
      state.requests.append(path)
      return state.tokens
    }
    let (status, json) = document(at: path, tokens)
    let body = json.serialized()
    let head = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n"
    try socket.setNonBlocking(false)
    try socket.writeAll((Array((head + "Connection: close\r\n\r\n").utf8) + body).span)
  }

  private func document(at path: String, _ tokens: Tokens) -> (String, JSON) {
    switch path {
    case "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration":
      return (
        "200 OK",
        [
          "issuer": .string(url), "token_endpoint": .string(url + "/token"),
          "device_authorization_endpoint": .string(url + "/device"), "response_types_supported": ["code"],
        ]
      )
    case "/device":
      return (
        "200 OK",
        [
          "device_code": .string(tokens.device), "user_code": "ABCD-EFGH", "verification_uri": .string(url + "/verify"),
          "expires_in": 600, "interval": 1,
        ]
      )
    case "/token":
      return (
        "200 OK",
        [
          "access_token": .string(tokens.access), "token_type": "Bearer", "expires_in": .int(tokens.lifetime),
          "refresh_token": .string(tokens.refresh),
        ]
      )
    default: return ("404 Not Found", ["error": "not_found"])
    }
  }

  private static func readRequest(_ socket: borrowing FileDescriptor) throws -> String {
    var bytes: [UInt8] = []
    while true {
      try #require(try socket.waitUntilReadable(timeout: .testLimit))
      try #require(try socket.read(into: &bytes, upTo: 65_536) > 0)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.utf8Offset(of: "\r\n\r\n") else { continue }
      let length = text.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) }
      guard bytes.count >= end + 4 + (length ?? 0) else { continue }
      return String(try #require(text.split(separator: " ").dropFirst().first))
    }
  }
}

extension String {
  fileprivate func utf8Offset(of needle: String) -> Int? {
    let bytes = Array(utf8)
    return bytes.indices.first { bytes[$0...].starts(with: needle.utf8) }
  }
}
