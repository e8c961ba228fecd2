internal import Encoding
internal import Platform
internal import Wire

/// Makes an account's settings of a command line.
enum SettingsOptions {
  /// What the options name. The proxy is not an option: see ``LoginOptions/proxy(from:)``.
  static func read(_ invocation: Invocation) throws(Failure) -> AccountSettings {
    var settings = AccountSettings()
    settings.issuer = invocation.text(.issuer)
    settings.clientID = invocation.text(.clientID)
    settings.service = invocation.text(.provider).flatMap { KnownServiceName(rawValue: $0) }
    settings.scope = invocation.texts(.scope).flatMap { $0.split(separator: " ").map { String($0) } }
    settings.resources = invocation.texts(.resource)
    settings.audience = invocation.text(.audience)
    settings.tokenEndpointAuthMethod = invocation.text(.tokenEndpointAuthMethod)
    settings.authentication = authentication(invocation)
    settings.signing.idTokenAlgorithm = invocation.text(.idTokenAlgorithm)
    settings.signing.userInfoAlgorithm = invocation.text(.userInfoAlgorithm)
    settings.caFile = try invocation.text(.caFile).map { (path) throws(Failure) in try absolute(path) }
    settings.pins = invocation.texts(.pin)
    settings.allowHTTPLoopback = invocation.has(.allowHTTPLoopback)
    settings.endpoints.token = invocation.text(.tokenEndpoint)
    settings.endpoints.deviceAuthorization = invocation.text(.deviceAuthorizationEndpoint)
    settings.endpoints.userinfo = invocation.text(.userinfoEndpoint)
    settings.endpoints.revocation = invocation.text(.revocationEndpoint)
    settings.endpoints.registration = invocation.text(.registrationEndpoint)
    settings.endpoints.jwks = invocation.text(.jwksURI)
    settings.redirectURI = invocation.text(.redirectURI)
    settings.keepsAccessToken = invocation.has(.keep)
    settings.dpop = invocation.has(.dpop)
    settings.origins = invocation.texts(.host)
    settings.refresh = invocation.text(.refresh).flatMap { RefreshPolicyName(rawValue: $0) }
    settings.protection = invocation.text(.protect).flatMap { ProtectionLevel(rawValue: $0) }
    return settings
  }

  private static func authentication(_ invocation: Invocation) -> ClientAuthenticationSettings {
    var settings = ClientAuthenticationSettings()
    settings.basicUnencoded = invocation.has(.basicUnencoded)
    settings.keyAlgorithm = invocation.text(.clientKeyAlgorithm)
    settings.keyID = invocation.text(.clientKeyID)
    settings.assertionAudience = invocation.text(.assertionAudience).flatMap { .init(rawValue: $0) }
    return settings
  }

  /// What `--unset` calls a setting: as its option is called, where it has one.
  static func word(for setting: AccountSetting) -> String {
    switch setting {
    case .pins: OptionName.pin.rawValue
    case .origins: OptionName.host.rawValue
    case .clientCertificate: OptionName.clientCertificateFile.rawValue
    default: String(setting.rawValue.map { $0 == "_" ? "-" : $0 })
    }
  }

  /// The settings that `--unset` names.
  static func unset(_ invocation: Invocation) -> [AccountSetting] {
    let words = invocation.texts(.unset)
    return AccountSetting.allCases.filter { setting in
      words.contains { $0.utf8.elementsEqual(word(for: setting).utf8) }
    }
  }

  /// The absolute path of a file: the daemon has another current directory.
  static func absolute(_ path: String) throws(Failure) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let directory = Machine.currentDirectory() else {
      throw Failure(.invalidRequest, "the file \"\(path)\" was not found", hint: "give it as an absolute path")
    }
    return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
  }
}
