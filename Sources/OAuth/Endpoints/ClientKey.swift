package import Crypto
package import Encoding
package import JOSE
package import Vocabulary

/// The private key of a client.
package final class ClientKey: Sendable {
  let key: PrivateKey
  /// The name by which the server knows the key, if it has one.
  package let keyID: String?
  private let chosen: JWSAlgorithm?
  private let profile: SecurityProfile?

  /// - Parameters:
  ///   - algorithm: The signature algorithm; nil leaves the choice to the key and to the server's announcement.
  ///   - profile: The security profile that the choice must keep; nil demands none.
  /// - Throws: `unsuitableKey` when the algorithm does not fit the key.
  package init(
    _ key: consuming PrivateKey, keyID: String? = nil, algorithm: JWSAlgorithm? = nil,
    profile: SecurityProfile? = nil
  ) throws(JOSEError) {
    if let algorithm, !algorithm.signatureAlgorithm.fits(key.kind) { throw JOSEError(.unsuitableKey) }
    self.key = key
    self.keyID = keyID
    chosen = algorithm
    self.profile = profile
  }

  /// The signature algorithm: the chosen one, else that of the key. An RSA key signs with PS256 where the server announces
  /// that or the account is held to it, as FAPI 2.0 Security Profile section 5.4.1 asks for, and with RS256 elsewhere.
  func algorithm(announced: [String]?) -> JWSAlgorithm {
    if let chosen { return chosen }
    let possible: [JWSAlgorithm] =
      switch key.kind {
      case .rsa:
        profile == .fapi2 || announced?.contains(JWSAlgorithm.PS256.rawValue) == true ? [.PS256] : [.RS256]
      case .p256: [.ES256]
      case .p384: [.ES384]
      case .p521: [.ES512]
      case .ed25519: [.EdDSA, .Ed25519]
      }
    return possible.first { announced?.contains($0.rawValue) ?? true } ?? possible[0]
  }

  /// The SHA-256 thumbprint in base64url (RFC 7638), which names a key that has no other name.
  package func thumbprint() throws(JOSEError) -> String { try JWK(key.publicComponents).thumbprint() }

  /// The public half, as it is registered (RFC 7591 section 2: `jwks`).
  package func published() throws(JOSEError) -> JSONObject {
    try JWK(key.publicComponents, keyID: keyID).published
  }
}
