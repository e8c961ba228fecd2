package import Crypto
package import Encoding
package import OAuth
package import Platform

/// An access token in memory. Its secrets are sealed until used.
package struct AccessGrant: Sendable {
  /// Empty once wiped.
  package private(set) var accessToken: SealedSecret
  /// `Bearer` or `DPoP`.
  package let tokenType: String
  /// The granted scope, else the requested one. Nil if unknown.
  package let scope: String?
  /// Whether the server sent ``scope`` (RFC 6749, section 5.1).
  package let isScopeFromServer: Bool
  /// Whether the server granted more than requested, contrary to RFC 6749 section 6.
  package let exceedsRequestedScope: Bool
  /// The `sub` of the verified ID Token.
  package let subject: String?
  /// Verified, in compact form, possibly expired.
  package private(set) var idToken: SealedSecret?
  /// Just before the request was sent (RFC 6749, section 5.1).
  package let issuedAt: Instant
  /// Nil if the server sent none: the token is then used until rejected.
  package let lifetimeSeconds: Int?
  /// The generation of the token's vault record.
  package private(set) var recordGeneration: UInt64
  /// The record generation that the refresh replaced, if any.
  package let replacedGeneration: UInt64?
  package let dpopKey: DPoPKey?
  package private(set) var protection: Protection
  let isRenewable: Bool
  package let expiry: GrantExpiry
  private let issuedAtUnixSeconds: Int
  /// Seconds that the clock was set forward since ``issuedAt``; negative if back.
  private var clockChange = 0

  package init(
    accessToken: SharedSecret, tokenType: String, scope: String?, isScopeFromServer: Bool = false,
    exceedsRequestedScope: Bool = false, subject: String?, idToken: SealedSecret? = nil,
    issuedAt: Instant, issuedAtUnixSeconds: Int, lifetimeSeconds: Int?, recordGeneration: UInt64,
    replacedGeneration: UInt64? = nil, dpopKey: DPoPKey? = nil, protection: Protection = .device,
    isRenewable: Bool = true, expiry: GrantExpiry = GrantExpiry()
  ) {
    self.accessToken = SealedSecret(accessToken)
    self.tokenType = tokenType
    self.scope = scope
    self.isScopeFromServer = isScopeFromServer
    self.exceedsRequestedScope = exceedsRequestedScope
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
  }

  /// `requestedScope` is the granted scope if the response names none (RFC 6749, section 5.1). `namedScope` is that of
  /// the refresh request, if any.
  init(
    _ response: TokenResponse, requestedScope: String?, namedScope: String? = nil, subject: String?,
    idToken: SealedSecret? = nil, issuedAt: Instant,
    issuedAtUnixSeconds: Int, recordGeneration: UInt64, replacedGeneration: UInt64? = nil, dpopKey: DPoPKey?,
    protection: Protection, expiry: GrantExpiry = GrantExpiry()
  ) {
    self.init(
      accessToken: response.accessToken, tokenType: response.tokenType, scope: response.scope?.text ?? requestedScope,
      isScopeFromServer: response.scope != nil, exceedsRequestedScope: Self.exceedsScope(namedScope, response),
      subject: subject,
      idToken: idToken, issuedAt: issuedAt,
      issuedAtUnixSeconds: issuedAtUnixSeconds, lifetimeSeconds: response.expiresIn,
      recordGeneration: recordGeneration, replacedGeneration: replacedGeneration, dpopKey: dpopKey,
      protection: protection, expiry: expiry)
  }

  private static func exceedsScope(_ named: String?, _ response: TokenResponse) -> Bool {
    guard let named = named.flatMap({ try? Scope($0) }), let granted = response.scope else { return false }
    return !named.missing(of: granted).isEmpty
  }

  private func changed(_ change: (inout AccessGrant) -> Void) -> AccessGrant {
    var grant = self
    change(&grant)
    return grant
  }

  /// A copy with the record's new generation, and protection unless nil.
  func moved(to generation: UInt64, protection: Protection? = nil) -> AccessGrant {
    changed {
      $0.recordGeneration = generation
      if let protection { $0.protection = protection }
    }
  }

  func withoutAccessToken() -> AccessGrant { changed { $0.accessToken = .empty } }

  /// Shares the ID Token's memory with `other`, if equal.
  package func sharingIDToken(with other: AccessGrant) -> AccessGrant {
    guard let idToken, let known = other.idToken, idToken !== known, idToken.isSame(as: known) else { return self }
    return changed { $0.idToken = known }
  }

  /// Decrypts the access token. Keep it only while needed.
  package func openAccessToken() throws(SessionError) -> SharedSecret {
    do { return try accessToken.open() } catch { throw .memory }
  }

  /// The ID Token's claims, or empty without one.
  package var claims: JSONObject {
    guard let idToken, let compact = try? idToken.open() else { return JSONObject() }
    return compact.bytes.withBytes { try? JWTClaims(ofVerified: $0).object } ?? JSONObject()
  }

  package func hasSameToken(as other: AccessGrant?) -> Bool { accessToken === other?.accessToken }

  // MARK: - Times

  /// Smaller clock changes, in seconds, are ignored.
  package static let clockTolerance = 2

  /// ``issuedAt``, or earlier if the clock jumped forward, as after a suspend.
  package var lifetimeStart: Instant { issuedAt.advanced(by: .zero - .seconds(max(0, clockChange))) }

  package var expiresAt: Instant? { lifetimeSeconds.map { lifetimeStart.advanced(by: .seconds($0)) } }

  /// The expiry regardless of clock changes.
  var latestEnd: Instant? { lifetimeSeconds.map { issuedAt.advanced(by: .seconds($0)) } }

  /// When to renew an unused session to keep its refresh token, if known.
  var idleRenewalDue: Instant? {
    expiry.idleRenewalSeconds(after: issuedAtUnixSeconds).map { lifetimeStart.advanced(by: .seconds($0)) }
  }

  /// In unix seconds.
  package var issuedAtByCurrentClock: Int { issuedAtUnixSeconds.saturatingSum(min(0, clockChange)) }

  package var expiresAtUnixSeconds: Int? { lifetimeSeconds.map { issuedAtByCurrentClock.saturatingSum($0) } }

  /// In unix seconds.
  package var idTokenExpiry: Int? { claims["exp"]?.int }

  /// Seconds until `expiry`, from now and from the access token's issue. `wallSeconds`: `now` in unix seconds.
  package func idTokenSeconds(
    until expiry: Int, wallSeconds: Int, now: Instant
  ) -> (left: Int, atIssue: Int) {
    let left = expiry.saturatingSum(0 - wallSeconds)
    return (left, left.saturatingSum(Int(issuedAt.duration(to: now).components.seconds)))
  }

  /// Whether the ID Token can be returned.
  package enum IDTokenUse: Sendable, Hashable {
    /// Valid long enough, or the session has no ID Token.
    case sufficient
    /// Expires too soon, and a refresh may return a newer one.
    case refreshNeeded
    /// Expires too soon, but so would a new one.
    case notRefreshable
  }

  /// ID Tokens with less remaining lifetime are refreshed.
  package static let shortestIDTokenSeconds = 60

  /// Whether the ID Token has `minimum` seconds left. Requests at most one refresh per access token.
  package func idTokenUse(minimum: Int, wallSeconds: Int, now: Instant) -> IDTokenUse {
    guard let expiry = idTokenExpiry else { return .sufficient }
    let seconds = idTokenSeconds(until: expiry, wallSeconds: wallSeconds, now: now)
    if seconds.left >= minimum { return .sufficient }
    return seconds.atIssue >= minimum ? .refreshNeeded : .notRefreshable
  }

  /// Adjusts the times to a clock set to `wallSeconds` (unix seconds) at `now`.
  package func adjustedToClock(wallSeconds: Int, _ now: Instant) -> AccessGrant {
    guard accessToken.count > 0 else { return self }
    let passed = Int(issuedAt.duration(to: now).components.seconds)
    let change = wallSeconds.saturatingSum(0 - passed).saturatingSum(0 - issuedAtUnixSeconds)
    guard abs(change - clockChange) > Self.clockTolerance else { return self }
    return changed { $0.clockChange = change }
  }

  /// Nil if the server sent no lifetime.
  package func remaining(at now: Instant) -> Duration? {
    expiresAt.map { now.duration(to: $0) }
  }

  /// True if the server sent no lifetime.
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
