import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A body of any size` {
  private static let size = 200_000_000

  /// Sends `count` bytes, then closes the connection.
  @Sendable private static func sendLarge(_ conversation: Conversation, _ sent: Monitor<Int>? = nil) throws {
    _ = try conversation.readRequest()
    try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
    let piece = [UInt8](repeating: 0x78, count: 100_000)
    for _ in 0..<(size / piece.count) {
      try conversation.write(piece)
      sent?.update { $0 += piece.count }
    }
  }

  /// Private memory of the daemon, since its share of common memory depends on other processes.
  private func memory(_ tree: AgentTree) throws -> Int {
    try #require(try tree.json("daemon", "status")["memory_private_dirty_kib"]?.int)
  }

  @Test func `comes through without taking memory`() throws {
    try Resource.with(serve: { try Self.sendLarge($0) }) { resource in
      let before = try memory(resource.tree)
      let result = try resource.tree.shell("sh", "agent request \(resource.server.url()) | wc -c")
      #expect(result.outputText == "\(Self.size)\n", "\(result.errorText)")
      #expect(try memory(resource.tree) - before < 3 << 10 || Programs.areSanitized)
    }
  }

  @Test(arguments: ["@-", "@large"]) func `goes out without taking memory`(source: String) throws {
    let received = Monitor(0)
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      var seen = 0
      // Includes the framing of the chunks.
      while seen < Self.size { seen += try #require(try conversation.readBytes()).count }
      received.update { $0 = seen }
      try conversation.respond(headers: ["Connection: close"], body: "done")
    }
    try Resource.with(serve: serve) { resource in
      let before = try memory(resource.tree)
      let make = "head -c \(Self.size) /dev/zero"
      let request = "agent request PUT --data \(source) \(resource.server.url())"
      let result = try resource.tree.shell(
        "sh", source == "@-" ? "\(make) | \(request)" : "\(make) > large && \(request)")
      #expect(result.outputText == "done", "\(result.errorText)")
      #expect(received.withLock { $0 } >= Self.size)
      // The first MiB of a pipe is kept for another attempt.
      #expect(try memory(resource.tree) - before < 5 << 10 || Programs.areSanitized)
    }
  }

  @Test func `waits for its reader, and ends when that is killed`() throws {
    let sent = Monitor(0)
    let ended = Monitor(false)
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      defer { ended.update { $0 = true } }
      try Self.sendLarge(conversation, sent)
    }
    try Resource.with(serve: serve) { resource in
      let before = try memory(resource.tree)
      let reader = try resource.tree.start(["request", "--timeout", "1s", resource.server.url()])
      // The pause is longer than the network may pause, but is not a network failure.
      var last = -1
      while true {
        Threads.sleep(for: .milliseconds(1500))
        let now = sent.withLock { $0 }
        if now == last { break }
        last = now
      }
      #expect(last < 100_000_000, "the daemon reads on")
      #expect(try memory(resource.tree) - before < 3 << 10 || Programs.areSanitized)
      #expect(!ended.withLock { $0 })
      try reader.signal(Signals.SIGKILL)
      #expect(ended.wait(.testLimit) { $0 ? true : nil } == true, "the transfer goes on without its client")
      #expect(try !resource.tree.token().isEmpty)
    }
  }

  @Test func `holds no thread while its server is silent, and ends with the daemon`() throws {
    let go = Monitor(false)
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      let mayEnd = try conversation.readRequest()?.line.contains("/end") ?? false
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nbef")
      _ = go.wait(.testLimit) { $0 ? true : nil }
      if mayEnd { try conversation.write("re\n") }
      try conversation.waitForEnd()
    }
    try Resource.with(serve: serve) { resource in
      let daemon = try resource.tree.daemon()
      let requests = try (0..<24).map { number in
        try resource.tree.start(["request", resource.server.url(number < 12 ? "/end" : "/")])
      }
      #expect(resource.server.waitForRequests(requests.count))
      var threads = Int.max
      let deadline = Instant.now.advanced(by: .testLimit)
      // The workers end a few seconds after their last work.
      while threads > 6, Instant.now < deadline {
        Threads.sleep(for: .milliseconds(100))
        threads = try ProcessRunner.shell("ls /proc/\(daemon)/task").lines.count
      }
      #expect(threads <= 6, "24 open answers hold \(threads) threads")
      go.update { $0 = true }
      for request in requests.prefix(12) {
        #expect(try request.readLine() == "befre" && request.wait() == .exited(0), "\(request.errorText)")
      }
      #expect(try resource.tree.agent("daemon", "stop").succeeded)
      for request in requests.suffix(12) {
        let status = try request.wait()
        #expect(status == .exited(1) && request.errorText.contains("the daemon is stopping"))
      }
    }
  }

  @Test func `ends with the session`() throws {
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      try conversation.waitForEnd()
    }
    try Resource.with(serve: serve) { resource in
      let process = try resource.tree.start(["request", resource.server.url()])
      #expect(resource.server.waitForRequests(1))
      #expect(try resource.tree.agent("logout", "work").succeeded)
      #expect(try process.wait() == .exited(3), "\(process.errorText)")
    }
  }

  @Test func `may come slowly, but not stand still`() throws {
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      let isSlow = try conversation.readRequest()?.line.contains("/slow") ?? false
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
      for _ in 0..<6 {
        Threads.sleep(for: .seconds(2))
        try conversation.write("x")
        if !isSlow { return try conversation.waitForEnd() }
      }
    }
    try Resource.with(serve: serve) { resource in
      #expect(try resource.request("--timeout", "10s", path: "/slow").outputText == "xxxxxx")
      let stalled = try resource.request("--timeout", "10s", path: "/stall")
      #expect(stalled.status == .exited(4), "\(stalled.errorText)")
      #expect(stalled.outputText == "x")
    }
  }

  @Test func `may go out slowly for longer than the time in which something must move`() throws {
    try Resource.answering({ request in (200, [], "\(request.body.count)") }) { resource in
      let slowly = "for i in 1 2 3 4 5 6 7 8 9; do printf x; sleep 1.4; done"
      let result = try resource.tree.shell(
        "sh", "\(slowly) | agent request --timeout 10s --data @- \(resource.server.url())")
      #expect(result.outputText == "9", "\(result.errorText)")
    }
  }

  @Test func `that breaks off comes up to there, and is an error`() throws {
    let part = String(repeating: "0123456789abcdef", count: 100_000)
    try Resource.with(serve: { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + part)
    }) { resource in
      let result = try resource.request()
      #expect(
        result.status == .exited(4) && result.output == Array(part.utf8), "\(result.output.count) \(result.errorText)")
    }
  }

  @Test func `that nobody takes is an error`() throws {
    try Resource.with(serve: { try Self.sendLarge($0) }) { resource in
      let result = try resource.tree.shell(
        "bash", "set -o pipefail; agent request \(resource.server.url()) | head -c 5")
      #expect(result.outputText == "xxxxx")
      #expect(result.status == .exited(1))
      #expect(try resource.tree.agent("request", resource.server.url(), "--output", "/dev/full").failed(1))
    }
  }
}
