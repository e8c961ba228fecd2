internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform

/// An account's settings, parsed for requests.
struct ParsedConfiguration {
  var configuration: AccountConfiguration
  let issuer: Issuer
  /// The settings' endpoints, used instead of the metadata's.
  let overrides: [EndpointRole: Endpoint]
  /// The provider's endpoints, used if the metadata lacks them.
  let providerEndpoints: [EndpointRole: Endpoint]
  /// False for a service known to have no metadata.
  let publishesMetadata: Bool
  private(set) var transport: Transport

  init(_ configuration: AccountConfiguration) throws(SessionError) {
    self.configuration = configuration
    let loopback = configuration.allowHTTPLoopback
    if let provider = configuration.provider, !provider.isKnown {
      throw .configuration(ConfigurationError(.unknownProvider, provider.rawValue))
    }
    do {
      var issuer = try Issuer(configuration.issuer, allowHTTPLoopback: loopback)
      issuer.triesOAuthMetadataFirst = !configuration.resources.isEmpty
      self.issuer = issuer
      let provider = configuration.providerSettings
      providerEndpoints = try provider?.endpoints(of: issuer, allowHTTPLoopback: loopback) ?? [:]
      publishesMetadata = !(provider?.has(.noMetadata) ?? false)
      overrides = try Endpoint.all(configuration.settings.endpoints, allowHTTPLoopback: loopback)
    } catch {
      throw .oauth(error)
    }
    transport = try Self.transport(of: configuration)
  }

  /// Throws if the settings do not permit requests. Sends nothing.
  static func check(_ configuration: AccountConfiguration) throws(SessionError) {
    _ = try ParsedConfiguration(configuration)
    // The sign-in may find or register a client.
    guard !configuration.clientID.isEmpty else { return }
    _ = try mapOAuthError(Client(id: configuration.clientID, authentication: .none))
  }

  var authorities: CertificateAuthorities? { transport.certificateAuthorities }

  /// Removes certificate authorities not trusted at sign-in.
  mutating func limitAuthorities(to authority: Authority) throws(SessionError) {
    guard let authorities, let sealed = authority.caCertificates else { return }
    do { transport.certificateAuthorities = try authorities.limited(to: sealed) } catch { throw .memory }
  }

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

  func server(
    metadata: AuthorizationServerMetadata, _ credentials: ClientCredentials, proxyCredentials: SharedSecret?,
    http: any HTTPClient, time: any TimeSource, keyDevice: any KeyDevice
  ) throws(SessionError) -> AuthorizationServer {
    var transport = transport
    transport.proxy?.credentials = proxyCredentials
    let authentication = try credentials.authentication(configuration, in: keyDevice) { time.wallSeconds() }
    let certificate = try credentials.clientCertificate(configuration, in: keyDevice)
    let signing = try credentials.responseSigning(configuration)
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

  private static let maximumAuthorityFileBytes = 1 << 20

  private static func authorities(_ path: String) throws(SessionError) -> CertificateAuthorities {
    let bytes: [UInt8]
    do {
      // A pipe would block, and be empty the next time.
      bytes = try FileDescriptor.openingRegularFile(path).readToEnd(limit: maximumAuthorityFileBytes)
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
  /// Parses the settings and adds the record's proxy credentials. Throws `configurationChanged` if a secret would be
  /// sent elsewhere than at sign-in.
  func parse(_ configuration: AccountConfiguration, _ account: AccountName) throws(SessionError) -> ParsedConfiguration
  {
    var parsed = try ParsedConfiguration(configuration)
    if let setting = changedSetting(in: parsed) {
      let isOfFile = authority.hasCertificateAuthorities && setting.hasSameBytes(as: AccountSetting.table.caFile.name)
      throw .configurationChanged(
        account: account.text, setting: setting, file: isOfFile ? configuration.caFile : nil)
    }
    try parsed.limitAuthorities(to: authority)
    parsed.useProxyCredentials(proxyCredentials)
    return parsed
  }

  /// The error of using the record with these settings, if any.
  package func problem(with configuration: AccountConfiguration, account: AccountName) -> SessionError? {
    do throws(SessionError) { _ = try parse(configuration, account) } catch { return error }
    return nil
  }

  /// The first setting that would send a secret elsewhere than at sign-in, if any.
  func changedSetting(in parsed: ParsedConfiguration) -> String? {
    if let setting = authority.changedSetting(in: parsed) { return setting }
    guard proxyCredentials != nil, let proxy = parsed.configuration.proxy else { return nil }
    return authority.maySendProxyCredentials(to: proxy) ? nil : "proxy"
  }
}
