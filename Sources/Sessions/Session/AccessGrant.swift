package import Crypto
package import Encoding
package import OAuth
package import Platform
internal import Vault
package import Vocabulary

/// An access token in memory with all that is known about it.
package final class AccessGrant: Sendable {
  package let accessToken: SharedSecret
  /// `Bearer` or `DPoP`, in the spelling of RFC 6750 and RFC 9449.
  package let tokenType: String
  /// The granted scope, as text; nil when the server named none.
  package let scope: String?
  /// The verified ID Token's `sub`.
  package let subject: String?
  /// The verified ID Token's claims; empty when there was none.
  package let claims: JSONObject
  /// The verified ID Token in compact form; nil when there was none. It may be past its own `exp`.
  package let idToken: SharedSecret?
  /// Taken just before the request was sent (RFC 6749, section 5.1).
  package let issuedAt: Instant
  /// Seconds; nil when the server named none, which means: until a resource refuses it.
  package let lifetimeSeconds: Int?
  /// Nil when the server named no lifetime.
  package let expiresAt: Instant?
  /// The vault record that the token came with.
  package let recordGeneration: UInt64
  /// The record that the refresh for it replaced; nil when there was none.
  package let replacedGeneration: UInt64?
  /// The key that the token is bound to; nil for a Bearer token.
  package let dpopKey: DPoPKey?
  /// The level that the record was at.
  package let protection: Protection
  /// Unix seconds, for people; the daemon itself goes by ``issuedAt``, which counts suspended time.
  package let expiresAtUnixSeconds: Int?

  package init(
    accessToken: SharedSecret, tokenType: String, scope: String?, subject: String?, claims: JSONObject,
    idToken: SharedSecret? = nil, issuedAt: Instant, issuedAtUnixSeconds: Int, lifetimeSeconds: Int?,
    recordGeneration: UInt64, replacedGeneration: UInt64? = nil, dpopKey: DPoPKey? = nil,
    protection: Protection = .device
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.scope = scope
    self.subject = subject
    self.claims = claims
    self.idToken = idToken
    self.issuedAt = issuedAt
    self.lifetimeSeconds = lifetimeSeconds
    self.recordGeneration = recordGeneration
    self.replacedGeneration = replacedGeneration
    self.dpopKey = dpopKey
    self.protection = protection
    expiresAt = lifetimeSeconds.map { issuedAt.advanced(by: .seconds($0)) }
    expiresAtUnixSeconds = lifetimeSeconds.map { issuedAtUnixSeconds + $0 }
  }

  private init(_ other: AccessGrant, recordGeneration: UInt64, protection: Protection, expiresAtUnixSeconds: Int?) {
    accessToken = other.accessToken
    tokenType = other.tokenType
    scope = other.scope
    subject = other.subject
    claims = other.claims
    idToken = other.idToken
    issuedAt = other.issuedAt
    lifetimeSeconds = other.lifetimeSeconds
    expiresAt = other.expiresAt
    self.expiresAtUnixSeconds = expiresAtUnixSeconds
    dpopKey = other.dpopKey
    self.recordGeneration = recordGeneration
    self.protection = protection
    replacedGeneration = other.replacedGeneration
  }

  /// The same grant after its record was written again.
  func moved(to generation: UInt64, protection: Protection? = nil) -> AccessGrant {
    AccessGrant(
      self, recordGeneration: generation, protection: protection ?? self.protection,
      expiresAtUnixSeconds: expiresAtUnixSeconds)
  }

  /// The same grant after the machine's clock was set forward by so much, or back.
  func renamed(by seconds: Int) -> AccessGrant {
    AccessGrant(
      self, recordGeneration: recordGeneration, protection: protection,
      expiresAtUnixSeconds: expiresAtUnixSeconds.map {
        let (sum, overflow) = $0.addingReportingOverflow(seconds)
        return overflow ? $0 : sum
      })
  }

  /// This grant with the identity of `other`, where it has none of its own and replaces the record that
  /// `other` is good for.
  ///
  /// A refresh for another target may have written the record while this one waited for its turn.
  package func keepingIdentity(of other: AccessGrant?) -> AccessGrant {
    guard let other, idToken == nil, claims.isEmpty, other.recordGeneration == replacedGeneration else { return self }
    return AccessGrant(
      accessToken: accessToken, tokenType: tokenType, scope: scope, subject: subject ?? other.subject,
      claims: other.claims, idToken: other.idToken, issuedAt: issuedAt,
      issuedAtUnixSeconds: (expiresAtUnixSeconds ?? 0) - (lifetimeSeconds ?? 0), lifetimeSeconds: lifetimeSeconds,
      recordGeneration: recordGeneration, replacedGeneration: replacedGeneration, dpopKey: dpopKey,
      protection: protection)
  }

  /// The remaining lifetime; nil when it is unknown.
  package func remaining(at now: Instant) -> Duration? {
    expiresAt.map { now.duration(to: $0) }
  }

  package func isAlive(at now: Instant) -> Bool {
    remaining(at: now).map { $0 > .zero } ?? true
  }
}
