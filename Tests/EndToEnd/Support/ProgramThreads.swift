import Platform
import TestSupport
import Testing

/// Threads for tests that wait for programs. They would block all threads of Swift's pool, which has one per
/// processor.
final class ProgramThreads: TaskExecutor {
  static let shared = ProgramThreads(threadsForEachProcessor: 6)

  /// For tests that take a minute or more, and suites whose tests run in sequence. They begin with the first tests,
  /// so that none runs alone at the end.
  static let early = ProgramThreads(threadsForEachProcessor: 3)

  /// Last in, first out: a test in progress precedes those that have not begun, because its server's responses and
  /// tokens expire.
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

/// Runs tests on ``ProgramThreads``. Skips them if the location of the programs is unknown.
struct ProgramsTrait: SuiteTrait, TestTrait, TestScoping {
  private static let areThere = ConditionTrait.enabled(
    if: Programs.folder != nil,
    "AGENT_BINARIES does not name the folder of the release programs; \"make check\" builds them and sets it")

  /// Whether the tests take a minute or more.
  var isLong = false

  var isRecursive: Bool { true }

  func prepare(for test: Test) async throws { try await Self.areThere.prepare(for: test) }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let isEarly = test.traits.contains { $0 is ParallelizationTrait || ($0 as? Self)?.isLong == true }
    try await withTaskExecutorPreference(isEarly ? ProgramThreads.early : .shared) {
      let start = Instant.now
      try await function()
      if testCase != nil { Self.record(start.duration(to: .now), of: test) }
    }
  }

  /// Adds a line to the file `AGENT_TEST_TIMES`: the seconds that a test took once it had a thread, and its name.
  private static func record(_ time: Duration, of test: Test) {
    guard let path = Environment.value("AGENT_TEST_TIMES") else { return }
    let line = "\(time / .seconds(1))\t\(test.sourceLocation.fileID)\t\(test.name)\n"
    do {
      try FileDescriptor(opening: path, for: .appending).writeAll(Array(line.utf8).span)
    } catch {
      Issue.record("cannot write to \(path): \(error)")
    }
  }
}

extension Trait where Self == ProgramsTrait {
  /// Marks tests that run the programs themselves.
  static var needsPrograms: Self { Self() }

  /// Marks tests that run the programs and take a minute or more.
  static var needsProgramsForLong: Self { Self(isLong: true) }
}
