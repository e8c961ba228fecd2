import Crypto
import Encoding
import Platform

/// The pending requests and issued tokens. A full table drops its oldest entries.
struct IssuerState: Sendable {
  /// Authorization requests that wait for the user.
  var waiting = BoundedTable<CodeRequest>(capacity: 1000)
  var pushed = BoundedTable<CodeRequest>(capacity: 1000)
  var sessions = BoundedTable<BrowserSession>(capacity: 1000)
  var codes = BoundedTable<IssuedCode>(capacity: 1000)
  /// By device code.
  var devices = BoundedTable<DeviceGrant>(capacity: 1000)
  var grants = BoundedTable<IssuerGrant>(capacity: 10_000)
  var access = BoundedTable<IssuedAccess>(capacity: 50_000)
  /// The number of wrong user codes, since this time.
  var guesses: (count: Int, since: Instant)?

  /// The access token and its grant, if both are valid.
  func good(_ text: String, at now: Instant) -> (token: IssuedAccess, grant: IssuerGrant)? {
    guard let token = access[text], let grant = grants[token.grantKey], token.expiresAt > now else { return nil }
    return (token, grant)
  }
}

/// A dictionary of limited size that keeps the newest entries.
struct BoundedTable<Value: Sendable>: Sendable {
  private var entries: [String: Value] = [:]
  /// The keys in the order of insertion, including removed ones.
  private(set) var order: [String] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Changing a value does not make it newer. Setting nil removes it.
  subscript(key: String) -> Value? {
    get { entries[key] }
    set {
      let isNew = entries[key] == nil && newValue != nil
      entries[key] = newValue
      if isNew { order.append(key) }
      if order.count > capacity { entries[order.removeFirst()] = nil }
    }
  }

  /// Adds a value under a new unguessable key, which is returned.
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
  /// Marks the key as used. Returns false if it was used before.
  mutating func use(_ key: String) -> Bool {
    defer { self[key] = true }
    return self[key] == nil
  }
}

/// A user's grant to a client, or a client's own. Its tokens end with it.
struct IssuerGrant: Sendable {
  let clientID: String
  /// Nil if there is no user (RFC 6749 section 4.4).
  var username: String?
  /// The subject of the assertion for which the grant was issued, if any (RFC 7523 section 2.1).
  var assertedSubject: String?
  let scope: [String]
  /// In unix seconds.
  var authTime: Int
  /// The strength of the sign-in (OpenID Connect Core section 2); nil if not requested.
  var acr: String?
  /// The allowed resources and audiences of tokens; if empty, any (RFC 8707 section 2.2).
  let targets: [String]
  /// The number of the current refresh token. Replaced ones have lower numbers.
  var sequence = 0
  var rotatedAt: Instant?
  /// The expiry of the current refresh token, if the grant has one.
  var refreshTokenExpiresAt: Instant?
  /// The key to which a public client's refresh tokens are bound (RFC 9449 section 5).
  var dpopThumbprint: String?

  /// The `sub` of tokens: the user's identifier, else an assertion's, else the client's (RFC 9068 section 2.2).
  var subject: String { username.map(User.subject) ?? assertedSubject ?? clientID }
}

struct IssuedAccess: Sendable {
  let grantKey: String
  /// The client that got the token. After an exchange, it may differ from the grant's.
  let clientID: String
  let scope: [String]
  /// Empty for all resources of the issuer itself.
  let audience: [String]
  /// In unix seconds.
  let issuedAt: Int
  /// In seconds; nil if unlimited.
  let lifetime: Int?
  let expiresAt: Instant
  /// The key to which the token is bound (RFC 9449 section 6); nil for a Bearer token.
  let dpopThumbprint: String?
  /// The client that acts for the user (RFC 8693 section 4.1).
  var actor: String?

  var type: String { dpopThumbprint == nil ? "Bearer" : "DPoP" }
}

/// The users. Any name is accepted.
enum User {
  /// The user who approves automatically.
  static let demo = "alice"
  /// The strengths of sign-ins, weaker first. Users only select one.
  static let contexts = ["basic", "strong"]
  /// The claims that options cannot override.
  static let protocolClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "nonce", "acr"]

  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-@".utf8.contains($0) }
  }

  /// The user's identifier in tokens, which differs from the name.
  static func subject(_ name: String) -> String { "user-\(name)" }

  /// The standard claims (OpenID Connect Core section 5.1).
  static func claims(_ name: String) -> JSONObject {
    [
      "name": .string(name.prefix(1).uppercased() + name.dropFirst() + " Example"), "preferred_username": .string(name),
      "email": .string(name.contains("@") ? name : name + "@example.com"), "email_verified": true,
    ]
  }
}
