import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `An account that the administrator prepared` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ name: String, _ text: String, in place: String = "accounts.d", mode: UInt32 = 0o644) throws {
    let bytes = Array(text.utf8)
    try directory.open(place).replaceFile(name, with: bytes.span, mode: mode)
  }

  private func preset(_ name: String) throws(Failure) -> AccountPreset? {
    try AccountPreset.named(name, in: directory.path("accounts.d"), owner: Machine.userID)
  }

  private var all: (presets: [AccountPreset], problems: [Failure]) {
    AccountPreset.all(in: directory.path("accounts.d"), owner: Machine.userID)
  }

  private static let corp =
    #"{"issuer":"https://id.example","client_id":"cli","scope":["openid"],"origins":["git.example"],"dpop":true,"#
    + #""protect":"passphrase","setup":["git --host git.example"]}"#

  @Test func `has settings and programs`() throws {
    #expect(try preset("corp") == nil && all.presets.isEmpty && all.problems.isEmpty)
    try write("corp.json", Self.corp)
    let corp = try #require(try preset("corp"))
    #expect(corp.settings.issuer == "https://id.example" && corp.settings.protection == .passphrase)
    #expect(corp.programs == ["git --host git.example"])
    #expect(try preset("../corp") == nil)
    try write("gitlab-corp.json", #"{"provider":"gitlab"}"#)
    #expect(all.presets.map(\.service) == ["https://id.example", "gitlab"])
  }

  @Test(arguments: [
    ("[]", "not a JSON object"), (#"{"client_id":"cli"}"#, "no issuer and no provider"),
    (#"{"issuer":"https://id.example","client_secret":"s"}"#, "unknown member client_secret"),
    (#"{"issuer":"https://id.example","scope":"openid"}"#, "scope must be "),
    (#"{"issuer":"https://id.example","setup":["git","nothing"]}"#, "setup must contain arguments of agent setup"),
    (#"{"issuer":"https://id.example","setup":"git"}"#, "setup must be a list of at most 16 texts"),
  ]) func `is named by its file if that is not valid, and the others can be used`(text: String, problem: String) throws
  {
    try write("corp.json", Self.corp)
    try write("bad.json", text)
    let path = directory.path("accounts.d/bad.json")
    let (presets, problems) = all
    #expect(presets.map(\.name) == ["corp"])
    #expect(problems.map(\.message).allSatisfy { $0.hasPrefix("\(path) is ignored: \(problem)") }, "\(problems)")
    #expect(problems.map(\.code) == [.invalidConfiguration])
    #expect(throws: Failure.self) { try preset("bad") }
  }

  @Test func `is only read from files that others cannot change, of limited size and number`() throws {
    try write("corp.json", Self.corp, mode: 0o664)
    try write("long.json", #"{"issuer":""# + String(repeating: "x", count: 1 << 16) + #""}"#)
    try write("no name.json", Self.corp)
    #expect(all.presets.isEmpty && all.problems.count == 3)
    for number in 0..<100 { try write("\(number)", "") }
    #expect(all.presets.isEmpty && all.problems.count == 1)
    try write("corp.json", Self.corp, in: "other")
    let other = directory.path("other")
    #expect(AccountPreset.all(in: other, owner: Machine.userID).presets.count == 1)
    try #require(ProcessRunner.shell("chmod 775 \(other)").succeeded)
    #expect(AccountPreset.all(in: other, owner: Machine.userID).problems.count == 1)
  }

  @Test func `shows which of its settings the user changed`() throws {
    try write("corp.json", Self.corp)
    let corp = try #require(try preset("corp"))
    var shown = corp.settings
    shown.origins = ["https://git.example", "https://api.example"]
    shown.refresh = .strict
    #expect(corp.changed(in: shown.json()).isEmpty)
    (shown.scope, shown.origins, shown.dpop) = (["email"], [], false)
    #expect(corp.changed(in: shown.json()).map(\.word) == ["scope", "dpop", "host"])
  }
}
