import Encoding
import Platform
import TestSupport
import Testing

extension AgentTree {
  /// Changes an account's settings without the daemon's knowledge, like an editor.
  func editSettings(of account: String = "work", _ change: (inout JSONObject) -> Void) throws {
    try editAllSettings { settings in
      var accounts = try #require(settings["accounts"]?.object)
      var edited = try #require(accounts[account]?.object)
      change(&edited)
      accounts[account] = .object(edited)
      settings["accounts"] = .object(accounts)
    }
  }

  /// Changes the settings file without the daemon's knowledge, like an editor.
  func editAllSettings(_ change: (inout JSONObject) throws -> Void) throws {
    let folder = try directory.open("config/agent")
    var settings = try #require(JSON(parsing: try folder.readFile("config.json", limit: 1 << 20)).object)
    try change(&settings)
    try folder.replaceFile("config.json", with: JSON.object(settings).serialized().span)
  }

  func vaultName() throws -> String {
    let names = try directory.open("state/agent").fileNames()
    return try #require(names.first { $0.hasPrefix("vault.") && $0 != "vault.lock" }, "there is no vault")
  }

  /// Also creates a file that must be found, so that an empty result is meaningful.
  func files(containing secrets: [String]) throws -> [String] {
    let control = "control.\(secrets.count)"
    try directory.write(control, try #require(secrets.last))
    let result = try ProcessRunner.run(
      executable: "/bin/grep", arguments: ["-rlaF", "-f", "-", directory.path],
      input: Array((secrets.joined(separator: "\n") + "\n").utf8))
    try #require(result.status == .exited(0), "\(result.errorText)")
    let found = result.lines.map { String($0) }
    try #require(found.contains(path(control)))
    try directory.open().removeFile(control)
    return found.filter { $0 != path(control) }
  }
}
