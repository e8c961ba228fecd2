internal import Platform
internal import Wire

/// Finds the user's configuration files for other programs.
struct UserFiles: Sendable {
  var variable: @Sendable (String) -> String? = { Environment.value($0) }
  /// Returns the working directory; empty if deleted.
  var workingDirectory: @Sendable () -> String = { Machine.currentDirectory() ?? "" }

  /// Nil if the variable is unset or empty.
  func nonEmptyValue(_ variable: String) -> String? { self.variable(variable).flatMap { $0.isEmpty ? nil : $0 } }

  /// The file `name` in the directory that the variable names, or else in `directory` in the home directory.
  /// `directory` is empty or ends with a slash.
  func file(_ variable: String, _ name: String, else directory: String) throws(Failure) -> SetupFile {
    if let folder = nonEmptyValue(variable) { return try SetupFile("\(folder)/\(name)") }
    return try SetupFile("\(try home())/\(directory)\(name)")
  }

  /// A file in the user's configuration directory (XDG Base Directory Specification).
  func configuration(_ name: String) throws(Failure) -> SetupFile {
    try SetupFile("\(try directory(UserDirectories.configHome(in:)))/\(name)")
  }

  func home() throws(Failure) -> String { try directory(UserDirectories.home(in:)) }

  private func directory(_ find: (UserDirectories.Variables) throws(SystemError) -> String) throws(Failure) -> String {
    do { return try find(variable) } catch { throw Failure(error, doing: "no home directory found") }
  }
}
