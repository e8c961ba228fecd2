import Platform
import TestSupport
import Testing

@Suite struct `Instants and clocks` {
  @Test func `sums and differences saturate instead of trapping`() {
    let instant = Instant(nanoseconds: 5)
    #expect(instant.advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(instant.advanced(by: .seconds(Int64.min)).nanoseconds == .min + 5)
    #expect(Instant(nanoseconds: -5).advanced(by: .seconds(Int64.min)).nanoseconds == .min)
    #expect(Instant(nanoseconds: .min).duration(to: Instant(nanoseconds: .max)) == .nanoseconds(Int64.max))
    #expect(Instant(nanoseconds: .max).duration(to: Instant(nanoseconds: .min)) == .nanoseconds(Int64.min))
  }

  @Test func `ordinary arithmetic is exact`() {
    let instant = Instant(nanoseconds: 1_500_000_000)
    #expect(instant.advanced(by: .milliseconds(-500)) == Instant(nanoseconds: 1_000_000_000))
    #expect(instant.duration(to: Instant(nanoseconds: 3_000_000_001)) == .nanoseconds(1_500_000_001))
    #expect(instant.advanced(by: .zero) == instant)
    #expect(Duration.nanoseconds(-1).saturatingNanoseconds == -1)
    #expect(Duration.milliseconds(-1500).saturatingNanoseconds == -1_500_000_000)
  }

  @Test func `the system's clock runs forward and agrees with the kernel`() throws {
    let before = SystemTime().now()
    let text = try FileDescriptor(opening: "/proc/uptime", for: .reading).readToEnd(limit: 100)
    let seconds = Int64(String(decoding: text.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)) ?? 0
    let now = SystemTime().now()
    // The kernel truncates the fraction.
    #expect((before.nanoseconds / 1_000_000_000 - 1...now.nanoseconds / 1_000_000_000).contains(seconds))
    #expect(now >= before)
  }

  @Test func `the wall clock is that of date(1)`() throws {
    let before = SystemTime().wallSeconds()
    let seconds = Int(try ProcessRunner.shell("date +%s").outputText.dropLast()) ?? 0
    #expect((before...SystemTime().wallSeconds()).contains(seconds))
  }

  @Test func `a clock of a test moves when told`() {
    let time = ManualTime()
    let before = time.now()
    time.advance(seconds: 3)
    #expect(before.duration(to: time.now()) == .seconds(3))
    #expect(time.wallSeconds() == 1_700_000_003)
    time.setWall(seconds: 5)
    #expect(time.wallSeconds() == 5)
  }
}
