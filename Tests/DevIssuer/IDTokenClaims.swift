import Encoding
import JOSE

/// What an ID Token says (OpenID Connect Core 1.0 section 2).
struct IDTokenClaims: Sendable {
  /// Claims that the issuer sets by itself and that no option may set.
  static let protocolNames = ["iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "nonce", "acr"]
  /// Seconds.
  static let lifetime = 3600

  let issuer: String
  let grant: Grant
  let accessToken: String
  let nonce: String?
  /// Unix seconds.
  let issuedAt: Int
  /// About the user.
  let userClaims: JSONObject

  /// The claims, with one of them wrong when a fault says so.
  func object(for algorithm: JWSAlgorithm, fault: IDTokenFault?) throws(JOSEError) -> JSONObject {
    let hashed = Array((fault == .atHash ? "another token" : accessToken).utf8)
    let age = fault == .exp ? 2 * Self.lifetime : 0
    var claims: JSONObject = [
      "iss": .string(fault == .iss ? "https://issuer.invalid" : issuer),
      "sub": .string(fault == .sub ? "user-mallory" : grant.subject),
      "aud": .string(fault == .aud ? "another-client" : grant.clientID),
      "exp": .int(issuedAt - age + Self.lifetime),
      "iat": .int(issuedAt - age),
      "auth_time": .int(grant.authTime - (fault == .authTime ? 86_400 : 0)),
      "at_hash": .string(try algorithm.leftHalfHash(of: hashed.span)),
    ]
    if let nonce, fault != .noNonce { claims["nonce"] = .string(nonce) }
    if let acr = grant.acr { claims["acr"] = .string(fault == .acr ? "another context" : acr) }
    for name in userClaims.names { claims[name] = userClaims[name] }
    try spoil(&claims, algorithm, fault)
    return claims
  }

  /// What is missing, too much, or of another type.
  private func spoil(
    _ claims: inout JSONObject, _ algorithm: JWSAlgorithm, _ fault: IDTokenFault?
  ) throws(JOSEError) {
    switch fault {
    case .noISS: claims["iss"] = nil
    case .noAUD: claims["aud"] = nil
    case .secondAUD: claims["aud"] = [.string(grant.clientID), "another-client"]
    case .arrayAUD: claims["aud"] = [.string(grant.clientID)]
    case .azp: claims["azp"] = "another-client"
    case .noEXP: claims["exp"] = nil
    case .textEXP: claims["exp"] = .string("\(issuedAt + Self.lifetime)")
    case .noIAT: claims["iat"] = nil
    case .futureIAT:
      claims["iat"] = .int(issuedAt + 86_400)
      claims["exp"] = .int(issuedAt + 86_400 + Self.lifetime)
    case .noSUB: claims["sub"] = nil
    // Section 2: at most 255 characters.
    case .longSUB: claims["sub"] = .string(String(repeating: "x", count: 256))
    case .cHash:
      let code = Array("another code".utf8)
      claims["c_hash"] = .string(try algorithm.leftHalfHash(of: code.span))
    case .nonce: claims["nonce"] = "another nonce"
    case .events: claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    default: break
    }
  }
}
