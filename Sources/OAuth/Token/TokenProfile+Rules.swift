internal import Encoding
package import Crypto

extension TokenProfile {
  /// The member of a logout token's `events`.
  static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

  /// Logout tokens need no `exp`, since older servers omit it.
  var requiredClaims: [String] {
    switch self {
    case .idToken: ["iss", "sub", "aud", "exp", "iat"]
    case .accessToken: ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]
    case .logoutToken: ["iss", "aud", "iat", "jti", "events"]
    }
  }

  /// See RFC 9068 section 2.1, OpenID Connect Back-Channel Logout 1.0 section 2.4.
  package var types: AllowedTypes {
    switch self {
    case .idToken: .optional(["JWT"])
    case .accessToken: .required([typeName])
    case .logoutToken: .optional([typeName, "JWT"])
    }
  }

  /// The preferred `typ`.
  package var typeName: String {
    switch self {
    case .idToken: "JWT"
    case .accessToken: "at+jwt"
    case .logoutToken: "logout+jwt"
    }
  }

  /// Checks claims by profile. Without `audiences`, accepts any.
  func check(_ reader: ClaimReader, audiences: [String]) throws(TokenFault) {
    switch self {
    case .idToken: try Self.checkIDToken(reader, audiences: audiences)
    case .accessToken: try Self.checkStrings(["client_id", "jti", "scope", "acr"], reader)
    case .logoutToken: try Self.checkLogoutToken(reader)
    }
    _ = try reader.authenticationTime()
  }

  /// See OpenID Connect Core section 2, and steps 3 to 5 of section 3.1.3.7.
  private static func checkIDToken(_ reader: ClaimReader, audiences: [String]) throws(TokenFault) {
    try checkStrings(["nonce", "acr", "azp", "at_hash", "c_hash"], reader)
    if let methods = reader.claims["amr"], methods.array?.allSatisfy({ $0.string != nil }) != true {
      throw .malformedClaim("amr")
    }
    _ = try reader.subject()
    guard !audiences.isEmpty else { return }
    func isNamed(_ name: String) -> Bool { audiences.contains { $0.hasSameBytes(as: name) } }
    let found = try reader.audience() ?? []
    guard found.allSatisfy(isNamed) else { throw .untrustedAudience([]) }
    _ = try reader.authorizedParty(found, isClient: isNamed)
  }

  /// See OpenID Connect Back-Channel Logout 1.0 section 2.6, steps 4 to 6.
  private static func checkLogoutToken(_ reader: ClaimReader) throws(TokenFault) {
    let claims = reader.claims
    try checkStrings(["jti", "sid"], reader)
    guard claims["events"]?[logoutEvent]?.object != nil else { throw .malformedClaim("events") }
    guard claims["sub"] != nil || claims["sid"] != nil else { throw .missingClaim("sub, sid") }
    if claims["nonce"] != nil { throw .unexpectedClaim("nonce") }
  }

  private static func checkStrings(_ names: [String], _ reader: ClaimReader) throws(TokenFault) {
    for name in names { _ = try reader.text(name) }
  }
}
