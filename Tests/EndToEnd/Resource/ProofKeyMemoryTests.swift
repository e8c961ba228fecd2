import Crypto
import Encoding
import Platform
import TestSupport
import Testing
import Vault
import Vocabulary

/// The keys to which a client's tokens are bound (RFC 9449) and with which it authenticates (RFC 7523).
@Suite(.needsPrograms, .needsForeignMemory) struct `Keys that prove who asks` {
  private static let names = ["dpop_key", "client_key"]

  /// The private numbers of an account's P-256 keys in the vault, as in the library and the file.
  private static func secrets(of account: String, in tree: AgentTree) throws -> [(name: String, value: [UInt8])] {
    let vault = Vault(
      stateDirectory: tree.path("state/agent"), machineIdentity: Machine.identity(), userID: Machine.userID)
    var content: [UInt8] = []
    if let record = try vault.read(try AccountName(account)) {
      content = record.content.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
    }
    let members = try JSON(parsing: content)
    return try names.flatMap { name -> [(name: String, value: [UInt8])] in
      let structure = try Base64URL.decode(try #require(members[name]?.string, "\(name) is not in the vault"))
      let number = try privateNumber(in: structure)
      // The library stores numbers in little-endian order.
      return [(name, structure), (name, number), (name, Array(number.reversed()))]
    }
  }

  /// The octet string after the version of an ECPrivateKey (RFC 5915 section 3).
  private static func privateNumber(in structure: [UInt8]) throws -> [UInt8] {
    let mark: [UInt8] = [0x02, 0x01, 0x01, 0x04, 0x20]
    let start = try #require(structure.indices.first { structure[$0...].starts(with: mark) }) + mark.count
    return Array(try #require(structure[start...].count >= 32 ? structure[start..<(start + 32)] : nil))
  }

  @Test func `are gone from the daemon's memory when the vault is locked, and when the session ends`() throws {
    try AgentTree.with { tree in
      let (file, keys) = try ClientKeyPair.make(in: tree)
      try tree.directory.write("passphrase", LockedHome.passphrase)
      try Issuer.with(["--client-jwks", keys]) { issuer in
        try tree.signIn(
          "device", at: issuer.url, clientID: "agent-jwt", "--client-key-file", file, "--client-key-id", "k1",
          "--dpop")
        let secrets = try Self.secrets(of: "device", in: tree)
        let memory = ProcessMemory(of: try tree.daemon())
        func left() throws -> Set<String> { Set(try memory.places(ofKeys: secrets).map(\.secret)) }
        _ = try tree.token("device", "--force-refresh")
        #expect(try left() == ["dpop_key"], "the one is at hand with the token, the other only while it is used")

        let unlocking = ["--passphrase-file", tree.path("passphrase")]
        let moved = try tree.agent(["account", "set", "device", "--protect", "passphrase"] + unlocking)
        try #require(moved.succeeded, "\(moved.errorText)")
        _ = try tree.token("device", "--force-refresh")
        #expect(try left() == ["dpop_key"])
        try #require(try tree.agent("lock").succeeded)
        #expect(try left() == [])

        try #require(try tree.agent(["unlock"] + unlocking).succeeded)
        _ = try tree.token("device")
        #expect(try left() == ["dpop_key"])
        try #require(try tree.agent("logout", "device").succeeded)
        #expect(try left() == [])
        #expect(try issuer.count("client_failures") == 0)
      }
    }
  }
}
