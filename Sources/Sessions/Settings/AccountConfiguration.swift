internal import Encoding
package import OAuth

/// The settings of an account that can sign in: ``AccountSettings`` with an issuer and a client. Contains no secrets.
@dynamicMemberLookup
package struct AccountConfiguration: Sendable, Hashable {
  package private(set) var settings: AccountSettings {
    get { shared.settings }
    set { shared = SharedSettings(newValue) }
  }
  /// A reference, since copying properties took a megabyte of machine code.
  private var shared: SharedSettings

  package init(issuer: String, clientID: String) {
    shared = SharedSettings(AccountSettings())
    self.issuer = issuer
    self.clientID = clientID
  }

  /// Nil without an issuer.
  init?(_ settings: AccountSettings) {
    guard settings.issuer != nil else { return nil }
    shared = SharedSettings(settings)
  }

  package var issuer: String {
    get { shared.settings.issuer ?? "" }
    set { settings.issuer = newValue }
  }

  /// Empty until a sign-in finds or registers the client.
  package var clientID: String {
    get { shared.settings.clientID ?? "" }
    set { settings.clientID = newValue.isEmpty ? nil : newValue }
  }

  package var tokenEndpointAuthMethod: ClientAuthenticationMethod {
    get { shared.settings.tokenEndpointAuthMethod ?? ClientAuthenticationMethod.none }
    set { settings.tokenEndpointAuthMethod = newValue }
  }

  package var refresh: RefreshPolicy {
    get { shared.settings.refresh ?? .proactive }
    set { settings.refresh = newValue }
  }

  package subscript<Value>(dynamicMember member: WritableKeyPath<AccountSettings, Value>) -> Value {
    get { shared.settings[keyPath: member] }
    set { settings[keyPath: member] = newValue }
  }

  package mutating func apply(_ other: AccountSettings) { settings.apply(other) }

  /// Resets a setting and those that depend on it.
  package mutating func unset(_ setting: AccountSetting) {
    setting.unset(in: &settings)
    if setting === AccountSetting.table.proxy { (settings.proxyExclusions, settings.proxySource) = (nil, nil) }
    if setting === AccountSetting.table.assertionFrom { settings.assertionVariable = nil }
  }

  /// Whether the settings name an assertion's variable, but not the platform that uses it.
  package var hasUnusedVariable: Bool {
    shared.settings.assertionVariable != nil && shared.settings.assertionFrom != .gitLabCI
  }

  package var providerSettings: Provider? { shared.settings.provider.map { Provider.named($0) } }

  package func usesServer(_ issuer: String) -> Bool {
    providerSettings?.isSameServer(self.issuer, as: issuer) ?? self.issuer.hasSameBytes(as: issuer)
  }

  /// Whether a resource names the account's server, with or without a final slash.
  package func isNamed(by resource: ProtectedResource) -> Bool {
    resource.authorizationServers.contains { server in
      usesServer(server.text) || usesServer(server.text + "/")
        || server.text.hasSuffix("/") && usesServer(String(server.text.dropLast()))
    }
  }

  /// Nil if the settings specify neither resources nor an audience.
  package func target() throws(OAuthError) -> TokenTarget? {
    try TokenTarget(scope: [], resources: shared.settings.resources, audience: shared.settings.audience)
  }

  package func extraParameters() throws(ExtraParameters.Problem) -> ExtraParameters {
    try ExtraParameters(
      parameters: shared.settings.parameters, claims: shared.settings.claims,
      authorizationDetails: shared.settings.authorizationDetails,
      provider: providerSettings)
  }

  /// Whether `other`'s tokens remain valid: at most the refresh policy differs.
  package func differsOnlyInRefreshPolicy(from other: AccountConfiguration) -> Bool {
    var same = other
    same.refresh = refresh
    return same == self
  }

  /// Adds the resources and audience to options without them.
  func adding(to options: AuthorizationOptions) -> AuthorizationOptions {
    var options = options
    if options.resources.isEmpty { options.resources = shared.settings.resources }
    options.audience = options.audience ?? shared.settings.audience
    return options
  }

  /// Whether the client has no secret, key or certificate.
  var isPublicClient: Bool {
    tokenEndpointAuthMethod == ClientAuthenticationMethod.none && !shared.settings.usesClientCertificate
  }

  /// Copies the client's registered algorithms (OpenID Connect Dynamic Client Registration 1.0 section 2). Throws
  /// `registrationUnusable` for another than requested, or an unsupported one for UserInfo.
  mutating func adopt(_ registration: ClientRegistration) throws(SessionError) {
    func agree(_ asked: SigningAlgorithm?, _ found: String?, _ what: String) throws(SessionError) {
      guard let asked, let found, !asked.rawValue.hasSameBytes(as: found) else { return }
      throw .oauth(OAuthError(.registrationUnusable, .reason("with a different signature of \(what) than requested")))
    }
    try agree(shared.settings.idTokenAlgorithm, registration.idTokenAlgorithm, "ID Tokens")
    try agree(shared.settings.userInfoAlgorithm, registration.userInfoAlgorithm, "UserInfo")
    // The settings contain a key's algorithm only if the user chose it.
    if let algorithm = registration.idTokenAlgorithm.flatMap({ SigningAlgorithm(rawValue: $0) }), algorithm.isSymmetric
    {
      settings.idTokenAlgorithm = algorithm
    }
    if let name = registration.userInfoAlgorithm, name != "none" {
      guard let algorithm = SigningAlgorithm(rawValue: name), !algorithm.isSymmetric else {
        throw .oauth(OAuthError(.registrationUnusable, .reason("with a signature of UserInfo that is not supported")))
      }
      settings.userInfoAlgorithm = algorithm
    }
  }

  // MARK: - The settings file

  /// Parses an account's object at `path`.
  init(_ object: JSONObject, path: String) throws(ConfigurationError) {
    let settings: AccountSettings
    do { settings = try AccountSettings(members: { object[$0] }) } catch {
      throw ConfigurationError(.invalid, "\(path).\(error.name)", expected: error.expected)
    }
    guard let configuration = Self(settings) else { throw ConfigurationError(.invalid, "\(path).issuer") }
    if configuration.hasUnusedVariable { throw ConfigurationError(.invalid, "\(path).assertion_variable") }
    self = configuration
  }

  /// The settings file's object, with the unknown members of `old`.
  func json(over old: JSONObject) -> JSONObject {
    var object = old
    for setting in AccountSetting.all { object[setting.name] = setting.value(in: settings) }
    return object
  }
}

/// Omits settings that equal their defaults.
private final class SharedSettings: Sendable, Hashable {
  let settings: AccountSettings

  init(_ settings: AccountSettings) {
    var settings = settings
    for setting in AccountSetting.all {
      guard let defaultValue = setting.defaultValue, setting.value(in: settings) == .string(defaultValue) else {
        continue
      }
      setting.unset(in: &settings)
    }
    self.settings = settings
  }

  static func == (left: SharedSettings, right: SharedSettings) -> Bool {
    left === right || left.settings == right.settings
  }

  func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}
