import Encoding
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `What setup writes` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func context(_ place: String, _ change: (inout SetupContext) -> Void = { _ in }) throws -> SetupContext {
    var context = SetupContext(
      program: "/usr/bin/agent", name: "agent", origin: OriginEntry(place, allowHTTPLoopback: false),
      account: "work", listed: nil, namesAccount: false)
    let home = directory.path
    context.files.variable = { $0 == "HOME" ? home : nil }
    context.files.workingDirectory = { home + "/project/part" }
    change(&context)
    return context
  }

  /// A text with a client's change, which can be undone.
  private func written(_ client: SetupClient, _ text: String, _ context: SetupContext) throws -> String? {
    let plan = try client.plan(context)
    guard case .inserted(let bytes, let addition) = try plan.insertion(in: Array(text.utf8), of: "file") else {
      return nil
    }
    #expect(addition.removed(from: bytes)?.bytes == Array(text.utf8))
    #expect(plan.isSame(as: addition))
    #expect(try plan.isIn(bytes, of: "file"))
    return String(decoding: bytes, as: UTF8.self)
  }

  private func insertion(_ client: SetupClient, _ text: String, _ context: SetupContext) throws -> Insertion {
    try client.plan(context).insertion(in: Array(text.utf8), of: "file")
  }

  // `git` and `go` are asked for their settings, and may be missing.
  @Test(arguments: SetupClient.all) func `is found in the file, and can be taken out of it`(client: SetupClient) throws
  {
    let place =
      client.isMail
      ? (client.originKind == .outgoingMail ? "submission://a.example" : "imaps://a.example") : "a.example"
    let context = try context(place) {
      $0.role = "arn:aws:iam::1:role/r"
      $0.user = "me@a.example"
    }
    guard client.path != nil || ![.git, .go].contains(client) else { return }
    let plan = try client.plan(context)
    if client.isPrintedOnly {
      #expect(try plan.isIn(Array(plan.text.joined(separator: "\n").utf8), of: "file"))
      #expect(plan.file == nil)
    } else {
      #expect(try written(client, [.docker, .mcp].contains(client) ? "{}" : "# mine\n", context) != nil)
    }
  }

  @Test func `is described in the manual, for each program`() throws {
    let page = try PackageFiles.text("man/agent-setup.1")
    #expect(SetupClient.names.filter { !page.contains("\\fB\($0)\\fP") } == [])
  }

  // Python's configparser treats a line indented more than its key as a continuation.
  @Test(arguments: [
    ("[global]\n    index-url = x\n", "    "), ("[global]\n\n\t; c\n\ttimeout = 5\n  a = b\n", "\t"),
    ("[global]\n[install]\n  a = b\n", ""), ("[global]\n# c\n", ""),
  ])
  func `for pip has the blanks of the other keys before it`(text: String, blanks: String) throws {
    let bytes = try written(.pip, text, context("https://pypi.example"))
    let lines = "\n# agent setup: begin pip\n\(blanks)keyring-provider = subprocess\n# agent setup: end pip\n"
    #expect(bytes?.contains(lines) == true)
  }

  @Test func `for pip finds its key in any case`() throws {
    let context = try context("https://pypi.example")
    #expect(try insertion(.pip, "[global]\nKeyring-Provider = import\n", context) == .exists("keyring-provider"))
    #expect(try insertion(.pip, "[global]\nKEYRING_PROVIDER: subprocess\n", context) == .present)
  }

  @Test func `for uv finds its key behind arrays in arrays`() throws {
    let text = "conflicts = [\n  [\n    [\"a\"],\n  ],\n  [{ extra = 'b' }]\n]\nkeyring-provider = 'disabled' # c\n"
    #expect(try insertion(.uv, text, context("https://pypi.example")) == .exists("keyring-provider"))
  }

  private static let index = "index = \"sparse+https://Crates.Example/index/\" # mirror\n"
  private static let provider = "credential-provider = [\"/usr/bin/agent\", \"helper\", \"cargo\"]\n"

  @Test func `for cargo goes to the registry that has the index, whatever its host looks like`() throws {
    let bytes = try written(
      .cargo, "[registries.mirror] # ours\n\(Self.index)", context("https://crates.example/index"))
    #expect(bytes?.hasPrefix("[registries.mirror] # ours\n# agent setup: begin") == true)
    #expect(bytes?.contains(Self.provider) == true)
  }

  @Test(arguments: ["project/.cargo/config.toml", "project/part/.cargo/config"])
  func `for cargo takes the name that the project gave the index`(file: String) throws {
    for folder in [".cargo", "project", "project/.cargo", "project/part", "project/part/.cargo"] {
      _ = try directory.open(folder)
    }
    try directory.write(file, "[registries.team]\n\(Self.index)")
    let context = try context("https://crates.example/index")
    let table = "[registries.team]\nindex = \"sparse+https://crates.example/index/\"\n" + Self.provider
    #expect(try written(.cargo, "", context)?.contains(table) == true)
    #expect(
      try written(.cargo, "[registries.team]\n", context)?.contains(Self.provider) == true)
    #expect(
      try insertion(.cargo, "[registries.team]\nindex = \"sparse+https://other.example/\"\n", context)
        == .exists("registries.team"))
    // A name chosen by the user is used anyway.
    let named = try self.context("https://crates.example/index") { $0.entryName = "mine" }
    #expect(try written(.cargo, "", named)?.contains("[registries.mine]\n") == true)
  }

  @Test func `for an MCP client has the server's URL as it was typed`() throws {
    let context = try context("https://mcp.example.com/mcp") { $0.serverURL = "https://mcp.example.com/mcp/?a=b" }
    let bytes = try written(.mcp, "{}", context)
    #expect(bytes?.contains(#""https://mcp.example.com/mcp/?a=b""#) == true, "\(bytes ?? "")")
  }
}

@Suite struct `The notes of what setup has added` {
  @Test(arguments: [
    ("", "is damaged"), ("{", "is damaged"), (#"{"version":1}"#, "is damaged"),
    (#"{"version":1,"entries":[{}]}"#, "is damaged"),
    (#"{"version":2,"entries":[]}"#, "was written by a later version"),
    (#"{"version":0,"entries":[]}"#, "is damaged"),
  ])
  func `say why they cannot be read`(text: String, reason: String) {
    let failure = #expect(throws: Failure.self) { try SetupReceipts(Array(text.utf8), of: "/x y/setup.json") }
    #expect(failure?.message.hasPrefix("/x y/setup.json \(reason)") == true, "\(failure?.message ?? "")")
    let hint = "to start over: mv '/x y/setup.json' '/x y/setup.json.damaged'"
    #expect(failure?.hint == (reason == "is damaged" ? hint : nil))
  }
}
