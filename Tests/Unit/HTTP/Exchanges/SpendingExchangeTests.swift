import Crypto
import OAuth
import Platform
import TestSupport
import Testing

@testable import HTTP

extension Cancellation {
  fileprivate func spending<Result>(_ body: () -> Result) -> Result? {
    try? withDelayedCancellation(orThrow: HTTPFailure(.setup)) { () throws(HTTPFailure) in body() }
  }
}

/// A request whose response exists only once.
@Suite struct `An exchange that spends something` {
  private static let object = #"{"access_token":"at","refresh_token":"rt"}"#
  private static let type = "Content-Type: application/json\r\n"

  private static func transport(_ seconds: Int = 20, spending: Int = 20) -> Transport {
    var transport = plainTransport(seconds: seconds)
    transport.spendingTimeoutSeconds = spending
    return transport
  }

  private static func send(
    _ url: String, _ transport: Transport = transport(), _ cancellation: Cancellation? = nil
  ) throws -> HTTPResponse {
    var request = try post(url, transport: transport, cancellation: cancellation)
    request.spends = true
    return try client().send(request)
  }

  /// Sends a request to a server that responds with these bytes, then closes the connection or not.
  private static func answer(_ bytes: [UInt8], keepsOpen: Bool = false) throws -> HTTPResponse {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write(bytes)
      if keepsOpen { try $0.waitForEnd() }
    }
    return try send(server.url())
  }

  private static func answer(_ text: String, keepsOpen: Bool = false) throws -> HTTPResponse {
    try answer(Array(text.utf8), keepsOpen: keepsOpen)
  }

  @Test func `sends a form with its fields over a connection of its own`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond(headers: ["Date: x"]) } }
    let client = client()
    _ = try client.send(get(server.url()))
    var request = try post(server.url("/token?a=b"), form: "x=1")
    request.spends = true
    request.authorization = try secret("Basic abc")
    request.proof = "proof"
    let response = try client.send(request)
    #expect(response.status == 200 && response.body.text == "{}" && response.headers["date"] == "x")
    #expect(response.defect == nil)
    #expect(server.connections == 2)
    let received = try #require(server.requests.last)
    #expect(received.line == "POST /token?a=b HTTP/1.1")
    #expect(received.body == "x=1")
    for (name, value) in [
      ("Host", "127.0.0.1:\(server.port)"), ("User-Agent", "agent-test/1"), ("Accept", "application/json"),
      ("Accept-Encoding", "identity"), ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "3"),
      ("Authorization", "Basic abc"), ("DPoP", "proof"), ("Connection", "close"),
    ] {
      #expect(received.values(name) == [value])
    }
  }

  @Test func `refuses a field that ends its line`() throws {
    let server = try LoopbackServer { _ = try $0.readRequest() }
    var request = try post(server.url())
    request.spends = true
    request.proof = "a\r\nb"
    #expect(throws: HTTPFailure(.setup)) { try client().send(request) }
    #expect(server.connections == 0)
  }

  // MARK: Time

  @Test func `waits for its answer for longer than other requests`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      Threads.sleep(for: .milliseconds(2500))
      try $0.respond()
    }
    #expect(try Self.send(server.url(), Self.transport(1)).status == 200)
  }

  @Test func `has a limit of its own`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.waitForEnd()
    }
    let failure = #expect(throws: HTTPFailure.self) { try Self.send(server.url(), Self.transport(20, spending: 1)) }
    let waited = try #require(failure?.waitedSeconds)
    #expect(waited >= 1 && failure == unanswered(.timeout, after: waited))
  }

  @Test func `keeps what has come when its time is over`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write("HTTP/1.1 200 OK\r\n\(Self.type)Content-Length: 100\r\n\r\n\(Self.object.dropLast())")
      try $0.waitForEnd()
    }
    let response = try Self.send(server.url(), Self.transport(20, spending: 1))
    #expect(response.body.text == String(Self.object.dropLast()))
    #expect(response.defect?.code == .timeout)
  }

  // MARK: Cancellation

  @Test func `is cut while it connects`() throws {
    let cancellation = Cancellation()
    let server = try LoopbackServer {
      _ = try $0.readBytes()
      cancellation.cancel()
      try $0.waitForEnd()
    }
    let request = "https://127.0.0.1:\(server.port)/"
    let failure = cancellation.spending {
      return #expect(throws: HTTPFailure.self) { try Self.send(request, Self.transport(), cancellation) }
    }
    #expect(failure == HTTPFailure(.cancelled))
  }

  @Test func `is not cut once it was sent`() throws {
    let cancellation = Cancellation()
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      cancellation.cancel()
      Threads.sleep(for: .milliseconds(300))
      try $0.respond()
    }
    let status = cancellation.spending { try? Self.send(server.url(), Self.transport(), cancellation).status }
    #expect(status == 200)
    #expect(cancellation.isCancelled)
  }

  // MARK: The message

  /// Valid messages.
  static let good = [
    "HTTP/1.1 200 OK\r\n\(type)Content-Length: \(object.utf8.count)\r\n\r\n\(object)",
    "HTTP/1.0 200 OK\r\n\(type)\r\n\(object)", "HTTP/1.1 200\r\n\(type)\r\n\(object)",
    "\r\nhttp/1.1 200 OK\n\(type)\n\(object)",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n\(type)\r\n\(object)",
    "HTTP/1.1 200 OK\r\n\((1...200).map { "X-\($0): 1\r\n" }.joined())\(type)\r\n\(object)",
    "HTTP/1.1 200 OK\r\n\((1...100).map { "Set-Cookie: \($0)=\(String(repeating: "x", count: 5000))\r\n" }.joined())"
      + "\(type)\r\n\(object)",
    "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200_000))\r\n\(type)\r\n\(object)",
    "HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\n2a\r\n\(object)\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: chunked\r\n\r\n2A;x=y\r\n\(object)\r\n0\r\nX: "
      + "\(String(repeating: "x", count: 200_000))\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: identity\r\n\r\n\(object)",
    "HTTP/1.1 200 OK\r\n\(type)Content-Encoding: gzip\r\n\r\n\(object)",
  ]

  @Test(arguments: good.indices) func `takes every message that is whole`(index: Int) throws {
    let response = try Self.answer(Self.good[index])
    #expect(response.status == 200)
    #expect(response.body.text == Self.object)
    #expect(response.headers.isJSON)
    #expect(response.defect == nil)
  }

  /// Invalid messages, and the problem.
  static let odd: [(String, HTTPFailure.Code)] = [
    ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nNul: \u{0}\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\n folded\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nBad name: 1\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n\(object)", .receive),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2a\r\n\(object)\r\n", .receive),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2a\r\n\(object)", .receive),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n\(object)\r\n0\r\n\r\n", .malformed),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n\(object)\r\n0\r\n\r\n", .receive),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\n\(object)", .malformed),
    ("HTTP/1.1 2xx OK\r\n\r\n\(object)", .malformed),
    (object, .malformed),
  ]

  @Test(arguments: odd.indices) func `keeps a body whatever is wrong with its message`(index: Int) throws {
    let (text, code) = Self.odd[index]
    let response = try Self.answer(text)
    #expect(response.status == 200)
    #expect(response.body.text.hasPrefix(Self.object))
    #expect(response.defect == answered(code))
  }

  @Test func `does not wait for the end of a message whose object is whole`() throws {
    let response = try Self.answer(
      "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n\(Self.object)", keepsOpen: true)
    #expect(response.body.text == Self.object && response.defect == answered(.receive))
  }

  @Test func `ends with its framing, though the server keeps the connection`() throws {
    let length = Self.object.utf8.count
    let response = try Self.answer(
      "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(Self.object)", keepsOpen: true)
    #expect(response.body.text == Self.object && response.defect == nil)
    let empty = try Self.answer("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n", keepsOpen: true)
    #expect(empty.status == 400 && empty.body.count == 0 && empty.defect == nil)
  }

  @Test func `is limited in the size of its body`() throws {
    let long = Self.object + String(repeating: " ", count: 300_000)
    let response = try Self.answer("HTTP/1.1 200 OK\r\n\r\n\(long)")
    #expect(response.body.text.hasPrefix(Self.object) && response.body.count == HTTPRequest.defaultResponseLimit)
    #expect(response.defect == answered(.tooLarge))
  }

  @Test(arguments: ["", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-"]) func `fails without a body`(text: String) {
    #expect(throws: text.isEmpty ? unanswered(.receive) : answered(.receive)) { try Self.answer(text) }
  }

  // MARK: Compression

  @Test(
    .enabled(if: Spawn.search("python3") != nil),
    arguments: [
      "gzip.compress(b)", "zlib.compress(b)", "gzip.compress(b, 1)", "gzip.compress(b, 0)", "zlib.compress(b, 9)",
    ])
  func `is decoded though no coding was asked for`(code: String) throws {
    for text in [Self.object, #"{"refresh_token":"rt","x":"\#((0..<9000).map { "\($0 * 7919)" }.joined())"}"#] {
      let result = try ProcessRunner.run(
        executable: "/usr/bin/env",
        arguments: [
          "python3", "-c", "import gzip, sys, zlib; b = sys.stdin.buffer.read(); sys.stdout.buffer.write(\(code))",
        ],
        environment: [], input: Array(text.utf8))
      try #require(result.succeeded, "\(result.errorText)")
      let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)
      #expect(try Self.answer(head + result.output).body.text == text)
      // A part of it is better than nothing.
      let part = try Self.answer(head + result.output.dropLast(result.output.count / 4)).body.text
      #expect(!part.isEmpty && text.hasPrefix(part))
    }
  }
}

@Suite struct `The time limit of a request` {
  private let start = Instant.now

  /// The seconds at which a check finds that the limit has passed.
  private func passed(_ limit: Duration, askedAt seconds: [Int]) -> [Int] {
    var limit = TimeLimit(limit, from: start)
    return seconds.filter { limit.checkHasPassed(start.advanced(by: .seconds($0))) }
  }

  @Test func `passes`() {
    #expect(passed(.seconds(3), askedAt: [1, 2, 3, 4]) == [3, 4])
    #expect(TimeLimit(.seconds(3), from: start).secondsWaited(start.advanced(by: .milliseconds(2600))) == 3)
  }

  @Test(arguments: [40, 600]) func `begins anew after the process stood still`(seconds: Int) {
    #expect(passed(.seconds(30), askedAt: [1] + (seconds...seconds + 31)) == [seconds + 30, seconds + 31])
  }
}
