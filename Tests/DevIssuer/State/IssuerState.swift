import Crypto
import Encoding
import Platform

/// The pending requests and issued tokens. Full tables drop the oldest entries.
struct IssuerState: Sendable {
  /// Authorization requests that wait for the user, and pushed ones.
  var waiting = BoundedTable<CodeRequest>(capacity: 1000)
  var pushed = BoundedTable<CodeRequest>(capacity: 1000)
  var sessions = BoundedTable<BrowserSession>(capacity: 1000)
  var codes = BoundedTable<IssuedCode>(capacity: 1000)
  /// By device code.
  var devices = BoundedTable<DeviceGrant>(capacity: 1000)
  var grants = BoundedTable<IssuerGrant>(capacity: 10_000)
  var access = BoundedTable<IssuedAccess>(capacity: 50_000)
  /// Wrong user codes entered.
  var guesses: (count: Int, since: Instant)?

  /// The access token and its grant while both are valid.
  func good(_ text: String, at now: Instant) -> (token: IssuedAccess, grant: IssuerGrant)? {
    guard let token = access[text], let grant = grants[token.grantKey], token.expiresAt > now else { return nil }
    return (token, grant)
  }
}

/// A dictionary of limited size that keeps the newest entries.
struct BoundedTable<Value: Sendable>: Sendable {
  private var entries: [String: Value] = [:]
  /// In the order of insertion, including removed keys.
  private(set) var order: [String] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Changing the value of an existing key keeps its age. Setting nil removes it.
  subscript(key: String) -> Value? {
    get { entries[key] }
    set {
      let isNew = entries[key] == nil && newValue != nil
      entries[key] = newValue
      if isNew { order.append(key) }
      if order.count > capacity { entries[order.removeFirst()] = nil }
    }
  }

  /// Adds a value with a new unguessable key.
  mutating func add(_ value: Value, keyLength: Int = 0) throws -> String {
    let random = try Seal.opaque()
    let key = random + String(repeating: "x", count: max(0, keyLength - random.utf8.count))
    self[key] = value
    return key
  }

  func first(where isWanted: (Value) -> Bool) -> (key: String, value: Value)? { entries.first { isWanted($0.value) } }

  mutating func removeAll(where isRemoved: (Value) -> Bool) { entries = entries.filter { !isRemoved($0.value) } }
}

extension BoundedTable where Value == Bool {
  /// False if the key was used before.
  mutating func use(_ key: String) -> Bool {
    defer { self[key] = true }
    return self[key] == nil
  }
}

/// A user's grant to a client, or a client's own. All its tokens end with it.
struct IssuerGrant: Sendable {
  let clientID: String
  /// Nil if there is no user (RFC 6749 section 4.4).
  var username: String?
  /// The subject of the assertion that it was issued for (RFC 7523 section 2.1).
  var assertedSubject: String?
  let scope: [String]
  /// When the user signed in, in unix seconds.
  var authTime: Int
  /// How the user signed in (OpenID Connect Core 1.0 section 2); nil if not requested.
  var acr: String?
  /// Allowed resources and audiences of tokens; if empty, any (RFC 8707 section 2.2).
  let targets: [String]
  /// The number of the current refresh token; earlier ones were replaced.
  var sequence = 0
  /// When the refresh token was last replaced.
  var rotatedAt: Instant?
  /// When the current refresh token expires; nil if the grant has none.
  var refreshTokenExpiresAt: Instant?
  /// The key that refresh tokens of a public client are bound to (RFC 9449 section 5).
  var dpopThumbprint: String?

  /// The user's identifier in tokens, or that of an assertion, or else the client's (RFC 9068 section 2.2).
  var subject: String { username.map(User.subject) ?? assertedSubject ?? clientID }
}

/// An access token.
struct IssuedAccess: Sendable {
  let grantKey: String
  /// The client that got it, which can differ from the grant's after an exchange.
  let clientID: String
  let scope: [String]
  /// Empty for everything that the issuer itself serves.
  let audience: [String]
  /// Unix seconds.
  let issuedAt: Int
  /// In seconds; nil if it does not expire.
  let lifetime: Int?
  let expiresAt: Instant
  /// The key that it is bound to (RFC 9449 section 6); nil for a Bearer token.
  let dpopThumbprint: String?
  /// The party that acts for the user (RFC 8693 section 4.1).
  var actor: String?

  var type: String { dpopThumbprint == nil ? "Bearer" : "DPoP" }
}

/// The users: any name is accepted.
enum User {
  /// The user who approves automatically.
  static let demo = "alice"
  /// How users can sign in, weaker first. Both are just a choice.
  static let contexts = ["basic", "strong"]
  /// Claims set by the issuer that options cannot override.
  static let protocolClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "nonce", "acr"]

  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-@".utf8.contains($0) }
  }

  /// The identifier in tokens, which differs from the user name.
  static func subject(_ name: String) -> String { "user-\(name)" }

  /// The standard claims (OpenID Connect Core 1.0 section 5.1).
  static func claims(_ name: String) -> JSONObject {
    [
      "name": .string(name.prefix(1).uppercased() + name.dropFirst() + " Example"), "preferred_username": .string(name),
      "email": .string(name.contains("@") ? name : name + "@example.com"), "email_verified": true,
    ]
  }
}
