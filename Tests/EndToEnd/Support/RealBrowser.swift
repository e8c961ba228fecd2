import Encoding
import Platform
import TestSupport
import Testing

/// A headless Chromium that signs in like a user, controlled by a script. Each use has its own profile, and can
/// connect only to this machine.
struct RealBrowser: Sendable {

  private static let reportName = "home/browser-report"

  private let tree: AgentTree
  private let options: [String]

  /// - Parameter options: Options of the script: words without spaces and colons, which `BROWSER` could not contain.
  init(_ tree: AgentTree, _ options: String...) {
    self.tree = tree
    self.options = options
  }

  /// The value of the environment variable `BROWSER`. After the sign-in, ``seen()`` returns the result.
  var variable: String {
    ([Self.script, "--report", tree.path(Self.reportName)] + options).joined(separator: " ")
  }

  /// Waits until the browser has ended, and returns its observations.
  func seen() throws -> JSON {
    let deadline = Instant.now.advanced(by: .testLimit)
    let home = try tree.directory.open("home")
    while !home.exists("browser-report") {
      try #require(Instant.now < deadline, "the browser has come to no end")
      Threads.sleep(for: .milliseconds(20))
    }
    return try Self.checked(JSON(parsing: tree.directory.read(Self.reportName)))
  }

  /// Runs code that waits for the browser. If that fails, also reports the browser's observations.
  func awaited<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      let report = try? tree.directory.readText(Self.reportName)
      Issue.record("the browser tells: \(report ?? "nothing")")
      throw error
    }
  }

  /// Opens a URL without `agent`, and returns the observations.
  func open(_ url: String) throws -> JSON {
    let result = try ProcessRunner.run(
      executable: Self.script, arguments: options + [url], environment: tree.environment())
    return try Self.checked(JSON(parsing: result.output))
  }

  /// Fails if the script reports a problem of the page.
  private static func checked(_ seen: JSON) throws -> JSON {
    try #require(seen["problem"] == .null, "\(seen["problem"]?.string ?? "the report is malformed")")
    return seen
  }

  private static var script: String {
    PackageFiles.path("Tests/Tools/Browser/open")
  }

  fileprivate static let isInstalled = ["/usr/bin/chromium", "/usr/bin/chromedriver"].allSatisfy {
    (try? FileDescriptor(opening: $0, for: .reading)) != nil
  }
}

/// Runs browser tests one at a time, since each uses all processors of a small machine. Skips them without a browser.
struct BrowserTrait: SuiteTrait, TestTrait, TestScoping {
  private static let isThere = ConditionTrait.enabled(
    if: RealBrowser.isInstalled, "Chromium or its driver is missing; \"make deps-check\" installs both")
  private static let turn = Turn()

  var isRecursive: Bool { true }

  func prepare(for test: Test) async throws { try await Self.isThere.prepare(for: test) }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    await Self.turn.take()
    do {
      try await function()
    } catch {
      await Self.turn.give()
      throw error
    }
    await Self.turn.give()
  }

  /// A lock for one test at a time, in the order of arrival.
  private actor Turn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
      if isTaken { await withCheckedContinuation { waiting.append($0) } }
      isTaken = true
    }

    func give() {
      guard waiting.isEmpty else { return waiting.removeFirst().resume() }
      isTaken = false
    }
  }
}

extension Trait where Self == BrowserTrait {
  static var needsBrowser: Self { Self() }
}
