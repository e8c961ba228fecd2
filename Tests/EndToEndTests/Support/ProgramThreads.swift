import Platform
import TestSupport
import Testing

/// Threads for tests that wait for programs, which cost little time of a processor but much by the clock. The pool
/// that Swift runs tasks on has a thread for each processor, and these would keep all of it waiting. With a sanitizer
/// programs cost a processor's time too.
final class ProgramThreads: TaskExecutor {
  static let shared = ProgramThreads(count: (Sanitizer.isOn ? 1 : 4) * max(2, Machine.processorCount))

  private struct Queue: Sendable {
    var jobs: [UnownedJob] = []
    var taken = 0

    mutating func next() -> UnownedJob? {
      guard taken < jobs.count else { return nil }
      defer { taken += 1 }
      return jobs[taken]
    }
  }

  private let queue = Monitor(Queue())

  private init(count: Int) {
    for number in 1...count {
      do {
        try Threads.start(name: "programs \(number)", stackBytes: 8 << 20) {
          while let job = self.queue.wait(nil, for: { $0.next() }) {
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
    queue.updateForOne { $0.jobs.append(job) }
  }
}

/// Skips tests when it is not known where the programs are, and runs them on threads of their own.
struct ProgramsTrait: SuiteTrait, TestTrait, TestScoping {
  private static let areThere = ConditionTrait.enabled(
    if: Programs.folder != nil,
    "AGENT_BINARIES does not name the folder of the release programs; \"make check\" builds them and sets it")

  var isRecursive: Bool { true }

  func prepare(for test: Test) async throws { try await Self.areThere.prepare(for: test) }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ProgramThreads.shared) { try await function() }
  }
}

extension Trait where Self == ProgramsTrait {
  /// The tests run the programs themselves.
  static var needsPrograms: Self { Self() }
}
