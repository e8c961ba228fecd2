import Encoding
import Platform
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The daemon's log` {
  let time = ManualTime()

  private func events(_ log: EventLog) -> [LogEntry] {
    log.entries.elements
  }

  @Test func `keeps events in order, with their time and account`() throws {
    let log = EventLog(time: time)
    let work = try AccountName("work")
    log.note(.started)
    time.advance(seconds: 5)
    log.note(.refreshBegan(attempt: 1), work)
    let now = time.wallSeconds()
    #expect(
      events(log) == [
        LogEntry(time: now - 5, account: nil, event: .started),
        LogEntry(time: now, account: "work", event: .refreshBegan(attempt: 1)),
      ])
    #expect(log.json["dropped"] == 0)
  }

  @Test(arguments: [0, 1, 499, 500, 501, 999, 1000, 1203]) func `keeps the last 500`(count: Int) {
    let log = EventLog(time: time)
    for number in 0..<count { log.note(.refreshBegan(attempt: number)) }
    let kept = Array(max(0, count - 500)..<count)
    #expect(events(log).map(\.event) == kept.map { .refreshBegan(attempt: $0) })
    #expect(log.json["dropped"]?.int == count - kept.count)
  }

  @Test(arguments: [
    (false, ""), (true, "<4>"),
  ]) func `is written to a reader with the levels of its failures`(hasLevels: Bool, level: String) throws {
    let pipe = try Pipe()
    let log = EventLog(time: time, mirror: LogMirror(pipe.writing, hasLevels: hasLevels))
    log.note(.refreshEnded(milliseconds: 3, .network), try AccountName("work"))
    var bytes: [UInt8] = []
    _ = try pipe.reading.read(into: &bytes, upTo: 4096)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "\(level)2023-11-14T22:13:20Z work: refresh ended after 3 ms: network\n")
  }

  @Test func `tells the journal that other lines are only for information`() throws {
    let pipe = try Pipe()
    LogMirror(pipe.writing, hasLevels: true).write(LogEntry(time: 0, account: nil, event: .started))
    var bytes: [UInt8] = []
    _ = try pipe.reading.read(into: &bytes, upTo: 4096)
    #expect(String(decoding: bytes, as: UTF8.self) == "<6>1970-01-01T00:00:00Z the daemon started\n")
  }

  /// Otherwise the loop would wait for the reader.
  @Test func `waits for no reader`() throws {
    let pipe = try Pipe()
    let mirror = LogMirror(pipe.writing, hasLevels: false)
    // More than any pipe can buffer.
    for _ in 0..<40_000 { mirror.write(LogEntry(time: 0, account: nil, event: .started)) }
    var bytes: [UInt8] = []
    _ = try pipe.reading.read(into: &bytes, upTo: 1 << 20)
    #expect(bytes.count >= 4096)
    #expect(String(decoding: bytes.prefix(45), as: UTF8.self) == "1970-01-01T00:00:00Z the daemon started\n1970-")
  }
}
