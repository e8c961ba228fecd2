internal import Encoding
package import JOSE
package import Vocabulary

extension TokenProfile {
  static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

  /// The claims required in a token of this kind. `exp` may be waived for logout tokens, since older servers omit it.
  var requiredClaims: [String] {
    switch self {
    case .idToken: ["iss", "sub", "aud", "exp", "iat"]
    case .accessToken: ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]
    case .logoutToken: ["iss", "aud", "iat", "jti", "events"]
    }
  }

  /// The allowed `typ` (RFC 9068 section 2.1, OpenID Connect Back-Channel Logout 1.0 section 2.4).
  package var types: AllowedTypes {
    switch self {
    case .idToken: .optional(["JWT"])
    case .accessToken: .required([typeName])
    case .logoutToken: .optional([typeName, "JWT"])
    }
  }

  /// The preferred `typ` of the kind.
  package var typeName: String {
    switch self {
    case .idToken: "JWT"
    case .accessToken: "at+jwt"
    case .logoutToken: "logout+jwt"
    }
  }

  /// Checks the claims specific to this kind.
  ///
  /// - Parameter audiences: The caller's audiences; if empty, the audience is not checked.
  func check(_ claims: JWTClaims, audiences: [String]) throws(TokenFault) {
    switch self {
    case .idToken: try checkIDToken(claims, audiences: audiences)
    case .accessToken: try Self.readTexts(["client_id", "jti", "scope", "acr"], claims)
    case .logoutToken: try checkLogoutToken(claims)
    }
    if claims["auth_time"] != nil {
      _ = try TokenRules.read("auth_time") { () throws(JOSEError) in try claims.authTime }
    }
  }

  /// OpenID Connect Core 1.0 section 2, and steps 3 to 5 of section 3.1.3.7.
  private func checkIDToken(_ claims: JWTClaims, audiences: [String]) throws(TokenFault) {
    try Self.readTexts(["nonce", "acr", "azp", "at_hash", "c_hash"], claims)
    if let methods = claims["amr"], methods.array?.allSatisfy({ $0.string != nil }) != true {
      throw .malformedClaim("amr")
    }
    let subject = claims["sub"]?.string?.utf8
    guard let subject, (1...255).contains(subject.count), subject.allSatisfy(\.isPrintableASCII) else {
      throw .malformedClaim("sub")
    }
    guard !audiences.isEmpty else { return }
    func isNamed(_ name: String) -> Bool { audiences.contains { $0.utf8.elementsEqual(name.utf8) } }
    let found = try TokenRules.read("aud") { () throws(JOSEError) in try claims.audience } ?? []
    guard found.allSatisfy(isNamed) else { throw .foreignAudience }
    guard let party = claims["azp"]?.string else {
      if Set(found.map { Array($0.utf8) }).count > 1 { throw .missingClaim("azp") }
      return
    }
    guard isNamed(party) else { throw .otherParty }
  }

  /// OpenID Connect Back-Channel Logout 1.0 section 2.6, steps 4 to 6.
  private func checkLogoutToken(_ claims: JWTClaims) throws(TokenFault) {
    try Self.readTexts(["jti", "sid"], claims)
    guard claims["events"]?[Self.logoutEvent]?.object != nil else { throw .malformedClaim("events") }
    guard claims["sub"] != nil || claims["sid"] != nil else { throw .missingClaim("sub, sid") }
    if claims["nonce"] != nil { throw .unexpectedClaim("nonce") }
  }

  private static func readTexts(_ names: [String], _ claims: JWTClaims) throws(TokenFault) {
    for name in names { _ = try TokenRules.read(name) { () throws(JOSEError) in try claims.string(name) } }
  }
}
