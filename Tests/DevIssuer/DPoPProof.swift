import Crypto
import Encoding
import JOSE

/// A proof of possession whose signature and content were checked (RFC 9449 section 4.3).
struct DPoPProof: Sendable, Hashable {
  /// What we take (section 5.1): asymmetric, and none that is weak.
  static let algorithms: [JWSAlgorithm] = [.ES256, .ES384, .ES512, .PS256, .RS256, .EdDSA, .Ed25519]

  /// Why a proof is refused; in our own words for the developer.
  struct Problem: Error, Hashable, Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  /// The thumbprint of the key (section 6.1).
  let thumbprint: String
  /// The `jti`, which no other proof may have.
  let identifier: String
  let nonce: String?
  /// Unix seconds.
  let issuedAt: Int
  /// The `ath`.
  let tokenHash: String?

  /// Reads the proof of a request; nil when it has none.
  ///
  /// - Parameter issuer: Our origin, to which the path of the request is added.
  init?(_ request: Request, issuer: String) throws(Problem) {
    let values = request.headers.values(of: "dpop")
    guard let value = values.first else { return nil }
    guard values.count == 1 else { throw Problem("more than one DPoP header") }
    let (jws, jwk) = try Self.verify(value)
    let claims = try Self.claims(jws)
    guard claims["htm"]?.string == request.methodName else { throw Problem("htm is another method") }
    guard let target = claims["htu"]?.string.flatMap({ try? URI($0) }), Self.isSame(target, issuer + request.path)
    else { throw Problem("htu is another URL") }
    guard let identifier = claims["jti"]?.string, (8...256).contains(identifier.utf8.count) else {
      throw Problem("jti is missing, too short or too long")
    }
    guard let issuedAt = claims["iat"]?.int else { throw Problem("iat is missing") }
    thumbprint = jwk.thumbprint()
    self.identifier = identifier
    self.issuedAt = issuedAt
    nonce = claims["nonce"]?.string
    tokenHash = claims["ath"]?.string
  }

  private static func verify(_ text: String) throws(Problem) -> (VerifiedJWS, JWK) {
    do throws(JOSEError) {
      let bytes = Array(text.utf8)
      let jws = try UnverifiedJWS(compact: bytes.span)
      guard jws.type == "dpop+jwt" else { throw JOSEError(.wrongType) }
      guard let members = jws.header["jwk"]?.object else { throw JOSEError(.invalidHeader) }
      let jwk = try JWK(members)
      let keys = JWKSet([jwk])
      return (
        try jws.verified(by: keys, algorithms: Set(algorithms), allowedTypes: .required(["dpop+jwt"])), jwk
      )
    } catch {
      throw Problem(Self.text(of: error))
    }
  }

  private static func text(of error: JOSEError) -> String {
    switch error.code {
    case .wrongType: "typ is not dpop+jwt"
    case .algorithmNotAllowed, .unsecured: "alg is not one that this server takes"
    case .embeddedPrivateKey: "jwk holds a private key"
    case .badSignature: "the signature does not fit"
    default: "it is no JWT with a public key in jwk"
    }
  }

  private static func claims(_ jws: VerifiedJWS) throws(Problem) -> JSONObject {
    do { return try JWTClaims(payload: jws.payload).object } catch { throw Problem("the claims are no object") }
  }

  /// RFC 9449 section 4.3, item 9: without query and fragment.
  private static func isSame(_ url: URI, _ target: String) -> Bool {
    guard url.query == nil, url.fragment == nil else { return false }
    return (url.origin + url.path).utf8.elementsEqual(target.utf8)
  }
}
