import Testing

@testable import HTTP

@Suite struct `Milliseconds` {
  @Test(arguments: [
    (Duration.zero, 1), (.seconds(-1), 1), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1001), 2),
    (.milliseconds(1500), 1500), (.seconds(30), 30_000), (.milliseconds(-1), 1), (.seconds(1 << 40), 2_147_483_647),
  ])
  func `are rounded up and never zero`(duration: Duration, milliseconds: Int) {
    #expect(duration.wholeMilliseconds == milliseconds)
  }
}
