import Crypto
import Encoding
import Platform
import TestSupport
import Testing
import Vault
import Vocabulary

extension AgentTree {
  /// Adds signed-in copies of the account `work`, each at its own server.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of their names, followed by a number from 0.
  ///   - issuer: The issuer of `work`, which the URLs replace.
  func copyWork(as prefix: String, from issuer: String, to urls: [String]) throws {
    let vault = Vault(stateDirectory: path("state/agent"), machineIdentity: Machine.identity(), userID: Machine.userID)
    var content = ""
    if let record = try vault.read(try AccountName("work")) {
      content = record.content.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
    try #require(!content.isEmpty, "work is not signed in")
    let config = "config/agent/config.json"
    var settings = try #require(JSON(parsing: Array(directory.readText(config).utf8)).object)
    var accounts = try #require(settings["accounts"]?.object)
    let work = String(decoding: try #require(accounts["work"]).serialized(), as: UTF8.self)
    for (number, url) in urls.enumerated() {
      let name = "\(prefix)\(number)"
      let copy = Self.replace(issuer, by: url, in: content)
      try vault.write(try AccountName(name), content: try SecretBytes(copying: Array(copy.utf8).span))
      accounts[name] = try JSON(parsing: Array(Self.replace(issuer, by: url, in: work).utf8))
    }
    settings["accounts"] = .object(accounts)
    try directory.write(config, String(decoding: JSON.object(settings).serialized(), as: UTF8.self))
  }

  private static func replace(_ old: String, by new: String, in text: String) -> String {
    // The strict JSON writer does not escape slashes.
    text.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
