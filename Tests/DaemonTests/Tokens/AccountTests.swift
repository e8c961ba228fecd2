import Crypto
import Encoding
import Platform
import Sessions
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `An account's answers` {
  private static func make() throws -> LiveAccount {
    let account = LiveAccount(
      name: try AccountName("work"), configuration: AccountConfiguration(issuer: "https://as.example", clientID: "c"))
    account.session.signedIn(try grant("first"), wallSeconds: 0, jitter: 0)
    return account
  }

  private static func grant(_ token: String) throws -> AccessGrant {
    let bytes = Array(token.utf8)
    return AccessGrant(
      accessToken: SharedSecret(try SecretBytes(copying: bytes.span)), tokenType: "Bearer", scope: "openid",
      subject: "alice", claims: ["sub": "alice"], issuedAt: Instant(nanoseconds: 0), issuedAtUnixSeconds: 0,
      lifetimeSeconds: 3600, recordGeneration: 1)
  }

  private static func text(_ secret: SharedSecret) -> String {
    secret.bytes.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  /// The line for the token at hand.
  private static func line(_ account: LiveAccount, _ extras: TokenRequest.Extras = .init()) throws -> SharedSecret {
    try account.line(for: try #require(account.session.grant), extras)
  }

  private static let first =
    #"{"v":1,"result":{"account":"work","issuer":"https://as.example","subject":"alice","access_token":"first","#
    + #""token_type":"Bearer","scope":"openid","expires_at":3600}}"# + "\n"

  @Test func `are written once for each token`() throws {
    let account = try Self.make()
    let line = try Self.line(account)
    #expect(Self.text(line) == Self.first)
    #expect(try Self.line(account) === line)
    account.session.signedIn(try Self.grant("second"), wallSeconds: 0, jitter: 0)
    #expect(Self.text(try Self.line(account)) == Self.first.replacing("first", with: "second"))
  }

  @Test func `that hold more than the token are written anew, and are not given to others`() throws {
    let account = try Self.make()
    let extra = try Self.line(account, TokenRequest.Extras(claims: true))
    #expect(Self.text(extra).contains(#""claims":{"sub":"alice"}"#))
    #expect(Self.text(try Self.line(account)) == Self.first)
    #expect(try Self.line(account, TokenRequest.Extras(claims: true)) !== extra)
  }

  @Test func `follow the settings`() throws {
    let account = try Self.make()
    _ = try Self.line(account)
    account.configuration.issuer = "https://other.example"
    #expect(Self.text(try Self.line(account)).contains(#""issuer":"https://other.example""#))
  }

  @Test(arguments: [0, 1, 2]) func `go with the token`(way: Int) throws {
    let account = try Self.make()
    weak let line = try Self.line(account)
    #expect(line != nil)
    switch way {
    case 0: account.session.signedOut()
    case 1: account.session.forgetToken()
    default: account.session = Session()
    }
    #expect(line == nil)
  }

  @Test func `that are long are not kept`() throws {
    let account = try Self.make()
    account.session.signedIn(try Self.grant(String(repeating: "x", count: 20_000)), wallSeconds: 0, jitter: 0)
    weak let line = try Self.line(account)
    #expect(line == nil)
  }
}

extension String {
  fileprivate func replacing(_ old: String, with new: String) -> String {
    var parts: [Substring] = []
    var rest = self[...]
    while let start = rest.indices.first(where: { rest[$0...].hasPrefix(old) }) {
      parts.append(rest[..<start])
      rest = rest[rest.index(start, offsetBy: old.count)...]
    }
    return (parts + [rest]).joined(separator: new)
  }
}
