package import Crypto
internal import Encoding
package import OAuth

/// A client whose ID is the URL of its published metadata (draft-ietf-oauth-client-id-metadata-document-03).
extension AccountConfiguration {
  var hasMetadataURL: Bool { Client.isMetadataURL(clientID, allowHTTPLoopback: self.allowHTTPLoopback) }

  /// Throws `unusableClientURL` if a client with published metadata has a secret (draft section 4.1).
  package func checkPublished(hasSecret: Bool = false) throws(SessionError) {
    guard hasMetadataURL else { return }
    if hasSecret || tokenEndpointAuthMethod.credential == .secret {
      throw .unusableClientURL(.secret)
    }
  }

  /// Throws `unusableClientURL` if the client ID is a URL that the server does not accept (draft section 6), unless the
  /// settings have a redirect URI (section 7.2).
  func checkPublished(at metadata: AuthorizationServerMetadata) throws(SessionError) {
    switch metadata.acceptsMetadataURLs {
    case true: if !hasMetadataURL, clientID.lowercased().hasPrefix("https://") { throw .unusableClientURL(.malformed) }
    case false:
      guard hasMetadataURL, self.redirectURI == nil else { return }
      throw .unusableClientURL(.unannounced(canRegister: metadata[.registration] != nil))
    case nil: break
    }
  }
}

extension ClientRegistrationRequest {
  /// The metadata to publish at the client's URL (draft section 4), with public keys only. Throws `unusableClientURL`,
  /// or `configuration` if the client's key is missing.
  package init(
    publishing configuration: AccountConfiguration, _ credentials: ClientCredentials, name: String,
    in device: any KeyDevice
  ) throws(SessionError) {
    guard configuration.hasMetadataURL else { throw .unusableClientURL(.malformed) }
    try configuration.checkPublished(hasSecret: credentials.secret != nil)
    typealias GrantType = AuthorizationServer.GrantType
    try self.init(of: configuration, name: name)
    clientID = configuration.clientID
    grantTypes = [GrantType.code, GrantType.device, GrantType.refresh]
    redirectURIs = try SignInRedirect(publishedBy: configuration).urisToRegister(port: nil)
    switch configuration.tokenEndpointAuthMethod.credential {
    case .none where credentials.key == nil: break
    case .issuedCertificate, .selfSignedCertificate: throw .unusableClientURL(.certificate)
    case .none, .secret, .key:
      var configuration = configuration
      tokenEndpointAuthMethod = ClientAuthenticationMethod.privateKeyJWT.rawValue
      keys = [try credentials.publishedKey(named: &configuration, in: device)]
      grantTypes.append(GrantType.clientCredentials)
    }
  }

  /// From an account's settings, for any server.
  init(
    of configuration: AccountConfiguration, name: String, softwareID: String? = nil, softwareVersion: String? = nil
  ) throws(SessionError) {
    self.init(name: name, softwareID: softwareID, softwareVersion: softwareVersion)
    do {
      if !configuration.scope.isEmpty { scope = try Scope(values: configuration.scope) }
    } catch {
      throw .oauth(error)
    }
    bindsTokensToKey = configuration.usesDPoP
    idTokenAlgorithm = configuration.idTokenAlgorithm?.rawValue
    userInfoAlgorithm = configuration.userInfoAlgorithm?.rawValue
  }
}

extension ClientCredentials {
  /// The public key. Adds a missing key ID to `configuration`: some servers find keys only by ID.
  func publishedKey(
    named configuration: inout AccountConfiguration, in device: any KeyDevice
  ) throws(SessionError) -> JSONObject {
    let key = try clientKey(configuration, in: device)
    do {
      configuration.clientKeyID = try configuration.clientKeyID ?? key.thumbprint()
      return try clientKey(configuration, in: device).publicJWK()
    } catch {
      throw .memory
    }
  }

  /// The public key with its certificate (RFC 8705 section 2.2.2).
  func publishedCertificate(
    _ configuration: AccountConfiguration, in device: any KeyDevice
  ) throws(SessionError) -> JSONObject {
    var configuration = configuration
    configuration.usesClientCertificate = true
    guard let certificate = try clientCertificate(configuration, in: device) else { throw .memory }
    var members = try publishedKey(named: &configuration, in: device)
    members["x5c"] = .array(certificate.key.certificates.map { .string(Base64.encode($0)) })
    return members
  }
}
