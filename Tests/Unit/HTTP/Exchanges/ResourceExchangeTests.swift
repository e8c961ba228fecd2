import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing
import Vocabulary

/// Accepts as many bytes as specified, and stores them.
private final class Receiver: ResourceReceiver {
  struct State: Sendable {
    var head: ResourceHead?
    var bytes: [UInt8] = []
    var calls = 0
  }

  let state = Monitor(State())
  let isWanted: Bool
  /// The number of bytes to accept, by the number of the call.
  let room: @Sendable (Int) -> Int?
  private let always: EventCounter

  init(isWanted: Bool = true, room: @escaping @Sendable (Int) -> Int? = { _ in .max }) throws {
    self.isWanted = isWanted
    self.room = room
    always = try EventCounter()
  }

  var descriptor: Int32 { always.raw }
  var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
  var status: Int? { state.withLock { $0.head?.status } }

  func begin(_ head: ResourceHead) -> Bool {
    state.withLock { $0.head = head }
    return isWanted
  }

  func take(_ bytes: Span<UInt8>) -> Int? {
    let call = state.withLock { state in
      state.calls += 1
      return state.calls
    }
    guard let room = room(call) else { return nil }
    let count = min(room, bytes.count)
    state.withLock { state in for index in 0..<count { state.bytes.append(bytes[index]) } }
    return count
  }
}

private final class Rest: Sendable {
  private let result = Monitor<Result<Int, HTTPFailure>?>(nil)

  init(of content: any PendingContent) {
    content.receive { [result] end in result.update { $0 = end } }
  }

  func bytes() throws -> Int {
    try #require(result.wait(.testLimit) { $0 }, "the answer did not end").get()
  }
}

/// Provides parts according to a script.
private final class Content: ResourceContent {
  enum Part: Sendable { case text(String), later, failed }

  let length: Int?
  private let parts: Monitor<[Part]>
  private let always: EventCounter

  init(_ parts: [Part], length: Int?) throws {
    self.length = length
    self.parts = Monitor(parts)
    always = try EventCounter()
    always.signal()
  }

  var canRewind: Bool { false }
  var descriptor: Int32 { always.raw }
  func rewind() {}

  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart {
    let part = parts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    switch part {
    case nil: return .end
    case .later: return .later
    case .failed: return .failed
    case .text(let text):
      let bytes = Array(text.utf8)
      for index in bytes.indices { space[index] = bytes[index] }
      return .bytes(bytes.count)
    }
  }
}

@Suite struct `A request to a resource` {
  private func request(
    _ method: String, _ url: String, _ fields: [String] = [], stallSeconds: Int = 20, idleSeconds: Int? = nil,
    of group: ConnectionGroup? = nil, cancellation: Cancellation = Cancellation()
  ) throws -> ResourceRequest {
    var transport = plainTransport(seconds: 1)
    transport.connectionGroup = group
    return ResourceRequest(
      method: try #require(ResourceMethod(method)), endpoint: try Endpoint(url, allowHTTPLoopback: true),
      fields: try ResourceField.fields(fields), transport: transport, stallSeconds: stallSeconds,
      idleSeconds: idleSeconds,
      cancellation: cancellation)
  }

  /// The response up to the server's pause.
  private func begin(
    _ request: ResourceRequest, _ content: Content? = nil, to receiver: Receiver, over client: CurlClient = client()
  ) throws -> ResourceResponse {
    let authorization = [SecretField("Authorization", SharedSecret(try secret("Bearer at-1")))]
    return try client.exchange(request, authorization: authorization, content: content, receiver: receiver)
  }

  /// The complete response.
  private func send(
    _ request: ResourceRequest, _ content: Content? = nil, to receiver: Receiver, over client: CurlClient = client()
  ) throws -> ResourceResponse {
    let response = try begin(request, content, to: receiver, over: client)
    guard let pending = response.pending else { return response }
    return ResourceResponse(head: response.head, contentBytes: try Rest(of: pending).bytes())
  }

  private static func answering(_ status: Int = 200, body: String = "{}") throws -> LoopbackServer {
    try LoopbackServer { while try $0.readRequest() != nil { try $0.respond(status, body: body) } }
  }

  @Test func `has exactly these header fields`() throws {
    let server = try Self.answering()
    _ = try send(request("GET", server.url("/a?b=c"), ["X-A: b", "X-Empty:"]), to: Receiver())
    #expect(
      server.requests == [
        ReceivedRequest(
          line: "GET /a?b=c HTTP/1.1",
          headers: [
            "Host: 127.0.0.1:\(server.port)", "User-Agent: agent-test/1", "Accept: */*", "X-A: b", "X-Empty:",
            "Accept-Encoding: identity", "Authorization: Bearer at-1",
          ], body: "")
      ])
  }

  @Test func `takes the caller's word for what the library would say`() throws {
    let server = try Self.answering()
    _ = try send(
      request(
        "PUT", server.url(),
        ["Accept: text/html", "User-Agent: mine", "content-type: text/plain", "accept-encoding: gzip"]),
      Content([.text("hello")], length: 5), to: Receiver())
    let sent = try #require(server.requests.first)
    #expect(sent.values("Accept") == ["text/html"])
    #expect(sent.values("User-Agent") == ["mine"])
    #expect(sent.values("Accept-Encoding") == ["gzip"])
    #expect(sent.values("Content-Type") == ["text/plain"])
    #expect(sent.values("Expect") == [])
    #expect(sent.body == "hello")
  }

  @Test(arguments: ["DELETE", "PROPFIND", "get"]) func `may have any method, and no body`(method: String) throws {
    let server = try Self.answering()
    _ = try send(request(method, server.url()), to: Receiver())
    #expect(server.requests.map(\.line) == ["\(method) / HTTP/1.1"])
    #expect(server.requests.first?.values("Content-Length") == [])
  }

  // RFC 9110 section 8.6.
  @Test(arguments: ["POST", "PUT", "PATCH"]) func `says that it has no body where one is usual`(method: String) throws {
    let server = try Self.answering()
    _ = try send(request(method, server.url()), to: Receiver())
    #expect(server.requests.first?.values("Content-Length") == ["0"])
    #expect(server.requests.first?.values("Content-Type") == [])
  }

  @Test func `with HEAD is answered without a body`() throws {
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n") }
    }
    let receiver = try Receiver()
    let response = try send(request("HEAD", server.url()), to: receiver)
    #expect(response.head.status == 200 && response.contentBytes == 0)
    #expect(receiver.status == 200)
  }

  @Test func `passes every status and its body on`() throws {
    for status in [200, 201, 302, 400, 401, 404, 500] {
      let server = try Self.answering(status, body: "body of \(status)")
      let receiver = try Receiver()
      let response = try send(request("GET", server.url()), to: receiver)
      #expect(response.head.status == status)
      #expect(receiver.text == "body of \(status)")
      #expect(response.contentBytes == receiver.text.utf8.count)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `passes cookies on, and no interim response`() throws {
    let server = try LoopbackServer { conversation in
      while try conversation.readRequest() != nil {
        try conversation.write("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        try conversation.respond(headers: ["Set-Cookie: a=b"])
      }
    }
    let receiver = try Receiver()
    let response = try send(request("GET", server.url()), to: receiver)
    #expect(response.head.headers["Set-Cookie"] == "a=b")
    #expect(response.head.headers["Link"] == nil)
    #expect(receiver.status == 200)
  }

  @Test func `tells of the head before the body is there`() throws {
    let receiver = try Receiver()
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      let deadline = Instant.now.advanced(by: .testLimit)
      while receiver.status == nil, Instant.now < deadline { Threads.sleep(for: .milliseconds(5)) }
      try conversation.write(receiver.status == 200 ? "ok" : "no")
    }
    _ = try send(request("GET", server.url()), to: receiver)
    #expect(receiver.text == "ok")
  }

  @Test func `waits for a receiver without room and loses nothing`() throws {
    let body = String(repeating: "0123456789", count: 20_000)
    let server = try Self.answering(body: body)
    let receiver = try Receiver { call in call % 3 == 0 ? 1000 : call % 3 == 1 ? 0 : 7 }
    let response = try send(request("GET", server.url()), to: receiver)
    #expect(receiver.text == body)
    #expect(response.contentBytes == body.utf8.count)
  }

  /// The server waits after the first part for `pause` seconds: long enough for the request to leave its thread, or not.
  @Test(arguments: [0, 500]) func `passes what came before a break to a receiver without room`(pause: Int) throws {
    let part = String(repeating: "0123456789", count: 10_000)
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + part)
      Threads.sleep(for: .milliseconds(pause))
      try conversation.write(part)
    }
    let receiver = try Receiver { call in call % 3 == 0 ? 1000 : 0 }
    #expect(throws: answered(.receive)) { try send(request("GET", server.url()), to: receiver) }
    #expect(receiver.text == part + part, "\(receiver.text.utf8.count)")
  }

  @Test func `ends when nobody takes the body`() throws {
    let server = try Self.answering(body: String(repeating: "x", count: 100_000))
    #expect(throws: answered(.cancelled)) {
      try send(request("GET", server.url()), to: Receiver { call in call > 2 ? nil : 10 })
    }
  }

  @Test func `reads little of a body that is not wanted`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 401 No\r\nContent-Length: 100000000\r\n\r\n")
      // Fails as soon as the other end is closed.
      for _ in 0..<1000 { try conversation.write([UInt8](repeating: 0x78, count: 100_000)) }
      Issue.record("the whole body was read")
    }
    let receiver = try Receiver(isWanted: false)
    #expect(try send(request("GET", server.url()), to: receiver).head.status == 401)
    #expect(receiver.text.isEmpty)
  }

  @Test func `uses a connection again after a small body that is not wanted`() throws {
    let server = try Self.answering(401, body: "no")
    let client = client()
    for _ in 0..<3 { _ = try send(request("GET", server.url()), to: Receiver(isWanted: false), over: client) }
    #expect(server.connections == 1)
  }

  @Test func `uses no connection of another account, nor one of a lease for its owner`() throws {
    let server = try Self.answering()
    let client = client()
    let groups = [
      ConnectionGroup(account: "work"), ConnectionGroup(account: "mail"), Self.lent("1"), Self.lent("2"),
    ]
    for _ in 0..<2 {
      for group in groups { _ = try send(request("GET", server.url(), of: group), to: Receiver(), over: client) }
    }
    #expect(server.connections == 4)
  }

  private static func lent(_ name: String, isNarrow: Bool = false) -> ConnectionGroup {
    ConnectionGroup(account: "work", lease: RequestLease(name: name, isNarrow: isNarrow))
  }

  // RFC 9112 section 9.3: a server that does not read the content parses it as the next request.
  @Test(
    arguments: [
      ("GET", nil, false), ("DELETE", nil, false), ("POST", nil, true), ("POST", "1", false), ("PROPFIND", "1", false),
    ] as [(String, String?, Bool)]) func `keeps no connection after content that may be left unread`(
      method: String, lease: String?, isKept: Bool
    )
    throws
  {
    let server = try Self.answering()
    let client = client()
    let group = lease.map { Self.lent($0) } ?? ConnectionGroup(account: "work")
    let content = try Content([.text("a")], length: 1)
    _ = try send(request(method, server.url(), of: group), content, to: Receiver(), over: client)
    #expect(client.idleCount == (isKept ? 1 : 0))
    _ = try send(request("GET", server.url(), of: group), to: Receiver(), over: client)
    #expect(client.idleCount == 1 && server.connections == (isKept ? 1 : 2))
  }

  // If a server parses one request as two, the second response would reach the next peer, bypassing the lease's limits.
  @Test(arguments: [false, true]) func `keeps no connection of a lease with a path or methods`(isNarrow: Bool) throws {
    let server = try Self.answering()
    let client = client()
    for _ in 0..<2 {
      _ = try send(
        request("GET", server.url(), of: Self.lent("1", isNarrow: isNarrow)), to: Receiver(), over: client)
    }
    #expect(server.connections == (isNarrow ? 2 : 1) && client.idleCount == (isNarrow ? 0 : 1))
  }

  // MARK: The token

  private static let token = "gho_16C7e42F292c6912E7710c838347Ae178B4a"

  private func lent(_ url: String) throws -> ResourceRequest {
    var request = try request("GET", url)
    request.tokenToWithhold = SharedSecret(try SecretBytes(copying: Array(Self.token.utf8).span))
    return request
  }

  @Test func `ends an answer that contains the token, and passes on no eight bytes of it`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbefore ")
      for byte in Self.token.utf8 { try conversation.write([byte]) }
      try conversation.write([UInt8](repeating: 0x78, count: 1000 - 7 - Self.token.utf8.count))
      _ = try? conversation.readRequest()
    }
    let receiver = try Receiver()
    #expect(throws: answered(.tokenReturned)) { try send(lent(server.url()), to: receiver) }
    let most = "before " + Self.token.prefix(7)
    #expect(receiver.text.hasPrefix("before ") && most.hasPrefix(receiver.text), "\(receiver.text)")
  }

  @Test func `passes no head that contains the token`() throws {
    for body in ["", "body"] {
      let server = try LoopbackServer { conversation in
        _ = try conversation.readRequest()
        try conversation.write(
          "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nX-Echo: Bearer \(Self.token)\r\n\r\n\(body)")
      }
      let receiver = try Receiver()
      #expect(throws: answered(.tokenReturned)) { try send(lent(server.url()), to: receiver) }
      #expect(receiver.status == nil && receiver.text.isEmpty)
    }
  }

  @Test func `passes a whole answer whose end could begin the token`() throws {
    let body = "data: " + Self.token.dropLast()
    let server = try Self.answering(body: body)
    let receiver = try Receiver { call in call % 2 == 0 ? 3 : 0 }
    let response = try send(lent(server.url()), to: receiver)
    #expect(receiver.text == body && response.contentBytes == body.utf8.count)
  }

  @Test func `takes for its answer nothing that came before it`() throws {
    let (isAnswered, isSent) = (Monitor(false), Monitor(false))
    let server = try LoopbackServer { conversation in
      while try conversation.readRequest() != nil {
        try conversation.respond(body: "own")
        guard conversation.number == 1 else { continue }
        _ = isAnswered.wait(.testLimit) { $0 ? true : nil }
        try conversation.respond(body: "other")
        isSent.update { $0 = true }
      }
    }
    let client = client()
    _ = try send(request("GET", server.url()), to: Receiver(), over: client)
    isAnswered.update { $0 = true }
    #expect(isSent.wait(.testLimit) { $0 ? true : nil } == true)
    let receiver = try Receiver()
    _ = try send(request("GET", server.url()), to: receiver, over: client)
    #expect(receiver.text == "own" && server.connections == 2)
  }

  // RFC 9110 section 9.2.2: on a just closed connection the request would fail and could not be repeated.
  @Test func `with an effect gets no connection that the server may be about to close`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.respond()
      // Closes although the client could reuse the connection.
    }
    let client = client()
    for _ in 0..<3 {
      _ = try send(request("POST", server.url()), Content([.text("a")], length: 1), to: Receiver(), over: client)
    }
    #expect(server.requests.count == 3)
  }

  // MARK: Content

  @Test func `waits for content that comes late`() throws {
    let server = try Self.answering()
    let content = try Content([.text("one "), .later, .later, .text("two "), .later, .text("three")], length: 13)
    _ = try send(request("POST", server.url()), content, to: Receiver())
    #expect(server.requests.map(\.body) == ["one two three"])
    #expect(server.requests.first?.values("Content-Type") == ["application/x-www-form-urlencoded"])
  }

  // RFC 9112 section 7.1.
  @Test func `sends content of unknown length in chunks`() throws {
    let server = try LoopbackServer { conversation in
      let head = try #require(try conversation.readRequest())
      #expect(head.values("Transfer-Encoding") == ["chunked"])
      #expect(head.values("Expect") == ["100-continue"])
      try conversation.write("HTTP/1.1 100 Continue\r\n\r\n")
      var got = ""
      while !got.hasSuffix("0\r\n\r\n") {
        got += String(decoding: try #require(try conversation.readBytes()), as: UTF8.self)
      }
      #expect(got == "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
      try conversation.respond()
    }
    let content = try Content([.text("one"), .later, .text("two")], length: nil)
    #expect(try send(request("POST", server.url()), content, to: Receiver()).head.status == 200)
  }

  @Test(arguments: [nil, 100]) func `fails when content fails or ends early`(length: Int?) throws {
    let server = try LoopbackServer { try $0.waitForEnd() }
    let parts: [Content.Part] = length == nil ? [.text("a"), .failed] : [.text("a")]
    let content = try Content(parts, length: length)
    #expect(throws: unanswered(.content)) { try send(request("POST", server.url()), content, to: Receiver()) }
  }

  // MARK: Time

  @Test func `ends when nothing moves`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      try conversation.waitForEnd()
    }
    #expect(throws: answered(.timeout)) { try send(request("GET", server.url(), stallSeconds: 5), to: Receiver()) }
  }

  @Test func `ends when nothing moves for the time of an answer that has begun, and not before`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      try conversation.waitForEnd()
    }
    let slow = try request("GET", server.url(), stallSeconds: 60, idleSeconds: 1)
    #expect(throws: answered(.timeout)) { try send(slow, to: Receiver()) }
    let silent = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.waitForEnd()
    }
    // Before the head, the other timeout applies.
    let request = try request("GET", silent.url(), stallSeconds: 1, idleSeconds: 0)
    #expect(throws: unanswered(.timeout)) { try send(request, to: Receiver()) }
  }

  @Test func `stands still for as long as it likes where no time is set`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx")
      Threads.sleep(for: .seconds(6))
      try conversation.write("x")
    }
    let receiver = try Receiver()
    _ = try send(request("GET", server.url(), stallSeconds: 5, idleSeconds: 0), to: receiver)
    #expect(receiver.text == "xx")
  }

  // MARK: Silence

  /// Responds with a part, pauses until `go`, then sends the rest.
  private static func silent(until go: Monitor<Bool>) throws -> LoopbackServer {
    try LoopbackServer { conversation in
      while try conversation.readRequest() != nil {
        try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nbef")
        guard go.wait(.testLimit, for: { $0 ? true : nil }) != nil else { return }
        try conversation.write("ore")
      }
    }
  }

  @Test func `leaves its thread while the server is silent, and loses nothing`() throws {
    let go = Monitor(false)
    let server = try Self.silent(until: go)
    let client = client()
    var rests: [(Rest, Receiver)] = []
    for _ in 0..<3 {
      let receiver = try Receiver { call in call % 2 == 0 ? 1 : 0 }
      let response = try begin(request("GET", server.url()), to: receiver, over: client)
      #expect(response.head.status == 200 && receiver.text == "bef")
      rests.append((Rest(of: try #require(response.pending)), receiver))
    }
    go.update { $0 = true }
    for (rest, receiver) in rests { #expect(try rest.bytes() == 6 && receiver.text == "before") }
    // Their connections are reused.
    #expect(client.idleCount == 3)
    _ = try send(request("GET", server.url()), to: Receiver(), over: client)
    #expect(server.connections == 3)
  }

  @Test func `that is silent can be given up`() throws {
    let server = try Self.silent(until: Monitor(false))
    let cancellation = Cancellation()
    let response = try begin(request("GET", server.url(), cancellation: cancellation), to: Receiver())
    let rest = Rest(of: try #require(response.pending))
    cancellation.cancel()
    #expect(throws: answered(.cancelled)) { try rest.bytes() }
  }

  @Test func `that was given up before its rest is received ends at once`() throws {
    let server = try Self.silent(until: Monitor(false))
    let cancellation = Cancellation()
    let response = try begin(request("GET", server.url(), cancellation: cancellation), to: Receiver())
    cancellation.cancel()
    let rest = Rest(of: try #require(response.pending))
    #expect(throws: answered(.cancelled)) { try rest.bytes() }
  }

  @Test func `whose rest nobody wants closes its connection`() throws {
    let closed = Monitor(false)
    let server = try LoopbackServer { conversation in
      defer { closed.update { $0 = true } }
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nbef")
      try conversation.waitForEnd()
    }
    let wasSilent = { try begin(request("GET", server.url()), to: Receiver()).pending != nil }
    #expect(try wasSilent())
    #expect(closed.wait(.testLimit) { $0 ? true : nil } == true)
  }

  /// Requests the client's certificate during its response (RFC 8446 section 4.6.2), when triggered.
  private static let lateServer = #"""
    import socket, ssl, sys
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("certificate", "key")
    context.post_handshake_auth = True
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations("own")
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    client = context.wrap_socket(listener.accept()[0], server_side=True)
    while b"\r\n\r\n" not in client.recv(65536): pass
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nbef")
    sys.stdin.readline()
    client.verify_client_post_handshake()
    client.sendall(b"o")
    try:
        client.recv(1)
        client.sendall(b"re")
    except OSError: pass
    """#

  // The thread that waits for all responses must not wait for a device.
  @Test(.enabled(if: Spawn.search("python3") != nil))
  func `ends when the server asks for a key of a device after a silence`() throws {
    let device = try PlayedDevice()
    let certificate = try device.certificate()
    let files = try TemporaryDirectory()
    let authority = try CertificateAuthority.shared.get()
    _ = try authority.write(.good, to: files)
    try files.write("own", ClientCertificate.text(try Certificate(der: certificate.key.certificates[0])))
    try files.write("server.py", Self.lateServer)
    let server = try RunningProcess(
      executable: "/usr/bin/env", arguments: ["python3", files.path("server.py")], directory: files.path)
    var transport = Transport()
    transport.certificateAuthorities = try CertificateAuthorities(pem: authority.pem)
    transport.clientCertificate = certificate
    let request = ResourceRequest(
      method: try #require(ResourceMethod("GET")),
      endpoint: try Endpoint("https://127.0.0.1:\(try server.readLine())/", allowHTTPLoopback: false), fields: [],
      transport: transport, stallSeconds: 20, cancellation: Cancellation())
    let signatures = device.signatures
    let response = try begin(request, to: Receiver())
    let rest = Rest(of: try #require(response.pending))
    try server.send("go\n")
    var failure = answered(.tls)
    failure.problem = .clientKeyTooLate
    #expect(throws: failure) { try rest.bytes() }
    #expect(device.signatures == signatures)
  }

  @Test func `that breaks off after a silence is no answer`() throws {
    let go = Monitor(false)
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbef")
      _ = go.wait(.testLimit) { $0 ? true : nil }
      try conversation.write("ore")
    }
    let receiver = try Receiver()
    let response = try begin(request("GET", server.url()), to: receiver)
    let rest = Rest(of: try #require(response.pending))
    go.update { $0 = true }
    #expect(throws: answered(.receive)) { try rest.bytes() }
    #expect(receiver.text == "before")
  }

  @Test func `ends after a silence when nobody takes the rest`() throws {
    let go = Monitor(false)
    let server = try Self.silent(until: go)
    let response = try begin(request("GET", server.url()), to: Receiver { call in call > 1 ? nil : 10 })
    let rest = Rest(of: try #require(response.pending))
    go.update { $0 = true }
    #expect(throws: answered(.cancelled)) { try rest.bytes() }
  }

  // The transport's limit of a second for authorization servers does not apply.
  @Test func `may take longer than it may stand still`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
      for _ in 0..<6 {
        Threads.sleep(for: .seconds(1))
        try conversation.write("x")
      }
    }
    let receiver = try Receiver()
    _ = try send(request("GET", server.url(), stallSeconds: 5), to: receiver)
    #expect(receiver.text == "xxxxxx")
  }

  @Test func `can be given up from another thread`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.waitForEnd()
    }
    let cancellation = Cancellation()
    try Threads.start(name: "canceller") {
      _ = server.waitForRequests(1)
      cancellation.cancel()
    }
    #expect(throws: unanswered(.cancelled)) {
      try send(request("GET", server.url(), cancellation: cancellation), to: Receiver())
    }
  }

  @Test func `that breaks off is no answer`() throws {
    let server = try LoopbackServer { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
    }
    #expect(throws: answered(.receive)) { try send(request("GET", server.url()), to: Receiver()) }
  }

  @Test func `goes to no plain http that the account does not allow`() throws {
    let server = try Self.answering()
    var asked = try request("GET", server.url())
    asked.transport.allowHTTPLoopback = false
    #expect(throws: HTTPFailure(.setup)) { try send(asked, to: Receiver()) }
    #expect(server.connections == 0)
  }
}
