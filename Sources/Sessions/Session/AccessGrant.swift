package import Crypto
package import Encoding
internal import JOSE
package import OAuth
package import Platform
internal import Vault
package import Vocabulary

/// An access token in memory with all that is known about it. The tokens are sealed until they are used.
package final class AccessGrant: Sendable {
  /// Empty once the token has expired.
  package let accessToken: SealedSecret
  /// `Bearer` or `DPoP`, in the spelling of RFC 6750 and RFC 9449.
  package let tokenType: String
  /// The granted scope, as text; nil when the server named none.
  package let scope: String?
  /// Whether the server itself named ``scope`` with this token; else it is what was asked for (RFC 6749, section 5.1).
  package let isScopeNamed: Bool
  /// The verified ID Token's `sub`.
  package let subject: String?
  /// The verified ID Token in compact form; nil when there was none. It may be past its own `exp`.
  package let idToken: SealedSecret?
  /// Taken just before the request was sent (RFC 6749, section 5.1).
  package let issuedAt: Instant
  /// Seconds; nil when the server named none, which means: until a resource refuses it.
  package let lifetimeSeconds: Int?
  /// The vault record that the token came with.
  package let recordGeneration: UInt64
  /// The record that the refresh for it replaced; nil when there was none.
  package let replacedGeneration: UInt64?
  /// The key that the token is bound to; nil for a Bearer token.
  package let dpopKey: DPoPKey?
  /// The level that the record was at.
  package let protection: Protection
  /// Whether another token can be got without a person: false for one that is the session itself.
  let isRenewable: Bool
  /// When the session ends without a sign-in, as the record says it.
  package let expiry: GrantExpiry
  /// The machine's clock when the token was issued, in unix seconds.
  private let issuedAtUnixSeconds: Int
  /// How many seconds the machine's clock is further on than the time that has passed since; negative if it was set
  /// back.
  private let clockChange: Int

  package init(
    accessToken: SharedSecret, tokenType: String, scope: String?, isScopeNamed: Bool = false, subject: String?,
    idToken: SealedSecret? = nil,
    issuedAt: Instant, issuedAtUnixSeconds: Int, lifetimeSeconds: Int?, recordGeneration: UInt64,
    replacedGeneration: UInt64? = nil, dpopKey: DPoPKey? = nil, protection: Protection = .device,
    isRenewable: Bool = true, expiry: GrantExpiry = GrantExpiry()
  ) {
    self.accessToken = SealedSecret(accessToken)
    self.tokenType = tokenType
    self.scope = scope
    self.isScopeNamed = isScopeNamed
    self.subject = subject
    self.idToken = idToken
    self.issuedAt = issuedAt
    self.issuedAtUnixSeconds = issuedAtUnixSeconds
    self.lifetimeSeconds = lifetimeSeconds
    self.recordGeneration = recordGeneration
    self.replacedGeneration = replacedGeneration
    self.dpopKey = dpopKey
    self.protection = protection
    self.isRenewable = isRenewable
    self.expiry = expiry
    clockChange = 0
  }

  /// The grant that a token endpoint's answer is.
  ///
  /// - Parameter askedScope: The scope of the request, which is granted if the answer names none (RFC 6749, section 5.1).
  convenience init(
    _ response: TokenResponse, askedScope: String?, subject: String?, idToken: SealedSecret? = nil, issuedAt: Instant,
    issuedAtUnixSeconds: Int, recordGeneration: UInt64, replacedGeneration: UInt64? = nil, dpopKey: DPoPKey?,
    protection: Protection, expiry: GrantExpiry = GrantExpiry()
  ) {
    self.init(
      accessToken: response.accessToken, tokenType: response.tokenType, scope: response.scope?.text ?? askedScope,
      isScopeNamed: response.scope != nil, subject: subject, idToken: idToken, issuedAt: issuedAt,
      issuedAtUnixSeconds: issuedAtUnixSeconds, lifetimeSeconds: response.expiresIn,
      recordGeneration: recordGeneration, replacedGeneration: replacedGeneration, dpopKey: dpopKey,
      protection: protection, expiry: expiry)
  }

  private init(
    _ other: AccessGrant, accessToken: SealedSecret? = nil, idToken: SealedSecret? = nil,
    recordGeneration: UInt64? = nil, protection: Protection? = nil, clockChange: Int? = nil
  ) {
    self.accessToken = accessToken ?? other.accessToken
    tokenType = other.tokenType
    scope = other.scope
    isScopeNamed = other.isScopeNamed
    subject = other.subject
    self.idToken = idToken ?? other.idToken
    issuedAt = other.issuedAt
    issuedAtUnixSeconds = other.issuedAtUnixSeconds
    lifetimeSeconds = other.lifetimeSeconds
    self.recordGeneration = recordGeneration ?? other.recordGeneration
    replacedGeneration = other.replacedGeneration
    dpopKey = other.dpopKey
    self.protection = protection ?? other.protection
    isRenewable = other.isRenewable
    expiry = other.expiry
    self.clockChange = clockChange ?? other.clockChange
  }

  /// The same grant after its record was written again.
  func moved(to generation: UInt64, protection: Protection? = nil) -> AccessGrant {
    AccessGrant(self, recordGeneration: generation, protection: protection)
  }

  /// The same grant without the access token, which is of no more use.
  func spent() -> AccessGrant { AccessGrant(self, accessToken: .empty) }

  /// This grant with the ID Token of `other`, if it is the same one.
  package func sharingIDToken(with other: AccessGrant) -> AccessGrant {
    guard let idToken, let known = other.idToken, idToken !== known, idToken.isSame(as: known) else { return self }
    return AccessGrant(self, idToken: known)
  }

  /// The access token, for as long as it is needed.
  package func openAccessToken() throws(SessionError) -> SharedSecret {
    do { return try accessToken.open() } catch { throw .memory }
  }

  /// The claims of the verified ID Token; empty when there was none.
  package var claims: JSONObject {
    guard let idToken, let compact = try? idToken.open() else { return JSONObject() }
    return compact.bytes.withBytes { try? JWTClaims(ofVerified: $0).object } ?? JSONObject()
  }
}

// MARK: - Times

extension AccessGrant {
  /// A difference between two clocks that counts as a change of one of them, in seconds.
  package static let clockTolerance = 2

  /// The moment from which the token's age counts. When the machine's clock has jumped forward, the machine may have
  /// stood still for that long, as a virtual machine does that is paused, so the token counts as that much older.
  package var countedFrom: Instant { issuedAt.advanced(by: .zero - .seconds(max(0, clockChange))) }

  /// Nil when the server named no lifetime.
  package var expiresAt: Instant? { lifetimeSeconds.map { countedFrom.advanced(by: .seconds($0)) } }

  /// The latest end, which no setting of the machine's clock changes; nil when the server named no lifetime.
  var latestEnd: Instant? { lifetimeSeconds.map { issuedAt.advanced(by: .seconds($0)) } }

  /// By the machine's clock as it is set now, in unix seconds.
  package var issuedByClock: Int { issuedAtUnixSeconds.saturatingSum(min(0, clockChange)) }

  /// By the machine's clock as it is set now, in unix seconds; nil when the server named no lifetime.
  package var expiresAtUnixSeconds: Int? { lifetimeSeconds.map { issuedByClock.saturatingSum($0) } }

  /// When the ID Token expires, in unix seconds; nil when there is none.
  package var idTokenExpiry: Int? { claims["exp"]?.int }

  /// For how many seconds more the ID Token is good, and for how many it was when the access token came.
  ///
  /// - Parameter expiry: ``idTokenExpiry``.
  package func idTokenSeconds(
    until expiry: Int, wallSeconds: Int, now: Instant
  ) -> (left: Int, atIssue: Int) {
    let left = expiry.saturatingSum(0 - wallSeconds)
    return (left, left.saturatingSum(Int(issuedAt.duration(to: now).components.seconds)))
  }

  /// Whether an ID Token can be handed out.
  package enum IDTokenUse: Sendable, Hashable {
    /// It is good for as long as wanted, or there is none.
    case good
    /// A refresh may bring one with more time left.
    case due
    /// A refresh brings no other: it had as little time left when the access token came.
    case spent
  }

  /// An ID Token with less time left is renewed before it is handed out, unless a caller names another time.
  package static let shortestIDTokenSeconds = 60

  /// Judges the ID Token. An access token has at most one refresh because of it.
  ///
  /// - Parameter minimum: The seconds for which it must be good.
  package func idTokenUse(minimum: Int, wallSeconds: Int, now: Instant) -> IDTokenUse {
    guard let expiry = idTokenExpiry else { return .good }
    let seconds = idTokenSeconds(until: expiry, wallSeconds: wallSeconds, now: now)
    if seconds.left >= minimum { return .good }
    return seconds.atIssue >= minimum ? .due : .spent
  }

  /// The same grant, if the machine's clock was set since it was issued. One whose access token is gone stays expired.
  package func at(wallSeconds: Int, _ now: Instant) -> AccessGrant {
    guard accessToken.count > 0 else { return self }
    let passed = Int(issuedAt.duration(to: now).components.seconds)
    let change = wallSeconds.saturatingSum(0 - passed).saturatingSum(0 - issuedAtUnixSeconds)
    guard abs(change - clockChange) > Self.clockTolerance else { return self }
    return AccessGrant(self, clockChange: change)
  }

  /// The remaining lifetime; nil when it is unknown.
  package func remaining(at now: Instant) -> Duration? {
    expiresAt.map { now.duration(to: $0) }
  }

  package func isAlive(at now: Instant) -> Bool {
    remaining(at: now).map { $0 > .zero } ?? true
  }
}

extension Int {
  fileprivate func saturatingSum(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
