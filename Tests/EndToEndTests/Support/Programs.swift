import Platform
import TestSupport
import Testing

/// The release programs under test.
enum Programs {
  /// Their directory, an absolute path, from the variable `AGENT_BINARIES`.
  static let folder: String? = Environment.value("AGENT_BINARIES").flatMap { $0.isEmpty ? nil : $0 }

  /// Whether they were built with a sanitizer.
  static let areSanitized = Sanitizer.isOn

  /// The file of a program.
  ///
  /// - Throws: if the directory is unknown; a suite with ``needed`` is skipped before.
  static func path(_ name: String) throws -> String {
    "\(try #require(folder, "AGENT_BINARIES is not set"))/\(name)"
  }
}
