import Platform
import TestSupport
import Testing

/// The release programs under test.
enum Programs {
  /// The absolute path of the programs' directory, from the variable `AGENT_BINARIES`.
  static let folder: String? = Environment.value("AGENT_BINARIES").flatMap { $0.isEmpty ? nil : $0 }

  static let areSanitized = Sanitizer.isOn

  /// Throws if the directory is unknown. A suite with ``needsPrograms`` is then skipped.
  static func path(_ name: String) throws -> String {
    "\(try #require(folder, "AGENT_BINARIES is not set"))/\(name)"
  }
}
