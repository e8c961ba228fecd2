internal import Encoding
package import OAuth

/// Limits where an account's secrets may be sent, as of the sign-in. Sealed in the vault: a program that can edit the
/// settings or the metadata cache must not redirect a refresh token.
package struct Authority: Sendable, Hashable {
  /// The settings that control where secrets go, without ``AccountSettings/caFile``.
  package var settings: AccountSettings
  /// The base64url SHA-256 hash of the certificate authority file, if ``caCertificates`` is nil. Nil if only the
  /// system's authorities are used.
  package var caDigest: String?
  /// The base64url SHA-256 hashes of the file's certificates, sorted. Nil without a file, and in older records.
  package private(set) var caCertificates: [String]?
  /// The sorted origins of endpoints that receive secrets or tokens.
  package var origins: [String]
  /// May receive the account's proxy credentials.
  package var proxy: String?
  /// The sorted origins that may receive the access token, as formatted by `ResourceOrigin`.
  package var resourceOrigins: [String]
  /// May also receive the access token.
  package var userinfoOrigin: String?

  package init(
    _ configuration: AccountConfiguration, caDigest: String?, metadata: AuthorizationServerMetadata
  ) {
    settings = configuration.settings
    for setting in AccountSetting.all where !Self.sealed.contains(setting) { setting.unset(in: &settings) }
    self.caDigest = caDigest
    origins = metadata.endpointOrigins
    proxy = configuration.proxy
    resourceOrigins = configuration.resourceOrigins.map(\.text).sorted()
    userinfoOrigin = metadata[.userinfo]?.uri.origin
  }

  init(_ parsed: ParsedConfiguration, metadata: AuthorizationServerMetadata) {
    self.init(parsed.configuration, caDigest: nil, metadata: metadata)
    sealCertificateAuthorities(parsed.authorities)
  }

  /// Nil for the system's.
  mutating func sealCertificateAuthorities(_ authorities: CertificateAuthorities?) {
    let digests = authorities?.certificateDigests ?? []
    caCertificates = digests.isEmpty ? nil : Set(digests).sorted()
    caDigest = digests.isEmpty ? authorities?.digest : nil
  }

  var hasCertificateAuthorities: Bool { caDigest != nil || caCertificates != nil }

  /// Sealed verbatim. For certificate authorities, the content is sealed instead.
  private static let sealed = AccountSetting.all.filter { $0.isSealed && $0 != AccountSetting.table.caFile }

  /// Rebuilt from the sealed settings, for an account missing from the settings file. Nil if it needs a certificate
  /// authority file, whose path is not sealed.
  package var configuration: AccountConfiguration? {
    guard !hasCertificateAuthorities, var configuration = AccountConfiguration(settings) else { return nil }
    configuration.proxy = proxy
    return configuration
  }

  /// The name of the first setting that differs from the sign-in's, if any. The certificate authority file must still
  /// contain a sealed certificate. `caDigest` and `certificates` are the hashes of the file and its certificates.
  package func changedSetting(
    in configuration: AccountConfiguration, caDigest: String?, certificates: [String] = []
  ) -> String? {
    if let setting = Self.sealed.first(where: { !isSame($0, in: configuration) }) { return setting.name }
    let hasSealed = caCertificates.map { certificates.contains(where: $0.contains) } ?? (self.caDigest == caDigest)
    return hasSealed ? nil : AccountSetting.table.caFile.name
  }

  /// Like ``changedSetting(in:caDigest:certificates:)``, with the certificate authorities of `parsed`, and its settings
  /// if `configuration` is nil.
  func changedSetting(in parsed: ParsedConfiguration, as configuration: AccountConfiguration? = nil) -> String? {
    changedSetting(
      in: configuration ?? parsed.configuration, caDigest: parsed.authorities?.digest,
      certificates: parsed.authorities?.certificateDigests ?? [])
  }

  func isSameClient(as configuration: AccountConfiguration) -> Bool {
    isSameIssuer(as: configuration) && isSame(AccountSetting.table.clientID, in: configuration)
  }

  func isSameIssuer(as configuration: AccountConfiguration) -> Bool {
    isSame(AccountSetting.table.issuer, in: configuration)
  }

  /// Compares with the sealed value byte for byte.
  private func isSame(_ setting: AccountSetting, in configuration: AccountConfiguration) -> Bool {
    let now = setting.effectiveValue(in: configuration.settings)
    return setting.effectiveValue(in: settings)?.serialized() == now?.serialized()
  }

  /// Whether `proxy` was used at sign-in. The settings may name another proxy, since proxies only transport TLS.
  func maySendProxyCredentials(to proxy: String) -> Bool {
    self.proxy.map { $0.hasSameBytes(as: proxy) } ?? false
  }

  /// Whether the endpoint's origin was known at sign-in.
  func includes(_ endpoint: Endpoint) -> Bool { origins.contains(endpoint.uri.origin) }

  /// The first origin unknown at sign-in, if any.
  package func unknownOrigin(in metadata: AuthorizationServerMetadata) -> String? {
    metadata.endpointOrigins.first { !origins.contains($0) }
  }

  var json: JSON {
    var object = JSONObject(
      Self.sealed.compactMap { setting in setting.value(in: settings).map { (setting.name, $0) } })
    object["ca_digest"] = caDigest.map { .string($0) }
    object["ca_certificates"] = caCertificates.map { .array($0.map { .string($0) }) }
    object["origins"] = .array(origins.map { .string($0) })
    object["proxy"] = proxy.map { .string($0) }
    if !resourceOrigins.isEmpty { object["resource_origins"] = .array(resourceOrigins.map { .string($0) }) }
    object["userinfo_origin"] = userinfoOrigin.map { .string($0) }
    return .object(object)
  }

  init?(json: JSON) {
    func texts(_ name: String) -> [String]? {
      guard let array = json[name]?.array else { return nil }
      let texts = array.compactMap(\.string)
      return texts.count == array.count ? texts : nil
    }
    guard let settings = try? AccountSettings(members: { json[$0] }, among: Self.sealed), settings.issuer != nil,
      settings.clientID != nil, let origins = texts("origins")
    else { return nil }
    self.settings = settings
    caDigest = json["ca_digest"]?.string
    caCertificates = texts("ca_certificates")
    self.origins = origins
    proxy = json["proxy"]?.string
    resourceOrigins = texts("resource_origins") ?? []
    userinfoOrigin = json["userinfo_origin"]?.string
  }
}
