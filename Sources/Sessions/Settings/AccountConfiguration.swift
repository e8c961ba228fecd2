internal import Encoding
package import OAuth
package import Vocabulary

/// The settings of an account that can be signed in to: ``AccountSettings`` that name an issuer and a client.
///
/// They hold no secret and cannot alone send a secret anywhere: see ``Authority``.
@dynamicMemberLookup
package struct AccountConfiguration: Sendable, Hashable {
  /// The settings that differ from their defaults. A default that was named is the same as one that was not.
  package private(set) var settings: AccountSettings {
    didSet { dropDefaults() }
  }

  package init(issuer: String, clientID: String) {
    settings = AccountSettings()
    settings.issuer = issuer
    settings.clientID = clientID
  }

  /// Nil without an issuer or a client.
  init?(_ settings: AccountSettings) {
    guard settings.issuer != nil, settings.clientID != nil else { return nil }
    self.settings = settings
    dropDefaults()
  }

  package var issuer: String {
    get { settings.issuer ?? "" }
    set { settings.issuer = newValue }
  }

  package var clientID: String {
    get { settings.clientID ?? "" }
    set { settings.clientID = newValue }
  }

  package var tokenEndpointAuthMethod: ClientAuthenticationMethod {
    get { settings.tokenEndpointAuthMethod ?? ClientAuthenticationMethod.none }
    set { settings.tokenEndpointAuthMethod = newValue }
  }

  package var refresh: RefreshPolicy {
    get { settings.refresh ?? .proactive }
    set { settings.refresh = newValue }
  }

  package subscript<Value>(dynamicMember member: WritableKeyPath<AccountSettings, Value>) -> Value {
    get { settings[keyPath: member] }
    set { settings[keyPath: member] = newValue }
  }

  /// Takes over each setting that `other` names.
  package mutating func apply(_ other: AccountSettings) { settings.apply(other) }

  /// Resets a setting to its default. The excluded hosts go with the proxy, and the variable with the platform whose it
  /// is.
  package mutating func unset(_ setting: AccountSetting) {
    setting.unset(in: &settings)
    if setting === AccountSetting.proxy { settings.proxyExclusions = nil }
    if setting === AccountSetting.assertionFrom { settings.assertionVariable = nil }
  }

  /// A variable is named, and no platform that sets it.
  package var hasIdleVariable: Bool { settings.assertionVariable != nil && settings.assertionFrom != .gitLabCI }

  private mutating func dropDefaults() {
    for setting in AccountSetting.all {
      guard let fallback = setting.fallback, setting.value(in: settings) == .string(fallback) else { continue }
      setting.unset(in: &settings)
    }
  }
}

extension AccountConfiguration {
  /// The built-in settings of the account's provider; nil if it names none.
  package var providerSettings: Provider? { settings.provider.map { Provider.named($0) } }

  /// Whether the account's server is the one with this issuer.
  package func isAt(_ issuer: String) -> Bool {
    providerSettings?.isSame(self.issuer, as: issuer) ?? self.issuer.utf8.elementsEqual(issuer.utf8)
  }

  /// The resources and the audience of the tokens of a sign-in; nil when the settings name none.
  package func target() throws(OAuthError) -> TokenTarget? {
    try TokenTarget.make(scope: [], resources: settings.resources, audience: settings.audience)
  }

  /// The parameters of a sign-in beside the scope and the target.
  package func extraParameters() throws(ExtraParameters.Problem) -> ExtraParameters {
    try ExtraParameters(
      parameters: settings.parameters, claims: settings.claims, authorizationDetails: settings.authorizationDetails,
      provider: providerSettings)
  }

  /// Whether tokens that were got under `other` are good under these settings as they are.
  package func differsOnlyInRefreshPolicy(from other: AccountConfiguration) -> Bool {
    var same = other
    same.refresh = refresh
    return same == self
  }

  /// The same for a sign-in by browser, where it does not say so itself.
  func adding(to options: AuthorizationOptions) -> AuthorizationOptions {
    var options = options
    if options.resources.isEmpty { options.resources = settings.resources }
    options.audience = options.audience ?? settings.audience
    return options
  }

  /// Whether the client needs no secret of its own.
  var isPublicClient: Bool { tokenEndpointAuthMethod == ClientAuthenticationMethod.none && !settings.clientCertificate }

  /// Adopts the algorithms that the client was registered with (OpenID Connect Dynamic Client Registration 1.0 section
  /// 2). A value that the server does not name stays as requested.
  ///
  /// - Throws: `registrationUnusable` when the server registered another algorithm than was requested, or UserInfo under
  ///   one that is not supported.
  mutating func adopt(_ registration: ClientRegistration) throws(SessionError) {
    func agree(_ asked: SigningAlgorithm?, _ found: String?, _ what: String) throws(SessionError) {
      guard let asked, let found, !asked.rawValue.utf8.elementsEqual(found.utf8) else { return }
      throw .oauth(OAuthError(.registrationUnusable, .reason("with another signature of \(what) than was asked for")))
    }
    try agree(settings.idTokenAlgorithm, registration.idTokenAlgorithm, "ID Tokens")
    try agree(settings.userInfoAlgorithm, registration.userInfoAlgorithm, "UserInfo")
    // The settings pin an algorithm of a key only if a person asked for it; otherwise the announced algorithms apply.
    if let algorithm = registration.idTokenAlgorithm.flatMap({ SigningAlgorithm(rawValue: $0) }), algorithm.isSymmetric
    {
      settings.idTokenAlgorithm = algorithm
    }
    if let name = registration.userInfoAlgorithm, !name.utf8.elementsEqual("none".utf8) {
      guard let algorithm = SigningAlgorithm(rawValue: name), !algorithm.isSymmetric else {
        throw .oauth(OAuthError(.registrationUnusable, .reason("with a signature of UserInfo that is not supported")))
      }
      settings.userInfoAlgorithm = algorithm
    }
  }
}

// MARK: - The settings file

extension AccountConfiguration {
  /// Reads an account's object; `place` names it in errors.
  init(_ object: JSONObject, place: String) throws(ConfigurationError) {
    let settings: AccountSettings
    do { settings = try AccountSettings(members: { object[$0] }) } catch {
      throw ConfigurationError(.invalid, "\(place).\(error.name)", expected: error.expected)
    }
    guard settings.issuer != nil else { throw ConfigurationError(.invalid, "\(place).issuer") }
    guard let configuration = Self(settings) else { throw ConfigurationError(.invalid, "\(place).client_id") }
    if configuration.hasIdleVariable { throw ConfigurationError(.invalid, "\(place).assertion_variable") }
    self = configuration
  }

  /// The account's object in the settings file; members that are no settings are kept from `old`.
  func json(over old: JSONObject) -> JSONObject {
    var object = old
    for setting in AccountSetting.all { object[setting.name] = setting.value(in: settings) }
    return object
  }

  /// An account of version 1 of the file as version 2 has it. Version 1 had the endpoints in an object of their own, and
  /// `keep_access_token` for `keep`.
  static func upgraded(_ old: JSONObject, place: String) throws(ConfigurationError) -> JSONObject {
    var object = old
    object["keep"] = old["keep_access_token"]
    object["keep_access_token"] = nil
    guard let value = old["endpoints"] else { return object }
    guard var endpoints = value.object else { throw ConfigurationError(.invalid, "\(place).endpoints") }
    for setting in AccountSetting.endpoints {
      object[setting.name] = endpoints[setting.name]
      endpoints[setting.name] = nil
    }
    object["endpoints"] = endpoints.isEmpty ? nil : .object(endpoints)
    return object
  }
}
