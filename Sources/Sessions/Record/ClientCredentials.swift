package import Crypto
internal import Encoding
internal import JOSE
internal import OAuth

/// The credentials of a client, as the vault stores them.
package struct ClientCredentials: Sendable {
  package var secret: SharedSecret?
  /// A private key: PKCS #8 (RFC 5958) in base64url.
  package var key: SharedSecret?
  /// Certificates in PEM form, the client's own first.
  package var certificate: SharedSecret?

  package init(secret: SharedSecret? = nil, key: SharedSecret? = nil, certificate: SharedSecret? = nil) {
    self.secret = secret
    self.key = key
    self.certificate = certificate
  }

  package var isEmpty: Bool { secret == nil && key == nil && certificate == nil }

  /// The settings' way to prove who the client is, with these.
  ///
  /// - Parameter wallSeconds: The clock, in unix seconds.
  func authentication(
    _ configuration: AccountConfiguration, wallSeconds: @escaping @Sendable () -> Int
  ) throws(SessionError) -> ClientAuthentication {
    let settings = configuration.authentication
    guard let method = ClientAuthenticationMethod(rawValue: configuration.tokenEndpointAuthMethod) else {
      throw .configuration(ConfigurationError(.invalid, "token_endpoint_auth_method"))
    }
    switch method {
    case .none: return .none
    case .secretBasic:
      let secret = try requireSecret()
      return settings.isBasicUnencoded ? .basicUnencoded(secret) : .basic(secret)
    case .secretPost: return .post(try requireSecret())
    case .privateKeyJWT:
      let audience = settings.assertionAudience.map { ClientAssertion.Audience(rawValue: $0) } ?? .issuer
      guard let audience else { throw .configuration(ConfigurationError(.invalid, "assertion_audience")) }
      return .privateKeyJWT(
        ClientAssertion(try clientKey(settings), audience: audience, wallSeconds: wallSeconds))
    case .tlsClientAuth, .selfSignedTLSClientAuth:
      guard settings.showsCertificate, certificate != nil else {
        throw .configuration(ConfigurationError(.missingClientCertificate, ""))
      }
      return .mutualTLS
    }
  }

  /// The client certificate for the TLS handshake; nil when the settings use none.
  func clientCertificate(_ settings: AuthenticationSettings) throws(SessionError) -> ClientCertificate? {
    guard settings.showsCertificate else { return nil }
    guard let certificate else { throw .configuration(ConfigurationError(.missingClientCertificate, "")) }
    let key = try privateKey()
    do {
      return try certificate.bytes.withBytes { (text) throws(CryptoError) in try ClientCertificate(text, key: key) }
    } catch {
      throw .configuration(ConfigurationError(.clientCertificate, ""))
    }
  }

  /// The key, by the name and for the algorithm that the settings give it.
  func clientKey(_ settings: AuthenticationSettings) throws(SessionError) -> ClientKey {
    let algorithm = settings.keyAlgorithm.map { JWSAlgorithm(name: $0) }
    if case .some(nil) = algorithm { throw .configuration(ConfigurationError(.invalid, "client_key_algorithm")) }
    let key = try privateKey()
    do throws(JOSEError) {
      return try ClientKey(key, keyID: settings.keyID, algorithm: algorithm ?? nil)
    } catch {
      throw .configuration(ConfigurationError(.clientKeyAlgorithm, settings.keyAlgorithm ?? ""))
    }
  }

  private func requireSecret() throws(SessionError) -> SharedSecret {
    guard let secret else { throw .configuration(ConfigurationError(.missingClientSecret, "client_secret")) }
    return secret
  }

  private func privateKey() throws(SessionError) -> PrivateKey {
    guard let key else { throw .configuration(ConfigurationError(.missingClientKey, "")) }
    do throws(CryptoError) {
      return try key.bytes.withBytes { (text) throws(CryptoError) in try Self.decode(text) }
    } catch {
      throw .configuration(ConfigurationError(.clientKey(.malformed), ""))
    }
  }

  private static func decode(_ text: Span<UInt8>) throws(CryptoError) -> PrivateKey {
    var bytes = SecretBuffer(capacity: text.count)
    do { try Base64URL.decode(text, to: &bytes) } catch { throw CryptoError(.invalidKey, "client key") }
    return try bytes.finish().withBytes { (bytes) throws(CryptoError) in try PrivateKey(serialized: bytes) }
  }
}
