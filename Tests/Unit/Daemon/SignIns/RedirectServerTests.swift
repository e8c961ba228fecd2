import HTTP
import Loopback
import OAuth
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Wire

@testable import Daemon

/// A server with one listener, and its browser. Accepts the query `state=ours`.
private final class DeskRun: RedirectServerDelegate {
  private(set) var desk: RedirectServer?
  private let loop = RecordedReplies(ManualTime())
  /// The listener, while the server has it.
  private(set) weak var listener: RedirectListener?
  let redirectURI: String
  let port: UInt16
  let linkURL: String?
  var judged: [String] = []
  var otherUsers = 0
  var foreign = 0
  var tls = 0
  /// The owner of all connections, instead of a lookup.
  var owner: TCPAddressPair.Owner?
  /// Whether the page for the response is the result, which follows.
  var answersLater = false
  /// Whether lookups are delayed.
  var isSlow = false
  private var held: [() -> Void] = []
  /// How many connections each lookup was for.
  private(set) var lookups: [Int] = []
  /// The target of the link, until it is opened.
  var linked: String? = "https://as.example/authorize?state=ours"

  let sockets = RedirectSockets()

  init(_ uri: String = "http://127.0.0.1/cb") throws {
    let listener = try RedirectListener.open(RedirectURI(uri), in: sockets)
    self.listener = listener
    redirectURI = listener.redirectURI
    linkURL = listener.linkURL
    port = try UnixSocket.localPort(listener.sockets[0].descriptor)
    desk = try RedirectServer(loop, self)
    try desk?.open(listener, for: 7)
  }

  func identify(_ ends: [TCPAddressPair], _ completion: @escaping ([TCPAddressPair: TCPAddressPair.Owner]) -> Void) {
    lookups.append(ends.count)
    let owners = owner.map { owner in ends.reduce(into: [:]) { $0[$1] = owner } } ?? TCPAddressPair.owners(of: ends)
    guard isSlow else { return completion(owners) }
    held.append { completion(owners) }
  }

  func letGo() {
    let calls = held
    held = []
    for call in calls { call() }
  }

  func openLink(_ login: UInt64, isFromOwnUser: Bool) -> String? {
    judged.append("\(login) link\(isFromOwnUser ? "" : ", untold")")
    defer { linked = nil }
    return linked
  }

  func handleRedirect(_ login: UInt64, query: Span<UInt8>, isFromOwnUser: Bool) -> LoopbackPage? {
    let text = String(decoding: query.indices.map { query[$0] }, as: UTF8.self)
    judged.append("\(login) \(text)\(isFromOwnUser ? "" : ", untold")")
    guard text == "state=ours" else { return .foreign }
    desk?.close(7)
    return answersLater ? nil : .received
  }

  func handleForeignRedirect(_ login: UInt64, query: Span<UInt8>) { foreign += 1 }

  func handleTLS(_ login: UInt64) { tls += 1 }

  func handleOtherUser(_ login: UInt64, user: UInt32) { otherUsers += 1 }

  func serve(_ now: Instant = .now) { desk?.handleEvents(now) }

  /// The time of the request's response, unlike that of the connection.
  var now: Instant { loop.now }

  func connect(ipv6: Bool = false) throws -> SharedDescriptor {
    let socket = SharedDescriptor(try UnixSocket.connectLoopback(port: port, ipv6: ipv6))
    try UnixSocket.setTimeouts(socket.descriptor, seconds: 600)
    return socket
  }

  func send(_ text: String, _ socket: SharedDescriptor) throws {
    let bytes = Array(text.utf8)
    try socket.descriptor.writeAll(bytes.span)
    serve()
  }

  func get(_ target: String, method: String = "GET", host: String? = nil) throws -> SharedDescriptor {
    let socket = try connect()
    try send("\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n", socket)
    return socket
  }

  /// The response's status, once the connection is closed; empty without one.
  func status(_ socket: SharedDescriptor) -> String {
    guard let answer = try? socket.descriptor.readToEnd(limit: 100_000) else { return "" }
    return String(decoding: answer.prefix(12).dropFirst(9), as: UTF8.self)
  }

  /// Whether the server still listens. Another process may have the port by then, or the kernel may have connected the
  /// socket to itself.
  var isOpen: Bool {
    let before = judged.count
    return (try? get("/cb?state=probe")) != nil && judged.count > before
  }
}

@Suite struct `The listener for an answer` {
  @Test func `answers the right request, and then nobody any more`() throws {
    let run = try DeskRun()
    #expect(run.redirectURI == "http://127.0.0.1:\(run.port)/cb")
    let waiting = try run.connect()
    run.serve()
    let socket = try run.get("/cb?state=ours")
    #expect(run.judged == ["7 state=ours"])
    #expect(run.status(socket) == "200")
    // A second response, even the same, is refused (RFC 6749 section 4.1.2: a code is single-use).
    #expect(!run.isOpen)
    #expect(run.status(waiting) == "", "who was here before is let go")
    #expect(run.desk?.nextDeadline == nil)
  }

  @Test func `tells the browser the result, with texts that cannot be markup`() throws {
    let run = try DeskRun()
    run.answersLater = true
    let socket = try run.get("/cb?state=ours")
    run.desk?.answer(8, LoopbackPage.failed("Other").response())
    run.desk?.answer(
      7, LoopbackPage.signedInPage(to: "https://as.example", as: #"<b onclick='x'>"A & B"</b>"#, account: "work"))
    let page = String(decoding: try socket.descriptor.readToEnd(limit: 100_000), as: UTF8.self)
    #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("<h1>Signed in</h1>"), "\(page)")
    #expect(page.contains(" as &lt;b onclick=&#39;x&#39;&gt;&quot;A &amp; B&quot;&lt;/b&gt;. "), "\(page)")
    #expect(run.desk?.nextDeadline == nil)
  }

  @Test func `sends the browser to the terminal if the result takes seconds, and forgets one that has gone`() throws {
    for isGone in [false, true] {
      let run = try DeskRun()
      run.answersLater = true
      var socket: SharedDescriptor? = try run.get("/cb?state=ours")
      if isGone { socket = nil }
      let deadline = try #require(run.desk?.nextDeadline)
      #expect(deadline == run.now.advanced(by: .seconds(10)), "counted from the request, not from the connection")
      run.desk?.expire(deadline.advanced(by: .seconds(-1)))
      #expect(run.desk?.nextDeadline != nil)
      run.desk?.expire(deadline.advanced(by: .seconds(15)))
      if let socket { #expect(run.status(socket) == "200") }
      #expect(run.desk?.nextDeadline == nil)
    }
  }

  // Redirect probing: what others send does not end the wait.
  @Test func `goes on waiting after probes, wrong answers and nonsense`() throws {
    let run = try DeskRun()
    #expect(run.status(try run.get("/favicon.ico")) == "404")
    #expect(run.status(try run.get("/")) == "404")
    #expect(run.status(try run.get("/cb?state=ours", method: "HEAD")) == "405")
    #expect(run.status(try run.get("/cb?state=ours", method: "OPTIONS")) == "405")
    #expect(run.status(try run.get("/cb?state=ours", method: "POST")) == "405")
    #expect(run.status(try run.get("/cb?state=ours", host: "evil.example")) == "404")
    let tls = try run.connect()
    try run.send("\u{16}\u{3}\u{1}\u{2}", tls)
    #expect(try tls.descriptor.readToEnd(limit: 100) == LoopbackPage.tlsRefusal && run.tls == 1)
    #expect(run.judged == [])
    #expect(run.status(try run.get("/cb")) == "400")
    #expect(run.status(try run.get("/cb?state=theirs&code=c")) == "400")
    #expect(run.judged == ["7 ", "7 state=theirs&code=c"])
    #expect(run.status(try run.get("/cb?state=ours")) == "200")
  }

  @Test func `takes a request in pieces, and one that stops half-way harms no other`() throws {
    let run = try DeskRun()
    let half = try run.connect()
    try run.send("GET /cb?sta", half)
    let socket = try run.connect()
    for byte in "GET /cb?state=ours HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n".utf8 {
      try run.send(String(UnicodeScalar(byte)), socket)
    }
    #expect(run.status(socket) == "200")
    #expect(run.status(half) == "")
  }

  @Test func `lets go who says nothing in ten seconds`() throws {
    let run = try DeskRun()
    let socket = try run.connect()
    let start = Instant.now
    run.serve(start)
    #expect(run.desk?.nextDeadline == start.advanced(by: .seconds(10)))
    run.desk?.expire(start.advanced(by: .milliseconds(9999)))
    #expect(run.desk?.nextDeadline != nil)
    run.desk?.expire(start.advanced(by: .seconds(10)))
    #expect(run.desk?.nextDeadline == nil)
    #expect(run.status(socket) == "")
    #expect(run.status(try run.get("/cb?state=ours")) == "200")
  }

  @Test func `is not kept busy by a flood`() throws {
    let run = try DeskRun()
    var idle: [SharedDescriptor] = []
    for _ in 0..<200 {
      idle.append(try run.connect())
      run.serve()
    }
    // All but the newest 16 were closed, in order of arrival.
    let isClosed = idle.enumerated().map { index, peer in
      (try? peer.descriptor.waitUntilReadable(timeout: index < 200 - 16 ? .testLimit : .zero)) == true
    }
    #expect(isClosed == (0..<200).map { $0 < 200 - 16 })
    #expect(run.status(try run.get("/cb?state=ours")) == "200")
  }

  // The loop must not spend its time on connections that close at once.
  @Test func `takes 32 connections at once, those that were reset among them`() throws {
    let run = try DeskRun()
    let line = """
      python3 -c 'import socket, struct, sys
      for _ in range(32):
        peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()' \(run.port)
      """
    try #require(try ProcessRunner.shell(line).succeeded)
    let socket = try run.connect()
    let request = Array("GET /cb?state=ours HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n".utf8)
    try socket.descriptor.writeAll(request.span)
    run.serve()
    #expect(run.lookups == [])
    run.serve()
    #expect(run.lookups == [1] && run.status(socket) == "200")
  }

  @Test func `reads a head with all cookies of this machine, in pieces`() throws {
    let run = try DeskRun()
    let socket = try run.connect()
    try run.send("GET /cb?state=ours HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\nCookie: a=1", socket)
    for _ in 0..<6 {
      run.serve()
      try run.send(String(repeating: "; b=\(String(repeating: "2", count: 96))", count: 100), socket)
    }
    try run.send("\r\n\r\n", socket)
    run.serve()
    #expect(run.status(socket) == "200")
    #expect(run.judged == ["7 state=ours"])
  }

  @Test func `reads no more than a head`() throws {
    let run = try DeskRun()
    let socket = try run.connect()
    try run.send("GET /cb?" + String(repeating: "x", count: 70_000), socket)
    run.serve()
    #expect(["431", ""].contains(run.status(socket)), "the rest that was not read may reset the connection")
    #expect(run.status(try run.get("/cb?state=ours")) == "200")
  }

  // A program that is starting keeps open descriptors until its exec, like the copies here.
  @Test func `closes when the sign-in is given up, and its port can be had again at once`() throws {
    let place = "http://127.0.0.1:\(try LoopbackServer.unusedPort())/cb"
    let run = try DeskRun(place)
    let copies = try #require(run.listener).sockets.map { SharedDescriptor(try $0.descriptor.duplicate()) }
    #expect(run.isOpen)
    run.desk?.close(8)
    #expect(run.isOpen, "another sign-in is not this one")
    run.desk?.close(7)
    run.serve()
    #expect(!run.isOpen)
    #expect(try RedirectListener.open(RedirectURI(place)).port == run.port)
    withExtendedLifetime(copies) {}
  }
}

@Suite struct `The link for a browser` {
  /// The complete response, once the connection is closed.
  private func answer(_ run: DeskRun, _ path: String) throws -> String {
    let socket = try run.get(path)
    return String(decoding: try socket.descriptor.readToEnd(limit: 100_000), as: UTF8.self)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "[::1]"]) func `leads to the server once`(host: String) throws {
    let run = try DeskRun("http://\(host)/cb")
    let link = try #require(run.linkURL)
    let place = "http://\(host == "[::1]" ? host : "127.0.0.1"):\(run.port)"
    #expect(link.hasPrefix(place + "/"))
    // 128 bits in base64url.
    let path = String(link.dropFirst(place.utf8.count))
    #expect(path.utf8.count == 23)
    func open(_ path: String) throws -> String {
      let socket = try run.connect(ipv6: host == "[::1]")
      try run.send("GET \(path) HTTP/1.1\r\nHost: \(place.dropFirst(7))\r\n\r\n", socket)
      return String(decoding: try socket.descriptor.readToEnd(limit: 100_000), as: UTF8.self)
    }
    #expect(try open(path + "x").hasPrefix("HTTP/1.1 404 "))
    let first = try open(path)
    #expect(first.hasPrefix("HTTP/1.1 302 "))
    for field in [
      "Location: https://as.example/authorize?state=ours", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
    ] { #expect(first.contains("\r\n\(field)\r\n")) }
    let second = try open(path)
    #expect(second.hasPrefix("HTTP/1.1 410 ") && second.contains("This link was used"))
    #expect(!second.contains("as.example"))
    #expect(run.judged == ["7 link", "7 link"])
  }

  // Output beyond the kernel's buffer is sent when there is space.
  @Test func `is answered whole where the browser reads slowly`() throws {
    let run = try DeskRun()
    let url = "https://as.example/authorize?state=" + String(repeating: "x", count: 16 << 20)
    run.linked = url
    let socket = try run.get("/" + #require(run.linkURL?.split(separator: "/").last))
    #expect(run.desk?.nextDeadline != nil, "it has not been sent whole")
    var answer: [UInt8] = []
    let end = Instant.now.advanced(by: .testLimit)
    while true {
      run.serve()
      try #require(Instant.now < end)
      guard try socket.descriptor.waitUntilReadable(timeout: .milliseconds(10)) else { continue }
      if try socket.descriptor.read(into: &answer, upTo: 1 << 20) == 0 { break }
    }
    #expect(answer.count > url.utf8.count && String(decoding: answer.prefix(13), as: UTF8.self) == "HTTP/1.1 302 ")
    #expect(run.desk?.nextDeadline == nil && run.judged == ["7 link"])
  }

  @Test func `is another one for each sign-in`() throws {
    let paths = try (0..<3).map { _ in try #require(DeskRun().linkURL).split(separator: "/").last }
    #expect(Set(paths).count == 3)
  }

  @Test func `is opened by a GET with the name of its place only`() throws {
    let run = try DeskRun()
    let path = try "/" + #require(run.linkURL?.split(separator: "/").last)
    #expect(run.status(try run.get(path, method: "HEAD")) != "302")
    #expect(run.status(try run.get(path, host: "evil.example")) == "404")
    #expect(run.judged == [])
    #expect(run.status(try run.get(path)) == "302")
  }
}

@Suite struct `Whose a connection is` {
  @Test func `decides before anything is read`() throws {
    let run = try DeskRun()
    run.owner = .user(Machine.userID ^ 1)
    let path = try "/" + #require(run.linkURL?.split(separator: "/").last)
    for target in [path, "/cb?state=ours", "/"] {
      let socket = try run.connect()
      try? run.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n", socket)
      #expect(run.status(socket) == "", "it is closed")
    }
    #expect(run.judged == [] && run.otherUsers == 3)
    #expect(run.desk?.nextDeadline == nil, "none is left")
    run.owner = nil
    #expect(run.status(try run.get("/cb?state=ours")) == "200")
    #expect(run.judged == ["7 state=ours"])
  }

  @Test func `is told where it cannot be known`() throws {
    let run = try DeskRun()
    run.owner = .unknown
    #expect(run.status(try run.get("/" + #require(run.linkURL?.split(separator: "/").last))) == "302")
    #expect(run.status(try run.get("/cb?state=ours")) == "200")
    #expect(run.judged == ["7 link, untold", "7 state=ours, untold"])
  }

  @Test func `is looked up for many at once, and for those that come meanwhile`() throws {
    let run = try DeskRun()
    run.isSlow = true
    let early = try run.get("/")
    let late = try run.get("/cb?state=ours")
    #expect(run.judged == [])
    run.letGo()
    #expect(run.status(early) == "404")
    run.letGo()
    #expect(run.status(late) == "200")
  }

  @Test func `is looked up for 16 at once, while the others wait to be accepted`() throws {
    let run = try DeskRun()
    run.isSlow = true
    let sockets = try (0..<20).map { _ in try run.connect() }
    for _ in 0..<3 { run.serve() }
    #expect(run.lookups == [16])
    run.letGo()
    run.serve()
    #expect(run.lookups == [16, 4] && sockets.count == 20)
  }

  // Connections of this user are kept rather than those possibly of another user.
  @Test func `decides who has to go before anything of the one that goes is read`() throws {
    let run = try DeskRun()
    let ours = try (0..<16).map { _ in
      let socket = try run.connect()
      run.serve()
      return socket
    }
    run.owner = .unknown
    #expect(run.status(try run.get("/cb?state=ours")) == "")
    #expect(run.judged == [])
    for socket in ours {
      try run.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n", socket)
      #expect(run.status(socket) == "404")
    }
  }

  // Fair shares: another user of the machine may connect as often as they like.
  @Test func `is looked up before anyone is driven out`() throws {
    let run = try DeskRun()
    run.isSlow = true
    var others: [SharedDescriptor] = []
    func flood() throws {
      for _ in 0..<30 {
        others.append(try run.connect())
        run.serve()
      }
    }
    try flood()
    let ours = try run.get("/cb?state=ours")
    try flood()
    for _ in 0..<8 {
      run.letGo()
      run.serve()
    }
    #expect(run.status(ours) == "200" && others.count == 60)
  }

  @Test func `does not matter for one that has gone`() throws {
    let run = try DeskRun()
    run.isSlow = true
    try withExtendedLifetime(run.get("/cb?state=ours")) { run.desk?.close(7) }
    run.letGo()
    #expect(run.judged == [])
  }

  @Test func `matters to whom a flood drives out`() throws {
    let run = try DeskRun()
    let ours = try run.get("/cb?sta")
    let half = try run.connect()
    try run.send("GET /cb?sta", half)
    run.owner = .unknown
    var idle: [SharedDescriptor] = []
    for _ in 0..<100 {
      idle.append(try run.connect())
      run.serve()
    }
    try run.send("te=ours HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n", half)
    #expect(run.status(half) == "200")
    #expect(run.status(ours) == "400" && idle.count == 100)
  }
}

@Suite struct `The name localhost` {
  @Test(arguments: ["http://127.0.0.1/cb", "http://localhost/cb"])
  func `may stand for the address in a request`(uri: String) throws {
    let run = try DeskRun(uri)
    #expect(run.status(try run.get("/cb?state=ours", host: "localhost:\(run.port)")) == "200")
  }
}

@Suite struct `A listener of several sign-ins` {
  private static func with(
    _ paths: [String], _ body: (DeskRun, RedirectServer) throws -> Void
  ) throws {
    let run = try DeskRun("http://127.0.0.1:\(try LoopbackServer.unusedPort())/cb")
    let desk = try #require(run.desk)
    for (index, path) in paths.enumerated() {
      let uri = try RedirectURI("http://127.0.0.1:\(run.port)\(path)")
      try desk.open(try RedirectListener.open(uri, in: run.sockets), for: UInt64(8 + index))
    }
    try body(run, desk)
  }

  @Test func `asks each of them whose state it is`() throws {
    try Self.with(["/cb", "/cb"]) { (run, desk) throws in
      let socket = try run.get("/cb?state=other")
      #expect(run.status(socket) == "400")
      #expect(run.judged == ["7 state=other", "8 state=other", "9 state=other"] && run.foreign == 3)
    }
  }

  // RFC 9700 section 4.4.2: the path shows the issuer.
  @Test func `asks only those whose path it is`() throws {
    try Self.with(["/as.example"]) { (run, desk) throws in
      #expect(try run.status(run.get("/as.example?state=x")) == "400")
      #expect(run.judged == ["8 state=x"])
      #expect(try run.status(run.get("/other?state=ours")) == "404")
    }
  }

  @Test func `waits for the others when one has ended`() throws {
    try Self.with(["/cb"]) { (run, desk) throws in
      desk.close(8)
      #expect(try run.status(run.get("/cb?state=ours")) == "200")
      #expect(run.judged == ["7 state=ours"] && !run.isOpen)
    }
  }
}

@Suite struct `The address for an answer` {
  private func failure(_ uri: String) -> SessionError? {
    do throws(SessionError) {
      _ = try RedirectListener.open(try! RedirectURI(uri))
      return nil
    } catch {
      return error
    }
  }

  // RFC 8252 section 7.3: as listed by the kernel.
  @Test(arguments: [
    ("http://127.0.0.1/cb", "tcp", "0100007F"), ("http://[::1]/cb", "tcp6", "00000000000000000000000001000000"),
  ]) func `is open to this machine only`(uri: String, table: String, address: String) throws {
    let listener = try RedirectListener.open(RedirectURI(uri))
    let port = String(try UnixSocket.localPort(listener.sockets[0].descriptor), radix: 16, uppercase: true)
    let place = String(repeating: "0", count: 4 - port.count) + port
    let found = try ProcessRunner.shell("grep -E '^ *[0-9]+: [0-9A-F]+:\(place) 0+:0000 0A ' /proc/net/\(table)")
    #expect(found.outputText.contains(" \(address):\(place) "), "\(found.outputText)")
  }

  // Port squatting: a response is never awaited at another program's port.
  @Test(arguments: ["127.0.0.1", "localhost", "[::1]"]) func `is not taken when its port is`(host: String) throws {
    let squatter = try UnixSocket.listenLoopback(port: 0, ipv6: host == "[::1]")
    let port = try UnixSocket.localPort(squatter)
    let error = try #require(failure("http://\(host):\(port)/cb"))
    guard case .redirectPortTaken(port: Int(port), by: let holder) = error else {
      Issue.record("\(error)")
      return
    }
    let process = try #require(holder.process)
    #expect(process == Machine.processID && holder.user == Machine.userID)
    let program = try #require(holder.program)
    // This process may serve sign-ins too.
    #expect(
      Failure(error, account: "work").message.hasSuffix(
        ": port \(port) is in use by another sign-in, of \(program), process \(process)"))
  }

  @Test(arguments: ["127.0.0.1", "[::1]"]) func `is shared with no other program`(host: String) throws {
    let listener = try RedirectListener.open(RedirectURI("http://\(host)/cb"))
    let port = try UnixSocket.localPort(listener.sockets[0].descriptor)
    let line = """
      python3 -c 'import errno, socket, sys
      peer = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
      for option in socket.SO_REUSEADDR, socket.SO_REUSEPORT: peer.setsockopt(socket.SOL_SOCKET, option, 1)
      try: peer.bind((sys.argv[1], int(sys.argv[2]))); peer.listen()
      except OSError as error: print(errno.errorcode[error.errno])
      else: print("shared")' '\(host.filter { $0 != "[" && $0 != "]" })' \(port)
      """
    #expect(try ProcessRunner.shell(line).outputText == "EADDRINUSE\n")
  }

  // Services that compare the port have one for all their clients.
  @Test func `is shared by the sign-ins of one daemon, and closes with the last`() throws {
    let (sockets, uri) = (RedirectSockets(), "http://127.0.0.1:\(try LoopbackServer.unusedPort())")
    var one: RedirectListener? = try RedirectListener.open(RedirectURI(uri + "/one"), in: sockets)
    var other: RedirectListener? = try RedirectListener.open(RedirectURI(uri + "/other"), in: sockets)
    #expect(one?.sockets[0] === other?.sockets[0])
    let byName = uri.replacing("127.0.0.1", with: "localhost") + "/name"
    #expect(try RedirectListener.open(RedirectURI(byName), in: sockets).sockets[0] === one?.sockets[0])
    one = nil
    #expect(failure(uri + "/one") != nil)
    other = nil
    #expect(failure(uri + "/one") == nil)
  }

  @Test(arguments: [6000, 6667, 10_080] as [UInt16]) func `is none that browsers refuse`(port: UInt16) {
    #expect(RedirectURI.isRefusedByBrowsers(port))
    #expect(throws: OAuthError.self) { try RedirectURI("http://127.0.0.1:\(port)/cb") }
  }

  // RFC 8252 section 8.3: the name may mean either address.
  @Test func `by name is taken at both addresses, or not at all`() throws {
    let squatter = try UnixSocket.listenLoopback(port: 0, ipv6: true)
    let port = try UnixSocket.localPort(squatter)
    guard case .redirectPortTaken(port: Int(port), by: _)? = failure("http://localhost:\(port)/cb") else {
      Issue.record("the other address is somebody else's")
      return
    }
    let run = try DeskRun("http://localhost/cb")
    for ipv6 in [false, true] {
      let socket = try run.connect(ipv6: ipv6)
      try run.send("GET /cb?state=\(ipv6 ? "ours" : "x") HTTP/1.1\r\nHost: localhost:\(run.port)\r\n\r\n", socket)
      #expect(run.status(socket) == (ipv6 ? "200" : "400"))
    }
  }

  @Test func `is reached by IPv6 where that is registered`() throws {
    let run = try DeskRun("http://[::1]/cb")
    let socket = try run.connect(ipv6: true)
    try run.send("GET /cb?state=ours HTTP/1.1\r\nHost: [::1]:\(run.port)\r\n\r\n", socket)
    #expect(run.status(socket) == "200")
  }

  @Test func `elsewhere is refused`() {
    #expect(failure("https://app.example/cb") == .redirectNotLoopback)
  }

  @Test func `is another port for each sign-in`() throws {
    let issuer = try Issuer("https://as.example", allowHTTPLoopback: false)
    let listeners = try (0..<3).map { _ in
      try RedirectListener.open(RedirectURI(standardFor: issuer, responsesNameIssuer: false))
    }
    #expect(Set(listeners.map(\.redirectURI)).count == 3)
    for listener in listeners {
      #expect(listener.redirectURI.hasPrefix("http://127.0.0.1:") && listener.redirectURI.hasSuffix("/as.example"))
    }
  }
}

@Suite struct `The choice of a flow` {
  private func metadata(code: Bool, device: Bool, methods: [String] = []) throws -> AuthorizationServerMetadata {
    let issuer = try Issuer("https://as.example", allowHTTPLoopback: false)
    var metadata = AuthorizationServerMetadata(issuer: issuer, overrides: [:])
    metadata[.token] = try Endpoint("https://as.example/t", allowHTTPLoopback: false)
    if code { metadata[.authorization] = try Endpoint("https://as.example/a", allowHTTPLoopback: false) }
    if device { metadata[.deviceAuthorization] = try Endpoint("https://as.example/d", allowHTTPLoopback: false) }
    metadata.codeChallengeMethods = methods
    return metadata
  }

  @Test func `is the browser where one opens, then pasting, then the code`() throws {
    let (both, code, device) = (
      try metadata(code: true, device: true), try metadata(code: true, device: false),
      try metadata(code: false, device: true)
    )
    let (screen, none) = (
      FlowChoice(requestedFlow: nil, canOpenBrowser: true), FlowChoice(requestedFlow: nil, canOpenBrowser: false)
    )
    #expect(screen.flow(at: both, canListen: true) == .browser)
    #expect(screen.flow(at: code, canListen: true) == .browser)
    #expect(screen.flow(at: device, canListen: true) == .device)
    #expect(none.flow(at: both, canListen: true) == .device)
    #expect(none.flow(at: code, canListen: true) == .paste)
    #expect(screen.flow(at: both, canListen: false) == .paste)
    #expect(screen.flow(at: code, canListen: false) == .paste)
    #expect(none.flow(at: try metadata(code: false, device: false), canListen: true) == .device)
    // A server with weak PKCE is not chosen for the code flow by default.
    #expect(screen.flow(at: try metadata(code: true, device: true, methods: ["plain"]), canListen: true) == .device)
  }

  @Test func `is the code of a device where a code of the browser is of no use`() throws {
    let (both, code) = (try metadata(code: true, device: true), try metadata(code: true, device: false))
    let choice = FlowChoice(requestedFlow: nil, canOpenBrowser: true, prefersDeviceFlow: true)
    #expect(choice.flow(at: both, canListen: true) == .device)
    #expect(choice.flow(at: code, canListen: true) == .browser)
  }

  // Only an authorization request can contain them; a profile may have no code flow at all.
  @Test func `is none by code where more is asked for than a code can carry, or the profile has none`() throws {
    let server = try metadata(code: true, device: true)
    var requirements = AuthorizationOptions()
    requirements.loginHint = "alice"
    for (canOpen, canListen, flow) in [
      (true, true, LoginRequest.Flow.browser), (true, false, .paste), (false, true, .paste), (false, false, .paste),
    ] {
      let asking = FlowChoice(
        requestedFlow: nil, canOpenBrowser: canOpen, prefersDeviceFlow: true, options: requirements)
      let excluding = FlowChoice(requestedFlow: nil, canOpenBrowser: canOpen, excludesDeviceFlow: true)
      #expect(asking.flow(at: server, canListen: canListen) == flow)
      #expect(excluding.flow(at: server, canListen: canListen) == flow)
    }
  }

  @Test func `is the person's`() throws {
    let server = try metadata(code: true, device: true)
    for flow in [LoginRequest.Flow.browser, .device, .paste] {
      for canOpen in [true, false] {
        #expect(FlowChoice(requestedFlow: flow, canOpenBrowser: canOpen).flow(at: server, canListen: canOpen) == flow)
      }
    }
  }
}
