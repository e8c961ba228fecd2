import Platform
import TestSupport
import Testing

/// Another user of this machine, with the programs and a home directory. For tests run by root.
struct OtherUser {
  let folder: String
  let userID: Int

  /// - Parameter userID: The user's ID (default: `nobody`). None of the user's files are modified.
  static func with<Result>(userID: Int = 65_534, _ body: (OtherUser) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    let user = OtherUser(folder: directory.path, userID: userID)
    let programs = try #require(Programs.folder)
    let line = """
      set -e; cd '\(directory.path)'; mkdir bin home runtime
      cp '\(programs)/agent' '\(programs)/agentd' bin
      chown -R \(userID):\(userID) . && chmod 700 home runtime
      """
    try #require(try ProcessRunner.shell(line).succeeded)
    // The directory is removed before the daemon would end by itself.
    defer { _ = try? user.agent("daemon", "stop") }
    return try body(user)
  }

  func agent(_ arguments: String...) throws -> ProcessResult { try agent(arguments) }

  /// - Parameters:
  ///   - variables: `NAME=VALUE`, in addition to those of a logged-in user.
  ///   - wrapper: The program, with its arguments, that runs the command.
  func agent(_ arguments: [String], variables: [String] = [], in wrapper: [String] = []) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: "/usr/bin/setpriv",
      arguments: ["--reuid=\(userID)", "--regid=\(userID)", "--clear-groups"] + wrapper + ["\(folder)/bin/agent"]
        + arguments,
      environment: environment + variables)
  }

  var environment: [String] {
    ["PATH=/usr/bin:/bin", "HOME=\(folder)/home", "XDG_RUNTIME_DIR=\(folder)/runtime"]
  }
}
