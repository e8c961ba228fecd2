package import Crypto
package import Encoding

/// A client's private key, for signing assertions.
package final class ClientKey: Sendable {
  let key: PrivateKey
  /// Nil if not registered.
  package let keyID: String?
  private let configuredAlgorithm: JWSAlgorithm?
  private let profile: SecurityProfile?

  /// Throws `unsuitableKey` if `algorithm` (default: by key and metadata) does not match the key.
  package init(
    _ key: consuming PrivateKey, keyID: String? = nil, algorithm: JWSAlgorithm? = nil,
    profile: SecurityProfile? = nil
  ) throws(JOSEError) {
    if let algorithm, !algorithm.signatureAlgorithm.fits(key.kind) { throw JOSEError(.unsuitableKey) }
    self.key = key
    self.keyID = keyID
    configuredAlgorithm = algorithm
    self.profile = profile
  }

  /// The configured algorithm or a default. For RSA, PS256 if announced or required by the profile (FAPI 2.0 Security
  /// Profile section 5.4.1), else RS256.
  func algorithm(announced: [String]?) -> JWSAlgorithm {
    if let configuredAlgorithm { return configuredAlgorithm }
    let possible: [JWSAlgorithm] =
      switch key.kind {
      case .rsa:
        profile == .fapi2 || announced?.contains(JWSAlgorithm.PS256.rawValue) == true ? [.PS256] : [.RS256]
      case .ec, .raw: JWSAlgorithm.allCases.filter { $0.signatureAlgorithm.fits(key.kind) }
      }
    return possible.first { announced?.contains($0.rawValue) ?? true } ?? possible[0]
  }

  /// The SHA-256 thumbprint (RFC 7638) in base64url, the default key ID.
  package func thumbprint() throws(JOSEError) -> String { try JWK(key.publicComponents).thumbprint() }

  /// The public key as registered in `jwks` (RFC 7591 section 2).
  package func publicJWK() throws(JOSEError) -> JSONObject {
    try JWK(key.publicComponents, keyID: keyID).published
  }
}
