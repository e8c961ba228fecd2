internal import Platform
internal import Wire

struct UserFiles: Sendable {
  var variable: @Sendable (String) -> String? = { Environment.value($0) }
  /// Empty if deleted.
  var workingDirectory: @Sendable () -> String = { Machine.currentDirectory() ?? "" }

  func nonEmptyValue(_ variable: String) -> String? { self.variable(variable).flatMap { $0.isEmpty ? nil : $0 } }

  /// The file `name` in the directory named by the variable, or else in `directory` below home. `directory` is empty or
  /// ends with a slash.
  func file(_ variable: String, _ name: String, else directory: String) throws(Failure) -> SetupFile {
    if let folder = nonEmptyValue(variable) { return try SetupFile("\(folder)/\(name)") }
    return try SetupFile("\(try home())/\(directory)\(name)")
  }

  /// In the user's configuration directory (XDG Base Directory Specification).
  func configuration(_ name: String) throws(Failure) -> SetupFile {
    try SetupFile("\(try directory(UserDirectories.configHome(in:)))/\(name)")
  }

  func home() throws(Failure) -> String { try directory(UserDirectories.home(in:)) }

  private func directory(_ find: (UserDirectories.Variables) throws(SystemError) -> String) throws(Failure) -> String {
    do { return try find(variable) } catch { throw Failure(error, doing: "no home directory found") }
  }
}
