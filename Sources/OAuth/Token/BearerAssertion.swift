package import Crypto
internal import Encoding

/// Another issuer's JWT as a grant (RFC 7521 section 4.1, RFC 7523 section 2.1). Only the server verifies it.
package struct BearerAssertion: Sendable {
  package static let maximumBytes = UnverifiedJWS.maximumByteCount

  let compact: SharedSecret
  private let audience: [String]
  /// `exp`, in unix seconds.
  private let expiresAt: Int
  /// `nbf`, in unix seconds.
  private let notBefore: Int?
  private let clientID: String?

  /// Throws `malformed` unless `compact` is a signed JWT without newline; `claim` for a missing or malformed claim of
  /// RFC 7523 section 3.
  package init(_ compact: SharedSecret) throws(AssertionProblem) {
    let claims = try compact.bytes.withBytes { (bytes) throws(AssertionProblem) in try Self.claims(bytes) }
    try Self.requireClaim("iss") { () throws(JOSEError) in try claims.issuer }
    try Self.requireClaim("sub") { () throws(JOSEError) in try claims.subject }
    audience = try Self.requireClaim("aud") { () throws(JOSEError) in try claims.audience }
    expiresAt = try Self.requireClaim("exp") { () throws(JOSEError) in try claims.expiresAt }
    do { notBefore = try claims.notBefore } catch { throw .claim("nbf") }
    clientID = try? claims.string("client_id")
    self.compact = compact
  }

  private static func claims(_ compact: Span<UInt8>) throws(AssertionProblem) -> JWTClaims {
    do throws(JOSEError) {
      return try JWTClaims(ofSigned: compact)
    } catch {
      throw error.code == .tooLong ? .tooLong : .malformed
    }
  }

  @discardableResult
  private static func requireClaim<Value>(
    _ name: String, _ read: () throws(JOSEError) -> Value?
  ) throws(AssertionProblem) -> Value {
    do throws(JOSEError) {
      if let value = try read() { return value }
    } catch {}
    throw .claim(name)
  }

  /// Checks the times, and that `aud` contains `expected` or the endpoint's URL (RFC 7523 section 3). `now` is in unix
  /// seconds.
  package func check(for expected: String, orFor endpoint: Endpoint? = nil, now: Int) throws(AssertionProblem) {
    do { try TokenClock(now: now).check(expiresAt: expiresAt, notBefore: notBefore) } catch {
      if case .expired = error { throw .expired(seconds: now - expiresAt) }
      throw .notYetValid(seconds: (notBefore ?? now) - now)
    }
    let accepted = [expected, endpoint?.text].compactMap(\.self)
    guard audience.contains(where: { text in accepted.contains { $0.hasSameBytes(as: text) } }) else {
      throw .wrongAudience(expected: expected)
    }
  }

  /// Checks the `client_id` (draft-ietf-oauth-identity-assertion-authz-grant-04).
  package func check(isFor client: String) throws(AssertionProblem) {
    guard let clientID, clientID.hasSameBytes(as: client) else { throw .wrongClient(expected: client) }
  }
}

/// Why an assertion was not sent. Contains no part of it.
package enum AssertionProblem: Error, Hashable, Sendable {
  /// Not a signed JWT in compact form.
  case malformed
  case tooLong
  /// A claim of RFC 7523 section 3 is missing or malformed.
  case claim(String)
  /// `exp` was this many seconds ago.
  case expired(seconds: Int)
  /// `nbf` is this many seconds in the future.
  case notYetValid(seconds: Int)
  case wrongAudience(expected: String)
  case wrongClient(expected: String)
  /// The platform's token service issued no assertion, with this HTTP status.
  case refused(status: Int)
}

extension AssertionAudience {
  /// The `aud` of an assertion sent to `endpoint` of this server.
  package func text(_ endpoint: Endpoint?, _ metadata: AuthorizationServerMetadata) -> String {
    switch self {
    case .issuer: metadata.issuer.text
    case .tokenEndpoint: metadata[.token]?.text ?? metadata.issuer.text
    case .endpoint: endpoint?.text ?? metadata.issuer.text
    case .named(let text): text
    }
  }
}
