import Crypto
import Encoding
import OAuth
import WireSupport
import Platform
import Sessions
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `An account's answers` {
  private static func make() throws -> Account {
    let account = Account(
      name: try AccountName("work"), configuration: AccountConfiguration(issuer: "https://as.example", clientID: "c"))
    account.ownSlot.session.applySignIn(try grant("first"), wallSeconds: 0, jitter: 0)
    return account
  }

  private static func grant(_ token: String) throws -> AccessGrant {
    let idToken = [#"{"alg":"ES256"}"#, #"{"sub":"alice"}"#, "signature"].map { Base64URL.encode(Array($0.utf8)) }
      .joined(separator: ".")
    return AccessGrant(
      accessToken: try secret(token), tokenType: "Bearer", scope: "openid",
      subject: "alice", idToken: SealedSecret(try secret(idToken)), issuedAt: Instant(nanoseconds: 0),
      issuedAtUnixSeconds: 0, lifetimeSeconds: 3600, recordGeneration: 1)
  }

  private static func secret(_ text: String) throws -> SharedSecret {
    let bytes = Array(text.utf8)
    return SharedSecret(try SecretBytes(copying: bytes.span))
  }

  private static func text(_ secret: SharedSecret) -> String {
    secret.bytes.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  /// The response line for the cached token.
  private static func line(_ account: Account, _ extras: TokenRequest.Extras = .init()) throws -> SharedSecret {
    try account.ownSlot.line(
      for: try #require(account.ownSlot.session.grant), account.ownSlot.addingVariableFields(extras))
  }

  private static let first =
    #"{"v":1,"result":{"account":"work","issuer":"https://as.example","subject":"alice","access_token":"first","#
    + #""token_type":"Bearer","scope":"openid","expires_at":3600}}"# + "\n"

  @Test func `are those of the cached token`() throws {
    let account = try Self.make()
    #expect(Self.text(try Self.line(account)) == Self.first)
    account.ownSlot.session.applySignIn(try Self.grant("second"), wallSeconds: 0, jitter: 0)
    #expect(Self.text(try Self.line(account)) == Self.first.replacing("first", with: "second"))
  }

  @Test func `hold the claims of the ID Token only if they are asked for`() throws {
    let account = try Self.make()
    let extra = try Self.line(account, TokenRequest.Extras(wantsClaims: true))
    #expect(Self.text(extra).contains(#""claims":{"sub":"alice"}"#))
    #expect(Self.text(try Self.line(account)) == Self.first)
  }

  @Test func `follow the settings`() throws {
    let account = try Self.make()
    account.configuration.issuer = "https://other.example"
    #expect(Self.text(try Self.line(account)).contains(#""issuer":"https://other.example""#))
  }

  /// An account with a token of `tokenBytes` for each target, used in this order.
  private static func make(targets: Int, tokenBytes: Int) throws -> Account {
    let account = try make()
    for number in 0..<targets {
      let other = account.slot(for: try TokenTarget(scope: ["scope-\(number)"], resources: [], audience: nil))
      other.session.applySignIn(
        try grant(String(repeating: "x", count: tokenBytes)), wallSeconds: 0, jitter: 0)
    }
    return account
  }

  @Test func `keep to the account's share of memory, and the least recently used target goes first`() throws {
    let account = try Self.make(targets: 32, tokenBytes: 64 << 10)
    let first = try #require(account.otherSlots.first?.target)
    _ = account.slot(for: first)
    account.enforceMemoryLimit()
    let bytes = account.slots.reduce(0) { $0 + ($1.session.grant?.accessToken.count ?? 0) }
    #expect(bytes <= Account.maximumBytes && bytes > Account.maximumBytes - 65 << 10)
    #expect(account.otherSlots.last?.target == first)
    #expect(account.ownSlot.session.grant?.accessToken.count == 5)
  }

  @Test func `have one slot for a target`() throws {
    let account = try Self.make(targets: 1, tokenBytes: 1)
    let slot = try #require(account.otherSlots.first)
    #expect(account.slot(for: slot.target) === slot)
    #expect(account.slot(for: nil) === account.ownSlot && account.otherSlots.count == 1)
  }

  @Test func `of targets that a request waits for are kept`() throws {
    let account = try Self.make(targets: 32, tokenBytes: 64 << 10)
    let awaited = try #require(account.otherSlots.first)
    awaited.waiters = [Waiter(ticket: .noRequest, need: TokenNeed()) { _, _ in }]
    account.enforceMemoryLimit()
    #expect(account.otherSlots.first === awaited && account.otherSlots.count < 32)
  }

  @Test func `have 32 other targets at most, and the least recently used that nobody waits for goes first`() throws {
    let account = try Self.make(targets: 32, tokenBytes: 1)
    let (awaited, idle) = (account.otherSlots[0], account.otherSlots[1])
    awaited.waiters = [Waiter(ticket: .noRequest, need: TokenNeed()) { _, _ in }]
    let another = account.slot(for: try TokenTarget(scope: ["another"], resources: [], audience: nil))
    #expect(
      account.otherSlots.count == 32 && account.otherSlots.first === awaited && account.otherSlots.last === another)
    #expect(!account.otherSlots.contains { $0 === idle })
  }

  @Test func `have the variables of the settings, with the claims and the ID Token that these need`() throws {
    let account = try Self.make()
    let extras = TokenRequest.Extras(wantsVariables: true)
    func members(_ variable: String) throws -> JSONObject {
      account.configuration.variables = [variable]
      let line = Array(Self.text(try Self.line(account, extras)).utf8)
      return try #require(JSON(parsing: line)["result"]?.object)
    }
    let plain = try members("TOKEN=access_token")
    #expect(plain["variables"] == ["TOKEN=access_token"] && plain["claims"] == nil && plain["id_token"] == nil)
    let ofClaim = try members("WHO=claim:sub")
    #expect(ofClaim["claims"] == ["sub": "alice"] && ofClaim["id_token"] == nil)
    let ofIDToken = try members("ID=id_token")
    #expect(ofIDToken["claims"] == nil && ofIDToken["id_token"] != nil)
    let usual = Self.text(try Self.line(account))
    #expect(!usual.contains("variables"))
  }

  @Test func `with other targets are dropped, and their requests end once they have spent what they spend`() throws {
    let account = try Self.make(targets: 2, tokenBytes: 10)
    var runs: [RefreshRun] = []
    for other in account.otherSlots {
      other.waiters = [Waiter(ticket: .noRequest, need: TokenNeed()) { _, _ in }]
      guard case .wait(let start?) = other.session.request(TokenNeed(forceRefresh: true), account: "work", now: .now)
      else { return #expect(Bool(false), "no refresh begins") }
      runs.append(other.begin(start, nil))
    }
    runs[1].cancellation.beginSpending()
    #expect(account.takeWaiters().count == 2 && account.otherSlots.isEmpty)
    #expect(runs.map(\.cancellation.isCancelled) == [true, false])
  }
}

@Suite struct `Questions to the server about a session` {
  // The requests contain the session's secrets.
  @Test func `end with it, and the next session has its own`() throws {
    let account = Account(
      name: try AccountName("work"), configuration: AccountConfiguration(issuer: "https://as.example", clientID: "c"))
    let earlier = account.questionCancellation
    account.cancelQuestions()
    #expect(earlier.isCancelled && !account.questionCancellation.isCancelled)
  }
}

@Suite struct `An account without a token` {
  @Test func `keeps the state that its record told while the record is locked`() throws {
    let configuration = AccountConfiguration(issuer: "https://as.example", clientID: "c")
    let account = Account(name: try AccountName("work"), configuration: configuration)
    var summary = AccountSummary(name: account.name, configuration: configuration, isActive: true)
    summary.isSignedIn = true
    account.applySummary(summary)
    #expect(account.ownSlot.session.state(now: .now) == .stale)
    summary.isSignedIn = false
    summary.problem = .vault(VaultError(.locked(.passphrase)))
    account.applySummary(summary)
    #expect(account.ownSlot.session.state(now: .now) == .stale)
    summary.problem = nil
    account.applySummary(summary)
    #expect(account.ownSlot.session.state(now: .now) == .signedOut)
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
