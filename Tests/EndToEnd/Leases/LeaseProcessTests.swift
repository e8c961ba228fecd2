import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The process of a lease` {
  /// A lease of `work`, as created by `agent serve`.
  private struct Served {
    let tree: AgentTree
    let command: RunningProcess
    let path: String

    init(_ tree: AgentTree, _ options: String...) throws {
      self.tree = tree
      command = try tree.start(["serve", "work"] + options)
      path = try command.readLine()
    }

    var environment: [String: String?] { ["AGENT_SOCKET": path] }

    /// The process that serves the peers.
    func server() throws -> Int32 {
      let found = try ProcessRunner.shell("pgrep -P \(command.processID) -x agent-lease").outputText
      return try #require(Int32(found.split(separator: "\n").first ?? ""), "\(found)")
    }

    func request(_ words: String...) throws -> ProcessResult { try tree.agent(["request"] + words, environment) }
  }

  private static func descriptors(_ process: Int32) throws -> [Substring] {
    let listing = try ProcessRunner.shell("for f in /proc/\(process)/fd/*; do readlink \"$f\"; done").outputText
    return listing.split(separator: "\n").map { $0.prefix { $0 != ":" } }.sorted()
  }

  /// Polls until `holds` returns true.
  private static func until(_ what: Comment, _ holds: () throws -> Bool) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !holds() {
      try #require(Instant.now < deadline, what)
      Threads.sleep(for: .milliseconds(20))
    }
  }

  @Test func `is refused each system call by which it could reach more than it has`() throws {
    let result = try ProcessRunner.run(executable: Programs.path("agent-lease"), arguments: ["--test-jail"])
    #expect(result.succeeded, "\(result.errorText)")
    #expect(result.outputText.hasSuffix("permitted 0\n"), "\(result.outputText)")
  }

  @Test func `has no environment, no descriptor but its own, and no privilege to gain`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let served = try Served(resource.tree)
      #expect(try served.request(resource.server.url()).outputText == "answer")
      let process = try served.server()
      let status = try #require(ProcessFiles.text("status", of: process))
      #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "\(status)")
      let kinds = try Self.descriptors(process)
      // The connection to its owner, the listener, and the connection to the daemon. The loop uses pipes and
      // anonymous inodes. There is no file.
      #expect(kinds.count { $0 == "socket" } == 3, "\(kinds)")
      #expect(kinds.allSatisfy { ["socket", "pipe", "anon_inode", "/dev/null"].contains($0) }, "\(kinds)")
    }
  }

  @Test func `keeps the daemon's descriptors and threads as they are, whatever its peers bring and leave`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let served = try Served(resource.tree)
      let daemon = try resource.tree.daemon()
      #expect(try served.request(resource.server.url()).succeeded)
      func threads() throws -> Int {
        Int(try ProcessRunner.shell("ls /proc/\(daemon)/task | wc -l").outputText.filter(\.isNumber)) ?? 0
      }
      let (before, some) = (try Self.descriptors(daemon), try threads())
      let file = try FileDescriptor(opening: "/dev/null", for: .reading)
      let flooding = try Peer(served.path)
      let peers = try (0..<30).map { _ in try Peer(served.path) }
      for peer in peers {
        for _ in 0..<8 {
          // The lease process disconnects a peer that passes more descriptors than it has room for.
          guard (try? peer.send(#"{"v":1,"#, passing: file)) != nil else { break }
        }
      }
      let flood = Array(String(repeating: "{\"v\":1,\"request\":\"token\"}\n", count: 2000).utf8)
      _ = try flooding.send(flood)
      for _ in 0..<2000 { #expect(try flooding.readLine() != nil) }
      #expect(try Self.descriptors(daemon).count <= before.count)
      #expect(try threads() <= some)
      #expect(try resource.tree.agent("token").succeeded)
    }
  }

  @Test func `serves its other peers while one reads nothing of a pipe that it made blocking again`() throws {
    let big = String(repeating: "0123456789abcdef", count: 400_000)
    try Resource.answering({ $0.line.contains("/big") ? (200, [], big) : (200, [], "small") }) { resource in
      let served = try Served(resource.tree)
      let pipe = try Pipe()
      let slow = try Peer(served.path)
      let line = #"{"v":1,"request":"resource","url":"\#(resource.server.url("/big"))"}"# + "\n"
      try slow.send(line, passing: pipe.writing)
      #expect(try slow.readLine()?.contains("response") == true)
      try pipe.writing.setNonBlocking(false)
      for _ in 0..<3 { #expect(try served.request(resource.server.url("/small")).outputText == "small") }
      #expect(try resource.tree.agent("request", resource.server.url("/small")).outputText == "small")
      var count = 0
      while count < big.utf8.count {
        var bytes: [UInt8] = []
        count += try pipe.reading.read(into: &bytes, upTo: 1 << 16)
      }
      #expect(try slow.readLine()?.contains(#""body_bytes":\#(big.utf8.count)"#) == true)
    }
  }

  @Test func `refuses requests at once while no daemon runs, and serves them again at the next one`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let served = try Served(resource.tree)
      try resource.tree.stopDaemon()
      let refused = try served.request(resource.server.url())
      #expect(refused.failed(4), "\(refused.outputText) \(refused.errorText)")
      #expect(try resource.tree.agent("daemon", "start").succeeded)
      try Self.until("the lease has a daemon again") { try served.request(resource.server.url()).succeeded }
    }
  }

  @Test func `ends with the command that holds the lease, however that ends`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let served = try Served(resource.tree)
      let server = try OtherProcess(served.server())
      try served.command.signal(Signals.SIGKILL)
      #expect(server.ends(within: .testLimit))
      #expect(try served.request(resource.server.url()).failed(4))
    }
  }

  @Test func `that was killed ends the lease, and the command says so`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let served = try Served(resource.tree)
      try OtherProcess(served.server()).signal(Signals.SIGKILL)
      #expect(try served.command.wait() == .exited(4))
      #expect(try served.request(resource.server.url()).failed(4))
      #expect(try resource.tree.agent("events", "--lease", "--json").lines.last?.contains(#""cause":"closed""#) == true)
    }
  }

  /// The same numbers on each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      // xorshift64.
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  @Test func `serves on after ten thousand lines of anything, and sends none of them on`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let served = try Served(resource.tree, "--only", resource.server.url("/lent"), "--method", "GET")
      var numbers = Numbers(state: 0x5EED)
      let words = [
        "{", "}", "[", "]", ":", ",", "\"", "\\u0000", "null", "true", "1e9", "-1", #""v":1"#, #""request":"resource""#,
        #""request":"token""#, #""url":"\#(resource.server.url("/lent/../secret"))""#, #""method":"PUT""#,
        #""inline":true"#, #""body":"e30=""#, #""body_lines":true"#, #""headers":["Cookie: a"]"#, #""timeout":1"#,
        #""request":"resource_body","end":true"#, #""request":"lease_peer","uid":0,"pid":1"#, "\u{0}", "\u{7f}", "é",
      ]
      var peer = try Peer(served.path)
      for number in 1...10_000 {
        var line = numbers.next() % 2 == 0 ? #"{"v":1,"# : ""
        for _ in 0..<numbers.next() % 8 { line += words[Int(numbers.next() % UInt64(words.count))] }
        if !(try peer.send(Array((line + (numbers.next() % 3 == 0 ? "}" : "") + "\n").utf8))) || number % 50 == 0 {
          peer = try Peer(served.path)
        }
      }
      try Self.until("the lease serves") {
        try served.request(resource.server.url("/lent")).outputText == "answer"
      }
      let sent = resource.server.requests.filter { !$0.line.hasPrefix("GET /lent ") }
      #expect(sent.isEmpty, "\(sent.map(\.line))")
    }
  }
}
