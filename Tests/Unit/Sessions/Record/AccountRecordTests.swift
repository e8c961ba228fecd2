import Crypto
import Encoding
@testable import OAuth
import Sessions
import Testing
import Vault
import Vocabulary

@Suite struct `An account's record` {
  let account: AccountName

  init() throws { account = try AccountName("work") }

  /// A comparable copy of the record, with its secrets as text.
  struct Seen: Equatable {
    var authority: Authority
    var identity: IdentityRecord?
    var times: [Int?]
    var scope: String?
    var secrets: [String?]
    var isExpired: Bool
    var isTokenNotStored: Bool

    init(_ record: AccountRecord) {
      authority = record.authority
      identity = record.identity
      times = [record.signedInAt, record.refreshedAt, record.accessTokenExpiresAt]
      scope = record.scope
      secrets = [record.refreshToken, record.accessToken, record.credentials.secret, record.proxyCredentials].map {
        $0?.text
      }
      isExpired = record.isExpired
      isTokenNotStored = record.isTokenNotStored
    }
  }

  func roundTrip(_ record: AccountRecord) throws -> Seen {
    let content = try record.serialized()
    return Seen(try AccountRecord(content: content, account: account))
  }

  static let hostile = [
    "plain", "", "\"", "\\", "\\\"},\"expired\":true,{\"", "a\u{0}b", "\u{1}\u{1F}\u{7F}\u{9F}", "line\nfeed\r\t",
    "\u{2028}\u{2029}\u{202E}", "e\u{301}", "\u{E9}", "\u{1F600}", "\u{FEFF}", "/</script>", "\\u0041",
  ]

  @Test(arguments: hostile) func `is read back as it was written, whatever its texts hold`(text: String) throws {
    var record = try Home.record()
    // Settings contain no NUL.
    let setting = String(text.filter { $0 != "\0" })
    record.authority.settings.issuer = setting
    record.authority.settings.clientID = setting
    record.authority.settings.pins = [setting, setting]
    record.authority.settings.tokenEndpoint = setting
    record.authority.origins = [text, ""]
    record.authority.caDigest = text
    record.authority.proxy = text
    record.identity = IdentityRecord(
      issuer: text, subject: text, audience: [text], authorizedParty: text, authTime: .min, nonce: text)
    record.scope = text
    record.refreshToken = try secret(text)
    record.accessToken = try secret(text)
    record.credentials.secret = try secret(text)
    record.proxyCredentials = try secret(text)
    record.signedInAt = .max
    record.refreshedAt = 0
    record.accessTokenExpiresAt = .min
    (record.isExpired, record.isTokenNotStored) = (true, true)
    let seen = try roundTrip(record)
    #expect(seen == Seen(record))
    // Swift considers some texts with different bytes equal.
    #expect(seen.secrets.allSatisfy { $0.map { Array($0.utf8) } == Array(text.utf8) })
    #expect(seen.authority.settings.issuer?.utf8.elementsEqual(setting.utf8) == true)
  }

  @Test func `is read back when it holds the least`() throws {
    var record = try Home.record()
    record.identity = nil
    record.refreshToken = nil
    #expect(try roundTrip(record) == Seen(record))
  }

  @Test func `takes secrets of any size that a server can send`() throws {
    var record = try Home.record()
    record.refreshToken = try secret(String(repeating: "r", count: 60_000))
    record.accessToken = try secret(String(repeating: "\"", count: 30_000))
    #expect(try roundTrip(record) == Seen(record))
  }

  // MARK: Damage

  var damaged: SessionError { .vault(VaultError(.damaged, path: "work")) }

  func read(_ bytes: [UInt8]) throws -> Seen {
    let content = try SecretBytes(copying: bytes.span)
    return Seen(try AccountRecord(content: content, account: account))
  }

  func bytes() throws -> [UInt8] {
    var record = try Home.record()
    record.credentials.secret = try secret("s3cret")
    return try record.serialized().withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test func `that was cut anywhere is damaged`() throws {
    let whole = try bytes()
    for count in 0..<whole.count {
      #expect(throws: damaged) { _ = try read(Array(whole[..<count])) }
    }
    #expect(try read(whole).secrets == ["rt-1", nil, "s3cret", nil])
  }

  @Test func `with any bit flipped is damaged or another record, and never a crash`() throws {
    let whole = try bytes()
    for index in whole.indices {
      for bit in 0..<8 {
        var flipped = whole
        flipped[index] ^= 1 << bit
        do {
          _ = try read(flipped)
        } catch let error as SessionError {
          #expect(error == damaged)
        }
      }
    }
  }

  @Test(arguments: ["authority", "signed_in_at"]) func `without a part that it needs is damaged`(name: String) throws {
    for value: JSON? in [nil, .null, [], "text"] {
      #expect(throws: damaged) { _ = try read(try changed { $0[name] = value }) }
    }
  }

  @Test(arguments: [
    "issuer", "client_id", "token_endpoint_auth_method", "allow_http_loopback", "pins", "origins",
  ])
  func `without a part of its authority, or with a wrong one, is damaged`(name: String) throws {
    let isRequired = ["issuer", "client_id", "origins"].contains(name)
    for value: JSON? in (isRequired ? [nil] : []) + [.null, 1, [1]] {
      #expect(throws: damaged) {
        _ = try read(
          try changed { open in
            var authority = open["authority"]?.object ?? [:]
            authority[name] = value
            open["authority"] = .object(authority)
          })
      }
    }
  }

  @Test(arguments: [[:], .null, "alice", ["iss": "i", "sub": "s"], ["iss": "i", "sub": "s", "aud": []]] as [JSON])
  func `with half an identity is damaged`(identity: JSON) throws {
    #expect(throws: damaged) { _ = try read(try changed { $0["identity"] = identity }) }
  }

  @Test(arguments: ["refresh_token", "access_token", "client_secret", "proxy_credentials"])
  func `with a secret that is no text is damaged`(name: String) throws {
    for value: JSON in [1, .null, ["a"], [:]] {
      var root = try JSON(parsing: try bytes()).object ?? [:]
      root[name] = value
      #expect(throws: damaged) { _ = try read(JSON.object(root).serialized()) }
    }
  }

  /// The record's bytes with its unencrypted part changed.
  private func changed(_ change: (inout JSONObject) -> Void) throws -> [UInt8] {
    var root = try JSON(parsing: try bytes()).object ?? [:]
    var open = root["open"]?.object ?? [:]
    change(&open)
    root["open"] = .object(open)
    return JSON.object(root).serialized()
  }
}
