import Encoding
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Wire

@testable import Daemon

/// A daemon in the thread of its test, with a peer in another.
private struct ServerHome {
  let home: DaemonHome
  private let log: EventLog
  let hasEnded = Monitor(false)

  init(signedIn name: String? = nil) throws {
    // Like the daemon: its peers may disconnect before they are answered.
    Signals.ignoreFailingWrites()
    home = try DaemonHome()
    if let name { try home.addSignedIn(name) }
    log = EventLog(time: home.time)
  }

  var socket: String { get throws { try home.runtime().path + "/agent.sock" } }

  /// Oldest first.
  var noted: [LogEvent]? { log.entries.elements.map(\.event) }

  func server(_ servedSocket: consuming Server.ServedSocket) throws -> Server {
    let services = SessionServices(
      vault: home.services.vault, http: home.http, time: SystemTime(), documents: home.services.documents,
      settingsDirectory: home.services.settingsDirectory)
    return try Server(
      servedSocket, services: services, settingsFile: home.settings, files: WatchedFiles(), log: log,
      signals: try Signals.SignalReceiver([Signals.SIGHUP]), housekeeping: {})
  }

  /// Serves until the daemon ends, and returns the peer's result.
  func serve<Seen: Sendable>(
    _ servedSocket: consuming Server.ServedSocket, while ask: @escaping @Sendable () throws -> Seen
  ) throws -> Seen {
    let server = try server(servedSocket)
    let outcome = Monitor<Result<Seen, any Error>?>(nil)
    try Threads.start(name: "peer") {
      let seen = Result { try ask() }
      outcome.update { $0 = seen }
    }
    try server.run()
    hasEnded.update { $0 = true }
    return try #require(outcome.wait(.testLimit) { $0 }).get()
  }
}

/// The other end of a connection to a daemon.
private final class Peer: Sendable {
  private let socket: FileDescriptor

  init(_ socket: consuming FileDescriptor) throws {
    try UnixSocket.setTimeouts(socket, seconds: 600)
    self.socket = socket
  }

  func send(_ request: Request) throws { try socket.writeAll(RequestEnvelope(request).serialized().span) }

  func ask(_ request: Request) throws -> JSON? {
    try send(request)
    return try answer()
  }

  /// Nil at the end of the connection.
  func answer() throws -> JSON? {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      if try socket.read(into: &line, upTo: 1) == 0 { return nil }
    }
    let answer = try JSON(parsing: line)
    return answer["result"] ?? answer["error"]
  }
}

@Suite struct `A daemon for one client` {
  @Test func `stops once, though its client asks for it and goes`() throws {
    let home = try ServerHome()
    let pair = try SocketPair()
    try pair.second.writeAll(Array("{\"v\":1,\"request\":\"daemon_stop\"}\n".utf8).span)
    try pair.second.close()
    try home.server(.connection(pair.first)).run()
    #expect(home.noted == [.started, .watchUnavailable, .stopping])
  }

  @Test func `stops once when its client goes, and ends when its work does`() throws {
    Signals.ignoreFailingWrites()
    let home = try DaemonHome()
    let mirror = try Pipe()
    let log = EventLog(time: home.time, mirror: LogMirror(mirror.writing, hasLevels: false))
    let reader = SharedDescriptor(mirror.reading)
    let pair = try SocketPair()
    let server = try Server(
      .connection(pair.first), services: home.services, settingsFile: home.settings, files: WatchedFiles(), log: log,
      signals: try Signals.SignalReceiver([Signals.SIGPIPE]), housekeeping: {})
    // The work continues until the daemon stops.
    home.http.areDocumentsHeld = true
    let request = RequestEnvelope(.discover(DiscoverRequest(url: "https://as.example")))
    try pair.second.writeAll(request.serialized().span)
    let client = Monitor<SharedDescriptor?>(SharedDescriptor(pair.second))
    try Threads.start(name: "client") { [http = home.http] in
      while http.roles.isEmpty { Threads.sleep(for: .milliseconds(1)) }
      client.update { $0 = nil }
      var lines: [UInt8] = []
      while !String(decoding: lines, as: UTF8.self).contains("the daemon stops") {
        guard let count = try? reader.descriptor.read(into: &lines, upTo: 4096), count > 0 else { break }
      }
      http.areDocumentsHeld = false
    }
    try server.run()
    let events = log.entries.elements.map(\.event)
    #expect(events.count { $0 == .stopping } == 1)
    #expect(client.withLock { $0 == nil })
  }

  @Test func `does not start with a descriptor that it cannot wait for`() throws {
    let home = try ServerHome()
    #expect(throws: SystemError.self) {
      _ = try home.server(.connection(try FileDescriptor.inMemory(Array("x".utf8).span)))
    }
  }

  /// The daemon's last response. Its vault is unusable when a new token arrives and, if `stays`, also when it stops.
  private func stop(_ home: ServerHome, whileSpoiled stays: Bool) throws -> JSON? {
    let vault = home.home.services.vault.summary().path
    let http = home.home.http
    http.answers = [.tokens("at-1", refresh: "rt-2")]
    http.isHeld = true
    @Sendable func change(_ mode: String) throws {
      try #require(try ProcessRunner.shell("chmod \(mode) '\(vault)'").succeeded)
    }
    let pair = try SocketPair()
    let peer = try Peer(pair.second)
    let last = try home.serve(.connection(pair.first)) {
      try peer.send(.token(TokenRequest(account: "work")))
      http.awaitRequests(1)
      try change("644")
      http.isHeld = false
      #expect(try peer.answer()?["code"] != nil, "the token is not handed out before it is stored")
      if !stays { try change("600") }
      return try peer.ask(.daemon(.stop))
    }
    try change("600")
    return last
  }

  @Test func `writes at its end what the disk did not take before`() throws {
    let home = try ServerHome(signedIn: "work")
    let last = try #require(try stop(home, whileSpoiled: false))
    #expect(last["pid"] != nil && last["unstored"] == nil)
    #expect(try home.home.storedToken("work") == "rt-2")
  }

  @Test func `names at its end the sessions that are lost, as the disk takes nothing, and revokes them`() throws {
    let home = try ServerHome(signedIn: "work")
    #expect(try stop(home, whileSpoiled: true)?["unstored"] == ["work"])
    #expect(home.home.http.revoked == ["rt-2"])
    #expect(try home.home.storedToken("work") == "rt-1")
  }
}

@Suite struct `A daemon for all clients` {
  private let home: ServerHome

  init() throws { home = try ServerHome() }

  /// The result of the only peer of a daemon, which listens before the peer connects.
  private func serve<Seen: Sendable>(_ ask: @escaping @Sendable (Peer) throws -> Seen) throws -> Seen {
    let listening = try ListeningSocket.bind(home.home.runtime(), "agent.sock")
    let socket = try home.socket
    return try home.serve(.listening(listening)) {
      let peer = try Peer(UnixSocket.connect(path: socket))
      // A daemon that has not ended by itself ends now.
      defer { try? peer.send(.daemon(.stop)) }
      return try ask(peer)
    }
  }

  private func isThere(_ name: String) throws -> Bool { try home.home.runtime().exists(name) }

  @Test func `serves until it is told to stop, and leaves no socket`() throws {
    let seen = try serve { peer in [try peer.ask(.daemon(.status)), try peer.ask(.daemon(.stop))] }
    #expect(seen[0]?["socket"] == .string(try home.socket))
    #expect(seen[1]?["pid"] == .int(Int(Machine.processID)))
    #expect(try !isThere("agent.sock"))
  }

  @Test func `ends when its socket is removed, not when another file is made beside it`() throws {
    let directory = try home.home.runtime().path
    let hasEnded = home.hasEnded
    let (hasServed, endsByItself) = try serve { peer in
      try FileDescriptor(opening: directory + "/other", for: .replacing).close()
      // Workers handle them in sequence; one has checked the socket before the last.
      let hasServed = try (1...3).allSatisfy { _ in try peer.ask(.state(.list))?["accounts"] != nil }
      try PrivateDirectory(opening: directory, create: false).removeFile("agent.sock")
      return (hasServed, hasEnded.wait(.testLimit) { $0 ? true : nil } ?? false)
    }
    #expect(hasServed && endsByItself)
  }

  @Test func `removes the token files of one that was killed, and nothing else`() throws {
    let directory = try home.home.runtime().path
    let name = "token-" + String(repeating: "5e", count: 16)
    for file in [name, "notes"] { try FileDescriptor(opening: "\(directory)/\(file)", for: .replacing).close() }
    _ = try serve { peer in try peer.ask(.daemon(.stop)) }
    #expect(try isThere("notes") && !isThere(name))
  }
}
