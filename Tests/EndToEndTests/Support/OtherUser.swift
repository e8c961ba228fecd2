import Platform
import TestSupport
import Testing

/// Another user of this machine, who has the programs and a home. For tests that root runs.
struct OtherUser {
  /// `nobody`, or whoever has that number: no file of theirs is touched.
  private static let userID = 65_534
  private let folder: String

  static func with<Result>(_ body: (OtherUser) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    let user = OtherUser(folder: directory.path)
    let programs = try #require(Programs.folder)
    let line = """
      set -e; cd '\(directory.path)'; mkdir bin home runtime
      cp '\(programs)/agent' '\(programs)/agentd' bin
      chown -R \(userID):\(userID) . && chmod 700 home runtime
      """
    try #require(try ProcessRunner.shell(line).succeeded)
    // The directory is a daemon's and is removed before the daemon could end by itself.
    defer { _ = try? user.agent("daemon", "stop") }
    return try body(user)
  }

  func agent(_ arguments: String...) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: "/usr/bin/setpriv",
      arguments: ["--reuid=\(Self.userID)", "--regid=\(Self.userID)", "--clear-groups", "\(folder)/bin/agent"]
        + arguments,
      environment: ["PATH=/usr/bin:/bin", "HOME=\(folder)/home", "XDG_RUNTIME_DIR=\(folder)/runtime"])
  }
}
