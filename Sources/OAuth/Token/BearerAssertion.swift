package import Crypto
internal import JOSE
package import Vocabulary

/// A JWT that another issuer signed, and that stands for a grant (RFC 7521 section 4.1, RFC 7523 section 2.1).
///
/// Its signature is for the authorization server to verify. What would make the server refuse it and can be seen here
/// is found before it is sent, so that it does not go where it is not meant for.
package struct BearerAssertion: Sendable {
  /// The longest one, in bytes.
  package static let maximumBytes = UnverifiedJWS.maximumByteCount
  /// By how many seconds the clocks of its issuer, of the server and of this machine may differ (RFC 7523 section 3).
  package static let clockSkew = 60

  let compact: SharedSecret
  private let audience: [String]
  private let expiresAt: Int
  private let notBefore: Int?
  private let clientID: String?

  /// - Parameter compact: The token without a line end.
  /// - Throws: `malformed` for anything but a signed JWT; `claim` for one without the claims that RFC 7523 section 3
  ///   demands, or with one of a wrong type.
  package init(_ compact: SharedSecret) throws(AssertionProblem) {
    let claims = try compact.bytes.withBytes { (bytes) throws(AssertionProblem) in try Self.claims(bytes) }
    try Self.demand("iss") { () throws(JOSEError) in try claims.issuer }
    try Self.demand("sub") { () throws(JOSEError) in try claims.subject }
    audience = try Self.demand("aud") { () throws(JOSEError) in try claims.audience }
    expiresAt = try Self.demand("exp") { () throws(JOSEError) in try claims.expiresAt }
    do { notBefore = try claims.notBefore } catch { throw .claim("nbf") }
    clientID = try? claims.string("client_id")
    self.compact = compact
  }

  /// Signed by a key, or under a secret that its issuer shares with the server.
  private static func claims(_ compact: Span<UInt8>) throws(AssertionProblem) -> JWTClaims {
    do throws(JOSEError) {
      return try JWTClaims(ofSigned: compact)
    } catch {
      throw error.code == .tooLong ? .tooLong : .malformed
    }
  }

  @discardableResult
  private static func demand<Value>(
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
  ///   - expected: What `aud` must hold, byte for byte.
  ///   - endpoint: The URL of the token endpoint, if `aud` may hold that instead (RFC 7523 section 3).
  ///   - now: Unix seconds.
  package func check(for expected: String, orFor endpoint: Endpoint? = nil, now: Int) throws(AssertionProblem) {
    if expiresAt <= now - Self.clockSkew { throw .expired(seconds: now - expiresAt) }
    if let notBefore, notBefore > now + Self.clockSkew { throw .notYetValid(seconds: notBefore - now) }
    let accepted = [expected, endpoint?.text].compactMap(\.self)
    guard audience.contains(where: { text in accepted.contains { $0.utf8.elementsEqual(text.utf8) } }) else {
      throw .wrongAudience(expected: expected)
    }
  }
}

extension BearerAssertion {
  /// Checks that it is for this client, as one that was got by an ID Token says
  /// (draft-ietf-oauth-identity-assertion-authz-grant-04).
  package func check(isFor client: String) throws(AssertionProblem) {
    guard let clientID, clientID.utf8.elementsEqual(client.utf8) else { throw .wrongClient(expected: client) }
  }
}

/// Why an assertion is not sent. Nothing of the assertion itself is in it.
package enum AssertionProblem: Error, Hashable, Sendable {
  /// It is no signed JWT in compact form.
  case malformed
  /// It has more than ``BearerAssertion/maximumBytes``.
  case tooLong
  /// This claim, which RFC 7523 section 3 demands, is missing, or is not of its type.
  case claim(String)
  /// `exp` was so long ago.
  case expired(seconds: Int)
  /// `nbf` is so far ahead.
  case notYetValid(seconds: Int)
  /// `aud` does not hold this.
  case wrongAudience(expected: String)
  /// `client_id` is not this.
  case wrongClient(expected: String)
  /// The platform gave none, and answered with this HTTP status.
  case refused(status: Int)
}

extension AssertionAudience {
  /// The text that the `aud` of an assertion for this server holds.
  ///
  /// - Parameter endpoint: The one that the request goes to.
  package func text(_ endpoint: Endpoint?, _ metadata: AuthorizationServerMetadata) -> String {
    switch self {
    case .issuer: metadata.issuer.text
    case .tokenEndpoint: metadata.tokenEndpoint?.text ?? metadata.issuer.text
    case .endpoint: endpoint?.text ?? metadata.issuer.text
    case .named(let text): text
    }
  }
}
