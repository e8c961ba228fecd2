import Platform
import Testing

/// The release programs under test.
enum Programs {
  /// The folder they are in, an absolute path, from the variable `AGENT_BINARIES`.
  static let folder: String? = Environment.value("AGENT_BINARIES").flatMap { $0.isEmpty ? nil : $0 }

  /// Whether they were built with a sanitizer, which takes memory and time of its own.
  static let areSanitized = Environment.value("AGENT_SANITIZER").map { !$0.isEmpty } ?? false

  /// The file of a program.
  ///
  /// - Throws: when the folder is not known; a suite with ``needed`` does not come that far.
  static func path(_ name: String) throws -> String {
    "\(try #require(folder, "AGENT_BINARIES is not set"))/\(name)"
  }
}
