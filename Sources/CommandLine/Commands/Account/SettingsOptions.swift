internal import Encoding
internal import Platform
internal import Wire

/// Makes an account's settings of a command line.
enum SettingsOptions {
  /// The settings that the options name. The proxy is not an option: see ``LoginOptions/proxy(from:)``.
  static func read(_ invocation: Invocation) throws(Failure) -> AccountSettings {
    var settings = AccountSettings()
    settings.issuer = invocation[.issuer]
    settings.clientID = invocation[.clientID]
    settings.service = invocation[.provider]
    settings.scope = invocation[.scope]
    settings.resources = invocation[.resource]
    settings.audience = invocation[.audience]
    settings.tokenEndpointAuthMethod = invocation[.tokenEndpointAuthMethod]
    settings.authentication.basicUnencoded = invocation[.basicUnencoded]
    settings.authentication.keyAlgorithm = invocation[.clientKeyAlgorithm]
    settings.authentication.keyID = invocation[.clientKeyID]
    settings.authentication.assertionAudience = invocation[.assertionAudience]
    settings.signing.idTokenAlgorithm = invocation[.idTokenAlgorithm]
    settings.signing.userInfoAlgorithm = invocation[.userInfoAlgorithm]
    settings.caFile = try invocation[.caFile].map { (path) throws(Failure) in try absolute(path) }
    settings.pins = invocation[.pin]
    settings.allowHTTPLoopback = invocation[.allowHTTPLoopback]
    settings.endpoints.token = invocation[.tokenEndpoint]
    settings.endpoints.deviceAuthorization = invocation[.deviceAuthorizationEndpoint]
    settings.endpoints.userinfo = invocation[.userinfoEndpoint]
    settings.endpoints.revocation = invocation[.revocationEndpoint]
    settings.endpoints.registration = invocation[.registrationEndpoint]
    settings.endpoints.jwks = invocation[.jwksURI]
    settings.redirectURI = invocation[.redirectURI]
    settings.keepsAccessToken = invocation[.keep]
    settings.dpop = invocation[.dpop]
    settings.origins = invocation[.host]
    settings.refresh = invocation[.refresh]
    settings.protection = invocation[.protect]
    return settings
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
