package import Crypto
internal import Encoding

/// A JWT that another issuer signed, used as a grant (RFC 7521 section 4.1, RFC 7523 section 2.1). Only the server
/// verifies its signature. The client checks that it is for this server.
package struct BearerAssertion: Sendable {
  package static let maximumBytes = UnverifiedJWS.maximumByteCount

  let compact: SharedSecret
  private let audience: [String]
  /// The `exp` claim, in unix seconds.
  private let expiresAt: Int
  /// The `nbf` claim, in unix seconds.
  private let notBefore: Int?
  private let clientID: String?

  /// - Parameter compact: Without a trailing newline.
  /// - Throws: `malformed` unless it is a signed JWT; `claim` if a claim required by RFC 7523 section 3 is missing or
  ///   has the wrong type.
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

  /// The claims of a token with a signature, or a MAC by a secret of issuer and server.
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

  /// Checks the times and the audience.
  ///
  /// - Parameters:
  ///   - expected: The required `aud`, compared byte by byte.
  ///   - endpoint: A token endpoint that is also accepted as `aud` (RFC 7523 section 3).
  ///   - now: The current time, in unix seconds.
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

  /// Checks that `client_id` is this client (draft-ietf-oauth-identity-assertion-authz-grant-04).
  package func check(isFor client: String) throws(AssertionProblem) {
    guard let clientID, clientID.hasSameBytes(as: client) else { throw .wrongClient(expected: client) }
  }
}

/// Why an assertion is not sent. Contains no part of it.
package enum AssertionProblem: Error, Hashable, Sendable {
  /// Not a signed JWT in compact form.
  case malformed
  /// The assertion is longer than ``BearerAssertion/maximumBytes``.
  case tooLong
  /// A claim required by RFC 7523 section 3 is missing or has the wrong type.
  case claim(String)
  /// `exp` was this long ago.
  case expired(seconds: Int)
  /// `nbf` is this far in the future.
  case notYetValid(seconds: Int)
  /// `aud` does not contain the expected value.
  case wrongAudience(expected: String)
  /// `client_id` is not the expected one.
  case wrongClient(expected: String)
  /// The platform's token service issued no assertion, with this HTTP status.
  case refused(status: Int)
}

extension AssertionAudience {
  /// The `aud` of an assertion for this server.
  ///
  /// - Parameter endpoint: The endpoint of the request.
  package func text(_ endpoint: Endpoint?, _ metadata: AuthorizationServerMetadata) -> String {
    switch self {
    case .issuer: metadata.issuer.text
    case .tokenEndpoint: metadata.tokenEndpoint?.text ?? metadata.issuer.text
    case .endpoint: endpoint?.text ?? metadata.issuer.text
    case .named(let text): text
    }
  }
}
