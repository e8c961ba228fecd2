import Encoding
import JOSE

/// A JWT by which a client shows that it has its private key (RFC 7523 sections 2.2 and 3,
/// `private_key_jwt` of OpenID Connect Core 1.0 section 9).
struct ClientAssertion: Sendable {
  /// What is kept of one, so that it is good once (RFC 7523 section 3, item 7).
  struct Use: Sendable, Hashable {
    private let clientID: [UInt8]
    private let jti: [UInt8]

    fileprivate init(clientID: String, jti: String) {
      self.clientID = Array(clientID.utf8)
      self.jti = Array(jti.utf8)
    }
  }

  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  static let algorithms: [JWSAlgorithm] = [.ES256, .RS256, .PS256, .EdDSA, .Ed25519]
  /// One that lives longer is refused, in seconds.
  private static let lifetimeLimit = 3600
  /// How much the client's clock may be ahead, in seconds.
  private static let leeway = 60

  /// Whose it says it is; nothing shows it yet.
  let clientID: String
  private let token: UnverifiedJWS

  /// - Throws: `invalid_client` for what is no JWT about a client.
  init(_ text: String) throws(OAuthFailure) {
    let bytes = Array(text.utf8)
    do throws(JOSEError) {
      token = try UnverifiedJWS(compact: bytes.span)
      guard let subject = try JWTClaims(payload: token.unverifiedPayload).subject else {
        throw JOSEError(.invalidClaim)
      }
      clientID = subject
    } catch {
      throw OAuthFailure(.invalidClient, "client_assertion is malformed")
    }
  }

  /// Checks the signature and the claims (RFC 7523 section 3).
  ///
  /// - Parameter audiences: What the issuer calls itself; one of them must be named.
  func verified(
    by keys: JWKSet, audiences: [String], at unixSeconds: Int
  ) throws(OAuthFailure) -> Use {
    do throws(JOSEError) {
      let payload = try token.verified(
        by: keys, algorithms: Set(Self.algorithms), allowedTypes: .optional(["JWT", "client-authentication+jwt"])
      ).payload
      let claims = try JWTClaims(payload: payload)
      guard try claims.issuer == clientID, try claims.subject == clientID,
        try claims.audience?.contains(where: audiences.contains) == true,
        let expiresAt = try claims.expiresAt, expiresAt > unixSeconds, expiresAt <= unixSeconds + Self.lifetimeLimit,
        try claims.issuedAt.map({ $0 <= unixSeconds + Self.leeway }) ?? true,
        try claims.notBefore.map({ $0 <= unixSeconds + Self.leeway }) ?? true,
        let jti = try claims.string("jti"), !jti.isEmpty
      else { throw JOSEError(.invalidClaim) }
      return Use(clientID: clientID, jti: jti)
    } catch {
      throw OAuthFailure(.invalidClient, "client_assertion is not good")
    }
  }
}
