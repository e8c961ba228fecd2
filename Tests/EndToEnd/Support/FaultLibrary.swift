import Platform
import TestSupport
import Testing

/// The library `Tests/Tools/Faults/faults.c`, compiled once for all tests.
final class FaultLibrary: Sendable {
  private let directory: TemporaryDirectory

  static let shared: FaultLibrary? = try? FaultLibrary()

  var path: String { directory.path("faults.so") }

  private init() throws {
    directory = try TemporaryDirectory()
    let line =
      "cc -O1 -shared -fPIC -o '\(directory.path("faults.so"))' '\(PackageFiles.path("Tests/Tools/Faults/faults.c"))'"
    try #require(try ProcessRunner.shell(line).succeeded)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests if no library can be preloaded.
  static var needsFaults: Self {
    .enabled(
      if: FaultLibrary.shared != nil && !Programs.areSanitized,
      "there is no C compiler, or the programs are built with a sanitizer, which wants to be loaded first")
  }
}
