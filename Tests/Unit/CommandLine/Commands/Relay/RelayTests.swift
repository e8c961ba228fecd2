import Encoding
import Loopback
import Platform
import TestSupport
import Testing

@testable import CommandLine

/// An authorization request as `agent login` sends it.
private func authorization(port: Int = 8400, _ change: (inout [String: String?]) -> Void = { _ in }) -> String {
  var fields: [String: String?] = [
    "response_type": "code", "client_id": "cli", "redirect_uri": "http://127.0.0.1:\(port)/callback",
    "state": "own-state", "scope": "openid mail", "code_challenge": String(repeating: "A", count: 43),
    "code_challenge_method": "S256",
  ]
  change(&fields)
  let pairs = fields.sorted { $0.key < $1.key }.compactMap { name, value in value.map { (name, $0) } }
  return (try? URI("https://as.example/authorize").appendingQuery(pairs)) ?? ""
}

/// Changes that make an authorization request another kind of request, or disguise it.
private let otherThings: [[String: String?]] = [
  ["response_type": "token"], ["response_type": "code id_token"], ["response_type": nil],
  ["code_challenge_method": "plain"], ["code_challenge_method": nil], ["code_challenge": nil],
  ["code_challenge": "short"], ["code_challenge": String(repeating: "=", count: 43)],
  ["redirect_uri": nil], ["redirect_uri": "https://evil.example/"], ["redirect_uri": "http://127.0.0.1:8401/callback"],
  ["redirect_uri": "http://127.0.0.1/callback"], ["redirect_uri": "http://10.0.0.1:8400/callback"],
  ["redirect_uri": "http://127.0.0.1:8400/callback?x=y"], ["redirect_uri": "com.example.app:/callback"],
  ["redirect_uri": "http://127.0.0.1:8400@evil.example/"], ["state": nil], ["state": ""], ["client_id": nil],
  ["request": "eyJ.e.x"], ["request_uri": "urn:ietf:params:oauth:request_uri:x"], ["response_mode": "form_post"],
  ["response_mode": "fragment"],
]

private let otherAddresses = [
  "", "https://as.example/", "https://as.example/authorize", "file:///etc/passwd", "javascript:alert(1)",
  "http://as.example/authorize?response_type=code", "https://user@as.example/authorize?response_type=code",
  "--version", "https://as.example/\u{1B}]0;x\u{07}?response_type=code", "https://as.example/ü?response_type=code",
  authorization() + "&response_type=token", authorization() + "&client_id=other", authorization() + "#x",
  authorization() + "&x=\u{202E}", authorization() + "&x=" + String(repeating: "x", count: 20_000),
  authorization().replacing("https://as.example", with: "http://127.0.0.1:80"),
  authorization().replacing("https://as.example", with: "ftp://as.example"),
]

@Suite struct `A page that a host asks to open` {
  @Test func `is an authorization request whose answer comes to the agreed port`() throws {
    let request = try #require(RelayedRequest(authorization(), port: 8400))
    #expect(request.authority == "as.example" && request.clientID == "cli" && request.scope == "openid mail")
    #expect(request.path == "/callback" && request.hosts == ["127.0.0.1:8400", "localhost:8400"])
    #expect(RelayedRequest(authorization { $0["response_mode"] = "query" }, port: 8400) != nil)
    #expect(RelayedRequest(authorization { $0["redirect_uri"] = "http://localhost:8400" }, port: 8400)?.path == "/")
  }

  @Test func `is nothing else`() {
    for change in otherThings {
      let url = authorization { fields in for (name, value) in change { fields[name] = .some(value) } }
      #expect(RelayedRequest(url, port: 8400) == nil, "\(change)")
    }
    for url in otherAddresses { #expect(RelayedRequest(url, port: 8400) == nil, "\(url.prefix(100))") }
  }

  @Test func `has one answer: that with its state`() throws {
    let request = try #require(RelayedRequest(authorization(), port: 8400))
    func redirect(_ query: String) -> String? { request.redirectURL(for: Array(query.utf8)) }
    #expect(redirect("code=c&state=own-state&iss=x") == "http://127.0.0.1:8400/callback?code=c&state=own-state&iss=x")
    #expect(redirect("error=access_denied&state=own-state") != nil)
    for query in [
      "", "code=c", "code=c&state=other", "state=own-state", "code=&state=own-state",
      "code=c&state=other&state=own-state",
      "code=c&code=d&state=own-state",
    ] {
      #expect(redirect(query) == nil, "\(query)")
    }
  }

  @Test func `is shown without what a terminal would obey`() throws {
    let request = try #require(
      RelayedRequest(authorization { ($0["scope"], $0["client_id"]) = ("a \u{1B}[2J", "\u{9B}31m") }, port: 8400))
    let text = RelayQuestion("jo@host.example") { nil }.text(
      request, ("https://\u{1B}]0;evil\u{07}.example", "wo\u{202E}rk\r\u{08}"))
    for part in ["jo@host.example asks", "a page of as.example", "http://127.0.0.1:8400/callback", "[y/N]"] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(
      text.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}"
      })
  }
}

/// `agent ssh` without `ssh`, on a terminal without input.
private final class PlayedConsole: RelayConsole {
  let host = "jo@host.example"
  var opened: [(request: RelayedRequest, link: String)] = []
  var refusal: RelayRefusal?

  func open(
    _ request: RelayedRequest, _ link: String, _ names: (issuer: String, account: String)
  ) throws(RelayRefusal) {
    if let refusal { throw refusal }
    opened.append((request, link))
  }
}

/// A server, with connections of its host and of a browser.
private final class Desk {
  let console = PlayedConsole()
  let server: RelayServer
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = RelayServer(try UnixSocket.listen(in: try folder.open(), name: "near", backlog: 64), console)
  }

  func connect() throws -> Host { Host(try UnixSocket.connect(path: folder.path("near")), self) }

  func serve(until isDone: () throws -> Bool) throws {
    let end = Instant.now.advanced(by: .testLimit)
    while try !isDone() {
      try #require(Instant.now < end, "it does not happen")
      let poller = try Poller()
      try server.watch(poller)
      server.handle(Set(try poller.wait(timeoutMilliseconds: 20).map(\.key)), now: .now)
    }
  }

  final class Host {
    let socket: FileDescriptor
    private unowned let desk: Desk
    private var lines = RelayLines()
    private(set) var isLeft = false

    init(_ socket: consuming FileDescriptor, _ desk: Desk) {
      self.desk = desk
      self.socket = socket
    }

    func send(_ request: RelayRequest) throws { try socket.writeAll(request.line.span) }

    /// Nil once the connection has ended.
    func answer() throws -> RelayAnswer? {
      var answer: RelayAnswer?
      try desk.serve {
        if case .line(let line) = lines.nextLine() { answer = RelayAnswer(line) }
        if answer == nil, !lines.fill(from: socket) { isLeft = true }
        return answer != nil || isLeft
      }
      return answer
    }

    func port(_ wanted: UInt16? = nil) throws -> UInt16 {
      try send(.port(wanted))
      var port: UInt16?
      if case .port(let number)? = try answer() { port = number }
      return try #require(port)
    }

    func open(_ url: String) throws { try send(.open(url: url, issuer: "https://as.example", account: "work")) }
  }

  /// The response to a browser, read after `body` has run.
  func browse(_ port: UInt16, _ target: String, host: String? = nil, _ body: () throws -> Void = {}) throws -> String {
    let socket = try UnixSocket.connectLoopback(port: port)
    try socket.writeAll(Array("GET \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n".utf8).span)
    try body()
    var (bytes, hasEnded): ([UInt8], Bool) = ([], false)
    try serve {
      do throws(SystemError) { hasEnded = try socket.readNow(into: &bytes, upTo: 65_536) == 0 } catch {
        if !error.wouldBlock { hasEnded = true }
      }
      return hasEnded
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func isFree(_ port: UInt16) -> Bool { (try? UnixSocket.listenLoopback(port: port)) != nil }
}

@Suite struct `A sign-in of a host at agent ssh` {
  private let desk: Desk

  init() throws { desk = try Desk() }

  /// A host whose page was opened.
  private func opened() throws -> (host: Desk.Host, port: UInt16) {
    let host = try desk.connect()
    let port = try host.port()
    try host.open(authorization(port: Int(port)))
    let before = desk.console.opened.count
    try desk.serve { desk.console.opened.count > before }
    return (host, port)
  }

  @Test func `gets the redirect, and the browser gets the result`() throws {
    let (host, port) = try opened()
    let link = try URI(desk.console.opened[0].link)
    #expect(link.port == port)
    let led = try desk.browse(port, link.path)
    #expect(led.contains("302 Found") && led.contains("Location: https://as.example/authorize?"))
    #expect(try desk.browse(port, link.path).contains("410 Gone"))
    let page = try desk.browse(port, "/callback?code=c&state=own-state") {
      #expect(try host.answer() == .redirect("http://127.0.0.1:\(port)/callback?code=c&state=own-state"))
      try host.send(.signedIn(person: "jo <b>"))
    }
    #expect(
      page.contains("You are signed in to https://as.example as jo &lt;b&gt;. The account on jo@host.example is work."))
    try desk.serve { Desk.isFree(port) }
  }

  @Test func `shows the browser that it failed`() throws {
    let (host, port) = try opened()
    let page = try desk.browse(port, "/callback?error=access_denied&state=own-state") {
      _ = try host.answer()
      try host.send(.failed("that was \u{1B}[denied"))
    }
    #expect(page.contains("that was") && !page.contains("\u{1B}") && page.contains("did not work"))
  }

  @Test func `gets no answer that is not its own`() throws {
    let (host, port) = try opened()
    for (target, name) in [
      ("/callback?code=c&state=other", nil), ("/callback?code=c", nil), ("/other?code=c&state=own-state", nil),
      ("/callback?code=c&state=own-state", "evil.example:\(port)"),
    ] as [(String, String?)] {
      #expect(try desk.browse(port, target, host: name).hasPrefix("HTTP/1.1 4"), "\(target)")
    }
    _ = try desk.browse(port, "/callback?code=c&state=own-state") {
      #expect(try host.answer() == .redirect("http://127.0.0.1:\(port)/callback?code=c&state=own-state"))
      try host.send(.signedIn(person: nil))
    }
  }

  @Test func `is the only one at a time`() throws {
    let (host, port) = try opened()
    let second = try desk.connect()
    #expect(try second.answer() == .refused(.busy))
    #expect(!Desk.isFree(port))
    try UnixSocket.shutDown(host.socket)
    try desk.serve { Desk.isFree(port) }
    _ = try desk.connect().port()
  }

  @Test func `is refused after ten in an hour`() throws {
    for _ in 0..<RelayServer.maximumQuestionsPerHour {
      let (host, port) = try opened()
      try UnixSocket.shutDown(host.socket)
      try desk.serve { Desk.isFree(port) }
    }
    let host = try desk.connect()
    try host.open(authorization(port: Int(try host.port())))
    #expect(try host.answer() == .refused(.limit))
    #expect(desk.console.opened.count == 10)
  }

  @Test func `can have the port that is registered, if it is free`() throws {
    let held = try UnixSocket.listenLoopback(port: 0)
    let number = try UnixSocket.localPort(held)
    let host = try desk.connect()
    let first = try host.port()
    try host.send(.port(number))
    #expect(try host.answer() == .refused(.portTaken))
    try UnixSocket.shutDown(held)
    #expect(try host.port(first) == first)
  }

  @Test func `cannot find out which ports are in use`() throws {
    let held = try UnixSocket.listenLoopback(port: 0)
    let number = try UnixSocket.localPort(held)
    var answers: [RelayAnswer] = []
    while !answers.contains(.refused(.limit)) {
      let host = try desk.connect()
      repeat {
        try host.send(.port(number))
        guard let answer = try host.answer() else { break }
        answers.append(answer)
      } while answers.last == .refused(.portTaken)
      try #require(answers.count <= RelayServer.maximumQuestionsPerHour + 1)
    }
    #expect(answers.dropLast().allSatisfy { $0 == .refused(.portTaken) })
    #expect(answers.count == RelayServer.maximumQuestionsPerHour + 1)
  }

  @Test(arguments: [RelayRefusal.declined, .noTerminal, .late]) func `is told why nothing was opened`(
    refusal: RelayRefusal
  ) throws {
    desk.console.refusal = refusal
    let host = try desk.connect()
    let port = try host.port()
    try host.open(authorization(port: Int(port)))
    #expect(try host.answer() == .refused(refusal))
    #expect(try host.answer() == nil && Desk.isFree(port))
  }

  @Test func `leaves no port behind, wherever the connection is lost`() throws {
    for steps in 0...2 {
      let host = try desk.connect()
      let port = steps > 0 ? try host.port() : 0
      if steps > 1 {
        try host.open(authorization(port: Int(port)))
        try desk.serve { !desk.console.opened.isEmpty }
      }
      try UnixSocket.shutDown(host.socket)
      if steps > 0 { try desk.serve { Desk.isFree(port) } }
    }
    _ = try desk.connect().port()
  }

  @Test func `opens nothing for a thousand requests of a hostile host`() throws {
    var count = 0
    while count < 1000 {
      for url in otherAddresses
        + otherThings.map({ change in
          authorization { fields in for (name, value) in change { fields[name] = .some(value) } }
        })
      {
        let host = try desk.connect()
        if count % 3 != 0 { _ = try host.port() }
        try host.open(url)
        _ = try host.answer()
        count += 1
      }
      for line in [
        "\n", "{}\n", "null\n", #"{"v":2,"ask":"port"}"# + "\n", #"{"v":1,"ask":"port","port":0}"# + "\n",
        #"{"v":1,"ask":"port","port":70000}"# + "\n", #"{"v":1,"ask":"open","url":1}"# + "\n", "\u{1B}[2J\n",
      ] {
        let host = try desk.connect()
        try host.socket.writeAll(Array(line.utf8).span)
        #expect(try host.answer() == nil, "\(line)")
        count += 1
      }
    }
    #expect(desk.console.opened.isEmpty)
    _ = try opened()
  }
}

@Suite struct `The arguments of ssh` {
  @Test(arguments: [
    ("host", "host", ""), ("host ls -l", "host", "ls -l"), ("-p 22 host ls -p", "-p 22 host", "ls -p"),
    ("-p22 -tv host ls", "-p22 -tv host", "ls"), ("host -p 22 -t ls", "host -p 22 -t", "ls"),
    ("-to A=b host -- -x", "-to A=b host --", "-x"), ("-- host -v ls", "-- host -v", "ls"), ("-p", "-p", ""),
    ("-oA=b -i key host", "-oA=b -i key host", ""), ("host -", "host", "-"),
  ]) func `are divided at the command for the host`(line: String, connection: String, command: String) {
    let arguments = SSHArguments(line.split(separator: " ").map { Array($0.utf8) })
    #expect(arguments.connection == connection.split(separator: " ").map { Array($0.utf8) })
    #expect(arguments.command == command.split(separator: " ").map { Array($0.utf8) })
  }
}
