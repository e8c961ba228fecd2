import Encoding
import Platform
import Testing
import Wire

@testable import Daemon

@Suite struct `A daemon for one client` {
  @Test func `stops once, though its client asks for it and goes`() throws {
    let home = try DaemonHome()
    let log = EventLog(time: home.time)
    let pair = try UnixSocket.pair()
    let server = try Server(
      .connection(pair.first), services: home.services, settingsFile: home.settings, changes: nil, log: log,
      signals: try Signals.SignalReceiver([Signals.SIGHUP]), housekeeping: {})
    try pair.second.writeAll(Array("{\"v\":1,\"request\":\"daemon_stop\"}\n".utf8).span)
    try pair.second.close()
    try server.run()
    let events = log.json["events"]?.array?.compactMap { LogEntry(json: $0)?.event }
    #expect(events == [.started, .watchUnavailable, .stopping])
  }
}
