internal import Encoding
package import OAuth
package import Vocabulary

/// Where an account's secrets may go, as it stood when the person signed in.
///
/// It is sealed in the vault beside the secrets. The settings file and the metadata cache can be
/// written by anything that can edit dotfiles; neither may lead a refresh token elsewhere.
package struct Authority: Sendable, Hashable {
  /// The settings that say where secrets go (``AccountSetting/isSealed``), without ``AccountSettings/caFile``.
  package var settings: AccountSettings
  /// SHA-256 of the certificate authority file, base64url, in a record that has no ``caCertificates``; nil for the
  /// system's authorities alone.
  package var caDigest: String?
  /// SHA-256 of each certificate of that file, base64url, sorted; nil in older records, and for the system's alone.
  package private(set) var caCertificates: [String]?
  /// The origins of all endpoints that get a secret or a token, sorted.
  package var origins: [String]
  /// The proxy that may get the account's proxy credentials.
  package var proxy: String?
  /// Places that may get the access token, as `ResourceOrigin` spells them, sorted.
  package var resourceOrigins: [String]
  /// The place of UserInfo, which may get it too.
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
    userinfoOrigin = metadata.userinfoEndpoint?.uri.origin
  }

  /// The same with the certificate authorities of the settings.
  init(_ access: AccountAccess, metadata: AuthorizationServerMetadata) {
    self.init(access.configuration, caDigest: nil, metadata: metadata)
    seal(access.authorities)
  }

  /// Seals the certificates that may vouch for the server from now on.
  mutating func seal(_ authorities: CertificateAuthorities?) {
    let digests = authorities?.certificateDigests ?? []
    caCertificates = digests.isEmpty ? nil : Set(digests).sorted()
    caDigest = digests.isEmpty ? authorities?.digest : nil
  }

  /// Whether certificate authorities beside the system's are sealed.
  var hasAuthorities: Bool { caDigest != nil || caCertificates != nil }

  /// The settings that are kept as they are. Of the certificate authorities the content counts, not the path.
  private static let sealed = AccountSetting.all.filter { $0.isSealed && $0 != .caFile }

  /// The settings as far as they are sealed, for an account that the settings file no longer names. Nil where they do not
  /// suffice to reach the server: the path of a certificate authority file is not kept.
  package var configuration: AccountConfiguration? {
    guard !hasAuthorities, var configuration = AccountConfiguration(settings) else { return nil }
    configuration.proxy = proxy
    return configuration
  }

  /// The first setting that differs from what the person signed in with, by its name in the settings file. Of a file of
  /// certificate authorities one sealed certificate must be left; the others are not used.
  ///
  /// - Parameter certificates: The digests of the certificates in the file.
  package func difference(
    from configuration: AccountConfiguration, caDigest: String?, certificates: [String] = []
  ) -> String? {
    if let setting = Self.sealed.first(where: { !isSame($0, in: configuration) }) { return setting.name }
    let hasSealed = caCertificates.map { certificates.contains(where: $0.contains) } ?? (self.caDigest == caDigest)
    return hasSealed ? nil : AccountSetting.caFile.name
  }

  /// The same for settings in the form that requests need.
  ///
  /// - Parameter configuration: Compared in place of those settings.
  func difference(from access: AccountAccess, as configuration: AccountConfiguration? = nil) -> String? {
    difference(
      from: configuration ?? access.configuration, caDigest: access.authorities?.digest,
      certificates: access.authorities?.certificateDigests ?? [])
  }

  /// Whether these settings name the client that this is about.
  func isSameClient(as configuration: AccountConfiguration) -> Bool {
    isSameIssuer(as: configuration) && isSame(.clientID, in: configuration)
  }

  /// Whether these settings name the server that this is about.
  func isSameIssuer(as configuration: AccountConfiguration) -> Bool { isSame(.issuer, in: configuration) }

  /// Compares bytes: two spellings of one character name two places.
  private func isSame(_ setting: AccountSetting, in configuration: AccountConfiguration) -> Bool {
    let now = setting.effectiveValue(in: configuration.settings)
    return setting.effectiveValue(in: settings)?.serialized() == now?.serialized()
  }

  /// Whether `proxy` is the one that was signed in through.
  ///
  /// Another one is no ``difference(from:caDigest:)``, since it carries only what TLS protects; but it
  /// must not get the credentials.
  func mayGiveCredentials(to proxy: String) -> Bool {
    self.proxy.map { $0.utf8.elementsEqual(proxy.utf8) } ?? false
  }

  /// Whether an endpoint is at an origin that was there at sign-in.
  func includes(_ endpoint: Endpoint) -> Bool { origins.contains(endpoint.uri.origin) }

  /// The first origin in `metadata` that was not there at sign-in.
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
    guard var settings = try? AccountSettings(members: { json[$0] }, among: Self.sealed), settings.issuer != nil,
      settings.clientID != nil, let origins = texts("origins")
    else { return nil }
    // Older records have the endpoints as a list of `name=URL`.
    guard let endpoints = json["named_endpoints"] == nil ? [] : texts("named_endpoints") else { return nil }
    for endpoint in endpoints {
      let parts = endpoint.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let setting = AccountSetting.endpoints.first(where: { $0.name == parts[0] }),
        (try? setting.set(.string(String(parts[1])), in: &settings)) != nil
      else { return nil }
    }
    self.settings = settings
    caDigest = json["ca_digest"]?.string
    caCertificates = texts("ca_certificates")
    self.origins = origins
    proxy = json["proxy"]?.string
    resourceOrigins = texts("resource_origins") ?? []
    userinfoOrigin = json["userinfo_origin"]?.string
  }
}
