import Platform
import TestSupport
import Testing

/// Threads for tests that wait for programs, which use little processor time but much real time. Swift's task pool has
/// one thread per processor, and these tests would block all of them. With a sanitizer, programs also use processor
/// time.
final class ProgramThreads: TaskExecutor {
  static let shared = ProgramThreads(threadsForEachProcessor: 6)

  /// For tests that take a minute or more, and suites whose tests run in sequence. They have their own threads, so that
  /// they begin with the first tests: one that began among the last would run alone at the end.
  static let early = ProgramThreads(threadsForEachProcessor: 3)

  /// Last in, first out: a test in progress precedes those that have not begun, because its server's responses and
  /// tokens do not wait.
  private let jobs = Monitor<[UnownedJob]>([])

  private init(threadsForEachProcessor: Int) {
    for number in 1...((Sanitizer.isOn ? 1 : threadsForEachProcessor) * max(2, Machine.processorCount)) {
      do {
        try Threads.start(name: "programs \(number)", stackBytes: 8 << 20) {
          while let job = self.jobs.wait(nil, for: { $0.popLast() }) {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
          }
        }
      } catch {
        preconditionFailure("no thread for tests: \(error)")
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.updateForOne { $0.append(job) }
  }
}

/// Skips tests if the location of the programs is unknown, and runs them on their own threads.
struct ProgramsTrait: SuiteTrait, TestTrait, TestScoping {
  private static let areThere = ConditionTrait.enabled(
    if: Programs.folder != nil,
    "AGENT_BINARIES does not name the folder of the release programs; \"make check\" builds them and sets it")

  /// The tests take a minute or more.
  var isLong = false

  var isRecursive: Bool { true }

  func prepare(for test: Test) async throws { try await Self.areThere.prepare(for: test) }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let isEarly = test.traits.contains { $0 is ParallelizationTrait || ($0 as? Self)?.isLong == true }
    try await withTaskExecutorPreference(isEarly ? ProgramThreads.early : .shared) { try await function() }
  }
}

extension Trait where Self == ProgramsTrait {
  /// The tests run the programs themselves.
  static var needsPrograms: Self { Self() }

  /// Likewise for tests that take a minute or more.
  static var needsProgramsForLong: Self { Self(isLong: true) }
}
