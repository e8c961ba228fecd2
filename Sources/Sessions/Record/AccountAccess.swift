internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Vault
package import Vocabulary

/// An account's settings in the form that requests need, with its certificate authorities read.
struct AccountAccess {
  /// The client's identification may be completed; all else stays as it was made.
  var configuration: AccountConfiguration
  let issuer: Issuer
  /// Endpoints that the settings name, for servers whose metadata lack them or that have none.
  let overrides: [EndpointRole: Endpoint]
  /// Endpoints that are known of the provider, for metadata that lack them.
  let known: [EndpointRole: Endpoint]
  /// False for a service that is known to have none.
  let publishesMetadata: Bool
  private(set) var transport: Transport

  init(_ configuration: AccountConfiguration) throws(SessionError) {
    self.configuration = configuration
    let loopback = configuration.allowHTTPLoopback
    do {
      var issuer = try Issuer(configuration.issuer, allowHTTPLoopback: loopback)
      issuer.looksForOAuthFirst = !configuration.resources.isEmpty
      self.issuer = issuer
      let provider = configuration.providerSettings
      known = try provider?.endpoints(of: issuer, allowHTTPLoopback: loopback) ?? [:]
      publishesMetadata = !(provider?.has(.noMetadata) ?? false)
      overrides = try Endpoint.all(configuration.settings.endpoints, allowHTTPLoopback: loopback)
    } catch {
      throw .oauth(error)
    }
    transport = try Self.transport(of: configuration)
  }

  /// Checks that requests can be made with these settings. Nothing is sent.
  static func check(_ configuration: AccountConfiguration) throws(SessionError) {
    _ = try AccountAccess(configuration)
    _ = try oauth { () throws(OAuthError) in try Client(id: configuration.clientID, authentication: .none) }
  }

  /// The certificate authorities that the settings name.
  var authorities: CertificateAuthorities? { transport.certificateAuthorities }

  /// Uses no other certificate authority than the sealed ones.
  mutating func useSealed(_ authority: Authority) throws(SessionError) {
    guard let authorities, let sealed = authority.caCertificates else { return }
    do { transport.certificateAuthorities = try authorities.limited(to: sealed) } catch { throw .memory }
  }

  /// How servers are reached under these settings.
  static func transport(of configuration: AccountConfiguration) throws(SessionError) -> Transport {
    var transport = Transport()
    transport.allowHTTPLoopback = configuration.allowHTTPLoopback
    transport.pins = configuration.pins
    if let proxy = configuration.proxy {
      transport.proxy = Transport.Proxy(url: proxy, exclusions: configuration.proxyExclusions ?? "")
    }
    transport.certificateAuthorities = try configuration.caFile.map(authorities)
    return transport
  }

  /// The server as requests see it, with the record's secrets.
  func server(
    metadata: AuthorizationServerMetadata, _ credentials: ClientCredentials, proxyCredentials: SharedSecret?,
    http: any HTTPClient, time: any TimeSource, keyDevice: any KeyDevice
  ) throws(SessionError) -> AuthorizationServer {
    var transport = transport
    transport.proxy?.credentials = proxyCredentials
    let authentication = try credentials.authentication(configuration, in: keyDevice) { time.wallSeconds() }
    let certificate = try credentials.clientCertificate(configuration, in: keyDevice)
    let signing = try credentials.signing(configuration)
    do {
      let client = try Client(id: configuration.clientID, authentication: authentication)
      var server = AuthorizationServer(
        metadata: metadata, client: client, transport: transport, http: http,
        provider: configuration.providerSettings,
        clientCertificate: certificate)
      server.signing = signing
      server.profile = configuration.profile
      return server
    } catch {
      throw .oauth(error)
    }
  }

  mutating func useProxyCredentials(_ credentials: SharedSecret?) { transport.proxy?.credentials = credentials }

  private static let mostAuthorityBytes = 1 << 20

  private static func authorities(_ path: String) throws(SessionError) -> CertificateAuthorities {
    let bytes: [UInt8]
    do {
      // A pipe would be waited for, and be empty the next time.
      bytes = try FileDescriptor.openingRegularFile(path).readToEnd(limit: mostAuthorityBytes)
    } catch {
      throw .configuration(ConfigurationError(.caFile(error.isTooLarge || error.isUnsuitable ? nil : error), path))
    }
    guard bytes.span.hasPart("-----BEGIN CERTIFICATE-----"), let authorities = try? CertificateAuthorities(pem: bytes)
    else {
      throw .configuration(ConfigurationError(.caFile(nil), path))
    }
    return authorities
  }
}

extension AccountRecord {
  /// The access that these settings and the record's secrets give.
  ///
  /// - Throws: `configurationChanged` if a secret of the record would go elsewhere than at sign-in.
  func access(by configuration: AccountConfiguration, _ account: AccountName) throws(SessionError) -> AccountAccess {
    var access = try AccountAccess(configuration)
    if let setting = difference(from: access) {
      let isOfFile = authority.hasAuthorities && setting.utf8.elementsEqual(AccountSetting.caFile.name.utf8)
      throw .configurationChanged(
        account: account.text, setting: setting, file: isOfFile ? configuration.caFile : nil)
    }
    try access.useSealed(authority)
    access.useProxyCredentials(proxyCredentials)
    return access
  }

  /// Why these settings cannot be used with the record; nil when they can.
  package func problem(with configuration: AccountConfiguration, account: AccountName) -> SessionError? {
    do throws(SessionError) { _ = try access(by: configuration, account) } catch { return error }
    return nil
  }

  /// The first setting with which a secret of this record would go elsewhere than at sign-in.
  func difference(from access: AccountAccess) -> String? {
    if let setting = authority.difference(from: access) { return setting }
    guard proxyCredentials != nil, let proxy = access.configuration.proxy else { return nil }
    return authority.mayGiveCredentials(to: proxy) ? nil : "proxy"
  }
}
