import Crypto
import Encoding

extension FuzzTarget {
  /// The keys of RFC 7515 appendices A.2 and A.3, and of RFC 8037 appendix A.
  static let trusted: JWKSet? = {
    let text = """
      {"keys":[{"kty":"RSA","kid":"rsa","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEz\
      P1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBd\
      OOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kz\
      k2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"},{"kty":"EC","kid":"ec","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9u\
      PHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},{"kty":"OKP","kid":"ed","crv":"Ed25519","x":"11qYAYKxCrfVS_\
      7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
      """
    return try? JWKSet(parsing: Array(text.utf8))
  }()

  /// Everything that was signed with those keys.
  static let signed: Set<[UInt8]> = [
    Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8),
    Array("Example of Ed25519 signing".utf8),
  ]

  /// A secret that no seed uses.
  private static let otherSecret = [UInt8](repeating: 0x5a, count: 64)

  static func jws(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let keys = trusted, keys.keys.count == 3 else { throw BrokenInvariant("the target has its keys") }
    if let token = try? UnverifiedMAC(compact: bytes.span) {
      let passes = (try? token.verified(by: otherSecret.span, algorithm: token.algorithm)) != nil
      try BrokenInvariant.unless(!passes, "no secret takes a code that nobody made")
    }
    guard let token = try? UnverifiedJWS(compact: bytes.span) else { return }
    if let claims = try? JWTClaims(payload: token.unverifiedPayload) { look(at: claims) }
    for types in [AllowedTypes.optional(["JWT"]), .required(["at+jwt"])] {
      guard
        let verified = try? token.verified(by: keys, algorithms: Set(JWSAlgorithm.allCases), allowedTypes: types)
      else { continue }
      try BrokenInvariant.unless(signed.contains(verified.payload), "nothing passes that was not signed")
    }
  }

  private static func look(at claims: JWTClaims) {
    _ = (try? claims.issuer, try? claims.subject, try? claims.audience)
    _ = (try? claims.expiresAt, try? claims.issuedAt, try? claims.notBefore, try? claims.authTime)
  }

  static func jwks(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let set = try? JWKSet(parsing: bytes) else { return }
    let forms = Set(set.keys.map { $0.thumbprint() })
    guard let again = try? JWKSet(parsing: set.serialized()) else {
      throw BrokenInvariant("a set that is written reads")
    }
    try BrokenInvariant.unless(
      again.keys.count == set.keys.count && Set(again.keys.map { $0.thumbprint() }) == forms,
      "what is written reads as what was read")
    try BrokenInvariant.unless(
      again.warnings.isEmpty && again.skippedCount == 0, "nothing is published that does not belong there")
    // RFC 7515 appendix A.3, reduced to the parts that apply to any key.
    guard let token = try? UnverifiedJWS(compact: unsignedToken.span) else {
      throw BrokenInvariant("the target has its token")
    }
    let passes = (try? token.verified(by: set, algorithms: Set(JWSAlgorithm.allCases))) != nil
    try BrokenInvariant.unless(!passes, "no key takes a signature that nobody made")
  }

  /// `{"alg":"ES256"}`, `{}`, and 64 bytes that are not a signature.
  private static let unsignedToken = Array(
    (Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)) + "." + Base64URL.encode(Array("{}".utf8)) + "."
      + Base64URL.encode([UInt8](repeating: 0x55, count: 64))).utf8)

  static func privateKey(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let secret = try? SecretBytes(copying: bytes.span) else { return }
    let message = bytes.prefix(64)
    let works = secret.withBytes { text -> Bool? in
      guard let read = try? ImportedPrivateKey.read(text) else { return nil }
      return signs(read.key, Array(message))
    }
    try BrokenInvariant.unless(works != false, "a key that was read signs, and its public half agrees")
  }

  private static func signs(_ key: borrowing PrivateKey, _ message: [UInt8]) -> Bool {
    guard let publicKey = try? key.publicKey(),
      let algorithm = JWSAlgorithm.allCases.first(where: { $0.signatureAlgorithm.fits(key.kind) })?.signatureAlgorithm,
      let signature = try? key.sign(algorithm, message: message.span)
    else { return false }
    return (try? publicKey.verify(algorithm, signature: signature.span, message: message.span)) == true
  }
}
