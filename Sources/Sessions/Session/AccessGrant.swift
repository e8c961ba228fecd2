package import Crypto
package import Encoding
package import OAuth
package import Platform

/// An access token in memory. Its secrets are sealed until used.
package struct AccessGrant: Sendable {
  /// Empty once the token has expired.
  package private(set) var accessToken: SealedSecret
  /// `Bearer` or `DPoP`, spelled as in RFC 6750 and RFC 9449.
  package let tokenType: String
  /// The granted scope, or the requested one if the server sent none. Nil if neither is known.
  package let scope: String?
  /// Whether the server sent ``scope`` with this token (RFC 6749, section 5.1).
  package let isScopeFromServer: Bool
  /// Whether the server granted more scope than the refresh requested, contrary to RFC 6749 section 6.
  package let exceedsRequestedScope: Bool
  /// The `sub` of the verified ID Token.
  package let subject: String?
  /// The verified ID Token in compact form, possibly expired.
  package private(set) var idToken: SealedSecret?
  /// The time just before the request was sent (RFC 6749, section 5.1).
  package let issuedAt: Instant
  /// Nil if the server sent no lifetime: the token is then used until a resource rejects it.
  package let lifetimeSeconds: Int?
  /// The generation of the vault record written with the token.
  package private(set) var recordGeneration: UInt64
  /// The generation of the record that the refresh replaced, if any.
  package let replacedGeneration: UInt64?
  /// Nil for a Bearer token.
  package let dpopKey: DPoPKey?
  /// The protection level of the vault record.
  package private(set) var protection: Protection
  /// Whether another token can be obtained without the user.
  let isRenewable: Bool
  package let expiry: GrantExpiry
  private let issuedAtUnixSeconds: Int
  /// Seconds by which the machine's clock was set forward after ``issuedAt``. Negative if set back.
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

  /// - Parameters:
  ///   - requestedScope: The granted scope if the response names none (RFC 6749, section 5.1).
  ///   - namedScope: The scope named in the refresh request, if any.
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

  /// Whether the response grants scope values not in `named`.
  private static func exceedsScope(_ named: String?, _ response: TokenResponse) -> Bool {
    guard let named = named.flatMap({ try? Scope($0) }), let granted = response.scope else { return false }
    return !named.missing(of: granted).isEmpty
  }

  private func changed(_ change: (inout AccessGrant) -> Void) -> AccessGrant {
    var grant = self
    change(&grant)
    return grant
  }

  /// Updates the record's generation, and its protection level unless nil.
  func moved(to generation: UInt64, protection: Protection? = nil) -> AccessGrant {
    changed {
      $0.recordGeneration = generation
      if let protection { $0.protection = protection }
    }
  }

  func withoutAccessToken() -> AccessGrant { changed { $0.accessToken = .empty } }

  /// Shares the ID Token in memory with `other`, if it is the same.
  package func sharingIDToken(with other: AccessGrant) -> AccessGrant {
    guard let idToken, let known = other.idToken, idToken !== known, idToken.isSame(as: known) else { return self }
    return changed { $0.idToken = known }
  }

  /// Decrypts the access token. Keep it only while needed.
  package func openAccessToken() throws(SessionError) -> SharedSecret {
    do { return try accessToken.open() } catch { throw .memory }
  }

  /// Empty without a verified ID Token.
  package var claims: JSONObject {
    guard let idToken, let compact = try? idToken.open() else { return JSONObject() }
    return compact.bytes.withBytes { try? JWTClaims(ofVerified: $0).object } ?? JSONObject()
  }

  package func hasSameToken(as other: AccessGrant?) -> Bool { accessToken === other?.accessToken }

  // MARK: - Times

  /// Clock changes up to this many seconds are ignored.
  package static let clockTolerance = 2

  /// The start of the lifetime: before ``issuedAt`` if the clock has jumped forward, since the machine may have been
  /// suspended.
  package var lifetimeStart: Instant { issuedAt.advanced(by: .zero - .seconds(max(0, clockChange))) }

  /// Nil if the server sent no lifetime.
  package var expiresAt: Instant? { lifetimeSeconds.map { lifetimeStart.advanced(by: .seconds($0)) } }

  /// The expiry regardless of clock changes. Nil if the server sent no lifetime.
  var latestEnd: Instant? { lifetimeSeconds.map { issuedAt.advanced(by: .seconds($0)) } }

  /// When an unused session must be renewed to keep its refresh token from expiring, if known.
  var idleRenewalDue: Instant? {
    expiry.idleRenewalSeconds(after: issuedAtUnixSeconds).map { lifetimeStart.advanced(by: .seconds($0)) }
  }

  /// By the machine's current clock, in unix seconds.
  package var issuedAtByCurrentClock: Int { issuedAtUnixSeconds.saturatingSum(min(0, clockChange)) }

  /// By the machine's current clock. Nil if the server sent no lifetime.
  package var expiresAtUnixSeconds: Int? { lifetimeSeconds.map { issuedAtByCurrentClock.saturatingSum($0) } }

  /// In unix seconds.
  package var idTokenExpiry: Int? { claims["exp"]?.int }

  /// The seconds until the ID Token's `expiry`, from now and from the issue of the access token. `wallSeconds` is `now`
  /// in unix seconds.
  package func idTokenSeconds(
    until expiry: Int, wallSeconds: Int, now: Instant
  ) -> (left: Int, atIssue: Int) {
    let left = expiry.saturatingSum(0 - wallSeconds)
    return (left, left.saturatingSum(Int(issuedAt.duration(to: now).components.seconds)))
  }

  /// Whether the ID Token can be returned.
  package enum IDTokenUse: Sendable, Hashable {
    /// The ID Token is valid long enough, or the session has none.
    case sufficient
    /// The ID Token expires too soon, and a refresh may return a newer one.
    case refreshNeeded
    /// The ID Token expires too soon, but so would a new one.
    case notRefreshable
  }

  /// ID Tokens with a shorter remaining lifetime are refreshed.
  package static let shortestIDTokenSeconds = 60

  /// Whether the ID Token can be returned with `minimum` seconds left. Requests at most one refresh for each access
  /// token.
  package func idTokenUse(minimum: Int, wallSeconds: Int, now: Instant) -> IDTokenUse {
    guard let expiry = idTokenExpiry else { return .sufficient }
    let seconds = idTokenSeconds(until: expiry, wallSeconds: wallSeconds, now: now)
    if seconds.left >= minimum { return .sufficient }
    return seconds.atIssue >= minimum ? .refreshNeeded : .notRefreshable
  }

  /// Adjusts the times to the machine's clock, which shows `wallSeconds` (unix seconds) at `now`.
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
