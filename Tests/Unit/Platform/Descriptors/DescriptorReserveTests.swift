import Platform
import TestSupport
import Testing

@Suite struct `A reserve of descriptors` {
  /// The numbers of the next free descriptors, which are closed again.
  private static func free(_ count: Int) throws -> [Int32] {
    let pipes = try (0..<count).map { _ in SharedDescriptor(try FileDescriptor(opening: "/dev/null", for: .reading)) }
    return pipes.map { $0.descriptor.raw }
  }

  /// The same once they are stable: the test library and readers of a program's output open and close descriptors on
  /// other threads.
  private static func settled(_ count: Int) throws -> [Int32] {
    var (last, times) = (try free(count), 0)
    while times < 20 {
      Threads.sleep(for: .milliseconds(5))
      let now = (try? free(count)) ?? []
      (last, times) = (now, now == last && !now.isEmpty ? times + 1 : 0)
    }
    return last
  }

  @Test func `keeps them while it is held, has them free for the work, and keeps them again`() async {
    await #expect(processExitsWith: .success) {
      let before = try Self.settled(3)
      let reserve = DescriptorReserve(count: 3)
      #expect(try Self.free(3) == before, "nothing is held")
      do {
        let (first, second) = (try reserve.reserve(), try reserve.reserve())
        #expect(try Set(Self.free(3)).isDisjoint(with: before), "one set is enough for two holders")
        #expect(try reserve.withReleased { () throws in try Self.free(3) } == before)
        #expect(try Set(Self.free(3)).isDisjoint(with: before))
        withExtendedLifetime((first, second)) {}
      }
      #expect(try Self.free(3) == before)
      #expect(try reserve.withReleased { () throws in try Self.free(3) } == before)
      #expect(try Self.free(3) == before)
    }
  }

  @Test func `is not held where there are too few of them, and then keeps none`() async {
    await #expect(processExitsWith: .success) {
      let before = try Self.settled(4)
      let limit = try #require(before.last) + 1
      let lowered = try ProcessRunner.run(
        executable: "/usr/bin/prlimit", arguments: ["--pid", "\(Machine.processID)", "--nofile=\(limit):"])
      #expect(lowered.succeeded)
      try #require(Self.settled(4) == before)
      for (count, others) in [(5, 0), (4, 1), (2, 3)] {
        let hold = try? DescriptorReserve(count: count).reserve(besides: others)
        #expect(hold == nil)
        #expect(try Self.free(4) == before)
      }
      let hold = try DescriptorReserve(count: 2).reserve(besides: 2)
      #expect(try Self.free(2) == Array(before[2...]), "the others are free again")
      withExtendedLifetime(hold) {}
    }
  }
}
