import Platform
import TestSupport
import Testing

/// Threads for tests that wait for programs, which cost little time of a processor but much by the clock. The pool
/// that Swift runs tasks on has a thread for each processor, and these would keep all of it waiting. With a sanitizer
/// programs cost a processor's time too.
final class ProgramThreads: TaskExecutor {
  static let shared = ProgramThreads(threadsForEachProcessor: 6)

  /// For tests that take a minute or more, and suites whose tests run one after the other. They have threads of their
  /// own, so that they begin with the first tests: one that began among the last would run alone at the end.
  static let early = ProgramThreads(threadsForEachProcessor: 3)

  /// The last one is taken first: a test that goes on goes before those that have not begun, since the server that
  /// answered it and the token that it holds do not wait for them.
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

/// Skips tests when it is not known where the programs are, and runs them on threads of their own.
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

  /// The same for tests that take a minute or more.
  static var needsProgramsForLong: Self { Self(isLong: true) }
}
