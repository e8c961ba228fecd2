package import Crypto
internal import Encoding
package import OAuth
package import Vocabulary

/// A client whose identifier is the URL at which its metadata are published
/// (draft-ietf-oauth-client-id-metadata-document-03). A client that a server registered under a URL is none.
extension AccountConfiguration {
  /// Whether the client's identifier is such a URL (section 3).
  var hasMetadataURL: Bool { Client.isMetadataURL(clientID, allowHTTPLoopback: self.allowHTTPLoopback) }

  /// Refuses a secret of a published client: there is no way to agree on one (section 4.1).
  ///
  /// - Throws: `clientURL`.
  package func checkPublished(hasSecret: Bool = false) throws(SessionError) {
    guard hasMetadataURL else { return }
    if hasSecret || [.secretBasic, .secretPost].contains(tokenEndpointAuthMethod) {
      throw .clientURL(.secret)
    }
  }

  /// Refuses a URL as the client where that cannot end well: a server that takes such clients (section 6) would fetch
  /// it, and another would not know it, unless it was registered there together with a redirect URI, which the settings
  /// then name (section 7.2).
  ///
  /// - Throws: `clientURL`.
  func checkPublished(at metadata: AuthorizationServerMetadata) throws(SessionError) {
    switch metadata.takesMetadataURLs {
    case true: if !hasMetadataURL, clientID.lowercased().hasPrefix("https://") { throw .clientURL(.malformed) }
    case false:
      guard hasMetadataURL, self.redirectURI == nil else { return }
      throw .clientURL(.unannounced(canRegister: metadata.registrationEndpoint != nil))
    case nil: break
    }
  }
}

extension ClientRegistrationRequest {
  /// The metadata to publish at the client's URL (section 4), as the settings want the client: the same for the same
  /// settings and key.
  ///
  /// - Parameters:
  ///   - credentials: Those of the client, of which the public half of a key is published.
  ///   - name: The name that people see when they are asked to approve.
  ///   - device: That of the key, if it is in one.
  /// - Throws: `clientURL`; `configuration` when the client has a key that is not there.
  package init(
    publishing configuration: AccountConfiguration, _ credentials: ClientCredentials, name: String,
    in device: any KeyDevice
  ) throws(SessionError) {
    guard configuration.hasMetadataURL else { throw .clientURL(.malformed) }
    try configuration.checkPublished(hasSecret: credentials.secret != nil)
    typealias GrantType = AuthorizationServer.GrantType
    try self.init(of: configuration, name: name)
    clientID = configuration.clientID
    grantTypes = [GrantType.code, GrantType.device, GrantType.refresh]
    redirectURIs = try SignInRedirect(publishedBy: configuration).registered(port: nil)
    switch configuration.tokenEndpointAuthMethod {
    case .none where credentials.key == nil: break
    case .tlsClientAuth, .selfSignedTLSClientAuth: throw .clientURL(.certificate)
    default:
      var configuration = configuration
      tokenEndpointAuthMethod = ClientAuthenticationMethod.privateKeyJWT.rawValue
      keys = [try credentials.publishedKey(named: &configuration, in: device)]
      grantTypes.append(GrantType.clientCredentials)
    }
  }

  /// The demands of an account's settings on its client, whatever the server.
  init(
    of configuration: AccountConfiguration, name: String, softwareID: String? = nil, softwareVersion: String? = nil
  ) throws(SessionError) {
    self.init(name: name, softwareID: softwareID, softwareVersion: softwareVersion)
    do {
      if !configuration.scope.isEmpty { scope = try Scope(values: configuration.scope) }
    } catch {
      throw .oauth(error)
    }
    bindsTokensToKey = configuration.dpop
    idTokenAlgorithm = configuration.idTokenAlgorithm?.rawValue
    userInfoAlgorithm = configuration.userInfoAlgorithm?.rawValue
  }
}

extension SessionServices {
  /// The members of the account's record for the client of these settings, if they say that it proves itself.
  package func credentials(
    of account: AccountName, _ configuration: AccountConfiguration
  ) throws(SessionError) -> ClientCredentials {
    guard !configuration.isPublicClient, let record = try record(of: account),
      record.authority.isSameClient(as: configuration)
    else { return ClientCredentials() }
    return record.credentials
  }
}

extension ClientCredentials {
  /// The public half of the key, as it is registered or published.
  ///
  /// - Parameters:
  ///   - configuration: Gives the key a name if it has none, because some servers find a key by its name only.
  ///   - device: That of the key, if it is in one.
  func publishedKey(
    named configuration: inout AccountConfiguration, in device: any KeyDevice
  ) throws(SessionError) -> JSONObject {
    let key = try clientKey(configuration, in: device)
    do {
      configuration.clientKeyID = try configuration.clientKeyID ?? key.thumbprint()
      return try clientKey(configuration, in: device).published()
    } catch {
      throw .memory
    }
  }

  /// The public half of the key with the certificate for it (RFC 8705 section 2.2.2).
  ///
  /// - Parameter device: That of the key, if it is in one.
  func publishedCertificate(
    _ configuration: AccountConfiguration, in device: any KeyDevice
  ) throws(SessionError) -> JSONObject {
    var configuration = configuration
    configuration.clientCertificate = true
    guard let certificate = try clientCertificate(configuration, in: device) else { throw .memory }
    var members = try publishedKey(named: &configuration, in: device)
    members["x5c"] = .array(certificate.key.certificates.map { .string(Base64.encode($0)) })
    return members
  }
}
