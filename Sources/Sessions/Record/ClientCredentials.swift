package import Crypto
internal import Encoding
internal import OAuth

/// A client's credentials in the vault.
package struct ClientCredentials: Sendable {
  package var secret: SharedSecret?
  /// `PrivateKey.serializedForVault()` in base64url.
  package var key: SharedSecret?
  /// PEM certificates, the client's own first.
  package var certificate: SharedSecret?

  package var isEmpty: Bool { secret == nil && key == nil && certificate == nil }

  /// The client authentication required by the settings.
  func authentication(
    _ configuration: AccountConfiguration, in device: any KeyDevice, wallSeconds: @escaping @Sendable () -> Int
  ) throws(SessionError) -> ClientAuthentication {
    switch configuration.tokenEndpointAuthMethod {
    case .none: return .none
    case .secretBasic:
      let secret = try requireSecret()
      return configuration.omitsBasicEncoding ? .basicUnencoded(secret) : .basic(secret)
    case .secretPost: return .post(try requireSecret())
    case .privateKeyJWT:
      let audience = configuration.assertionAudience.map { AssertionAudience($0) } ?? .issuer
      return .privateKeyJWT(
        ClientAssertion(try clientKey(configuration, in: device), audience: audience, wallSeconds: wallSeconds))
    case .tlsClientAuth, .selfSignedTLSClientAuth:
      guard configuration.usesClientCertificate, certificate != nil else {
        throw .configuration(ConfigurationError(.missingClientCertificate, ""))
      }
      return .mutualTLS
    }
  }

  /// The client certificate for TLS, if the settings use one. Does not contact `device`.
  func clientCertificate(
    _ configuration: AccountConfiguration, in device: any KeyDevice
  ) throws(SessionError) -> ClientCertificate? {
    guard configuration.usesClientCertificate else { return nil }
    guard let certificate else { throw .configuration(ConfigurationError(.missingClientCertificate, "")) }
    let key = try privateKey(in: device)
    do {
      return try certificate.bytes.withBytes { (text) throws(CryptoError) in try ClientCertificate(text, key: key) }
    } catch {
      throw .configuration(ConfigurationError(.unusableClientCertificate, ""))
    }
  }

  /// The algorithms registered for signed responses. Throws `configuration` for an HS algorithm without a client secret
  /// (OpenID Connect Core section 3.1.3.7, step 8).
  func responseSigning(_ configuration: AccountConfiguration) throws(SessionError) -> ResponseSigning {
    var signing = ResponseSigning()
    if let name = configuration.idTokenAlgorithm?.rawValue {
      if let algorithm = JWSAlgorithm(name: name) {
        signing.idTokens = .key(algorithm)
      } else if let algorithm = MACAlgorithm(rawValue: name) {
        guard let secret else {
          throw .configuration(ConfigurationError(.missingClientSecret, "client_secret"))
        }
        signing.idTokens = .secret(IDTokenSecret(algorithm: algorithm, secret: secret))
      }
    }
    signing.userInfo = configuration.userInfoAlgorithm.flatMap { JWSAlgorithm(name: $0.rawValue) }
    signing.trustedAudiences = configuration.trustedAudiences
    return signing
  }

  func clientKey(
    _ configuration: AccountConfiguration, in device: any KeyDevice
  ) throws(SessionError) -> ClientKey {
    let algorithm = configuration.clientKeyAlgorithm?.rawValue
    let key = try privateKey(in: device)
    do throws(JOSEError) {
      return try ClientKey(
        key, keyID: configuration.clientKeyID, algorithm: algorithm.flatMap { JWSAlgorithm(name: $0) },
        profile: configuration.profile)
    } catch {
      throw .configuration(ConfigurationError(.mismatchedKeyAlgorithm, algorithm ?? ""))
    }
  }

  /// Signs once with a device key, before the user approves the sign-in. Throws `keyForeign` for another device's key,
  /// `keyUnavailable` if the device does not work.
  func testSigning(in device: any KeyDevice) throws(SessionError) {
    guard key != nil else { return }
    let key = try privateKey(in: device)
    guard key.isInDevice else { return }
    do throws(CryptoError) {
      guard try key.isConsistent() else { throw CryptoError(.invalidKey, "held key") }
    } catch {
      throw .oauth(OAuthError(signing: error, .clientKey))
    }
  }

  /// Creates a certificate for `name` (RFC 8705 section 2.2), valid from `start` (unix seconds).
  mutating func makeCertificate(name: String, in device: any KeyDevice, from start: Int) throws(SessionError) {
    let key = try privateKey(in: device)
    do throws(CryptoError) {
      let text = ClientCertificate.text(try key.selfSignedCertificate(name: name, from: start))
      let bytes = Array(text.utf8)
      certificate = SharedSecret(try SecretBytes(copying: bytes.span))
    } catch {
      throw .oauth(OAuthError(signing: error, .clientKey))
    }
  }

  private func requireSecret() throws(SessionError) -> SharedSecret {
    guard let secret else { throw .configuration(ConfigurationError(.missingClientSecret, "client_secret")) }
    return secret
  }

  private func privateKey(in device: any KeyDevice) throws(SessionError) -> PrivateKey {
    guard let key else { throw .configuration(ConfigurationError(.missingClientKey, "")) }
    do throws(CryptoError) {
      return try key.bytes.withBytes { (text) throws(CryptoError) in
        var bytes = SecretBuffer(capacity: text.count)
        do { try Base64URL.decode(text, to: &bytes) } catch { throw CryptoError(.invalidKey, "client key") }
        return try bytes.finish().withBytes { (bytes) throws(CryptoError) in try PrivateKey(stored: bytes, in: device) }
      }
    } catch {
      throw .configuration(ConfigurationError(.unusableClientKey(.malformed), ""))
    }
  }
}
