import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import Daemon

@Suite struct `A daemon for one client` {
  @Test func `stops once when its client goes, and ends when its work does`() throws {
    let home = try DaemonHome()
    let log = EventLog(time: home.time)
    let pair = try UnixSocket.pair()
    let server = try Server(
      .connection(pair.first), services: home.services, settingsFile: home.settings, changes: nil, log: log,
      signals: try Signals.SignalReceiver([Signals.SIGPIPE]), housekeeping: {})
    // The work goes on until the daemon stops.
    home.http.areDocumentsHeld = true
    log.listener = { [http = home.http] entry in if entry.event == .stopping { http.areDocumentsHeld = false } }
    let request = RequestEnvelope(.discover(DiscoverRequest(url: "https://as.example")))
    try pair.second.writeAll(request.serialized().span)
    let client = Monitor<SharedDescriptor?>(SharedDescriptor(pair.second))
    try Threads.start(name: "client") { [http = home.http] in
      while http.roles.isEmpty { Threads.sleep(for: .milliseconds(1)) }
      client.update { $0 = nil }
    }
    try server.run()
    let events = log.json["events"]?.array?.compactMap { LogEntry(json: $0)?.event } ?? []
    #expect(events.count { $0 == .stopping } == 1)
    #expect(client.withLock { $0 == nil })
  }
}
