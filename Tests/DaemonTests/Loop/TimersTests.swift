import Platform
import Testing

@testable import Daemon

@Suite struct `Timers of the loop` {
  private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test func `without an event there is nothing to wait for`() {
    var timers = Timers()
    #expect(timers.nextDue == nil)
    #expect(timers.popDue(.distantFuture) == nil)
  }

  @Test func `an event comes out when it is due, not before, and once`() {
    var timers = Timers()
    timers.schedule(.housekeeping, at: Self.at(10))
    #expect(timers.nextDue == Self.at(10))
    #expect(timers.popDue(Instant(nanoseconds: Self.at(10).nanoseconds - 1)) == nil)
    #expect(timers.popDue(Self.at(10)) == .housekeeping)
    #expect(timers.popDue(Self.at(10)) == nil)
    #expect(timers.nextDue == nil)
  }

  @Test(arguments: 1...40) func `events come out in the order of their times`(count: Int) {
    var generator = SystemRandomNumberGenerator()
    var timers = Timers()
    let events = (0..<count).map { (due: Int64.random(in: 0...20, using: &generator), login: UInt64($0)) }
    for event in events { timers.schedule(.devicePoll(login: event.login), at: Self.at(event.due)) }
    var times: [Int64] = []
    var seen: Set<UInt64> = []
    while let next = timers.nextDue {
      guard case .devicePoll(let login) = timers.popDue(next) else { break }
      times.append(next.nanoseconds / 1_000_000_000)
      seen.insert(login)
    }
    #expect(times == events.map(\.due).sorted())
    #expect(seen.count == count)
  }

  @Test func `events may be added between`() {
    var timers = Timers()
    timers.schedule(.attention(account: "late", target: nil), at: Self.at(9))
    timers.schedule(.attention(account: "early", target: nil), at: Self.at(1))
    #expect(timers.popDue(Self.at(5)) == .attention(account: "early", target: nil))
    timers.schedule(.attention(account: "middle", target: nil), at: Self.at(3))
    #expect(timers.popDue(Self.at(5)) == .attention(account: "middle", target: nil))
    #expect(timers.popDue(Self.at(5)) == nil)
    #expect(timers.nextDue == Self.at(9))
  }
}
