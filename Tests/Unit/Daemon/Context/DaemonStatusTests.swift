import Encoding
import TestSupport
import Testing

@testable import Daemon

@Suite struct `What the daemon says of itself` {
  @Test func `is that its program was replaced only where that is so`() {
    let time = ManualTime()
    let status = DaemonStatus(startedAt: time.now(), socketPath: nil)
    time.advance(seconds: 5)
    let json = status.json(time: time)
    #expect(json["uptime"] == 5 && json["socket"] == nil && json["program_replaced"] == nil)
  }
}
