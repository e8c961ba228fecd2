import Platform
import Testing

@testable import Wire

@Suite struct `Timers of the loop` {
  private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test func `without an event there is nothing to wait for`() {
    var timers = Timers<String>()
    #expect(timers.nextDue == nil)
    #expect(timers.popDue(.distantFuture) == nil)
  }

  @Test func `an event comes out when it is due, not before, and once`() {
    var timers = Timers<String>()
    timers.schedule("housekeeping", at: Self.at(10))
    #expect(timers.nextDue == Self.at(10))
    #expect(timers.popDue(Instant(nanoseconds: Self.at(10).nanoseconds - 1)) == nil)
    #expect(timers.popDue(Self.at(10)) == "housekeeping")
    #expect(timers.popDue(Self.at(10)) == nil)
    #expect(timers.nextDue == nil)
  }

  @Test(arguments: 1...40) func `events come out in the order of their times`(count: Int) {
    var generator = SystemRandomNumberGenerator()
    var timers = Timers<UInt64>()
    let events = (0..<count).map { (due: Int64.random(in: 0...20, using: &generator), number: UInt64($0)) }
    for event in events { timers.schedule(event.number, at: Self.at(event.due)) }
    var times: [Int64] = []
    var seen: Set<UInt64> = []
    while let next = timers.nextDue {
      guard let number = timers.popDue(next) else { break }
      times.append(next.nanoseconds / 1_000_000_000)
      seen.insert(number)
    }
    #expect(times == events.map(\.due).sorted())
    #expect(seen.count == count)
  }

  @Test func `events may be added between`() {
    var timers = Timers<String>()
    timers.schedule("late", at: Self.at(9))
    timers.schedule("early", at: Self.at(1))
    #expect(timers.popDue(Self.at(5)) == "early")
    timers.schedule("middle", at: Self.at(3))
    #expect(timers.popDue(Self.at(5)) == "middle")
    #expect(timers.popDue(Self.at(5)) == nil)
    #expect(timers.nextDue == Self.at(9))
  }
}
