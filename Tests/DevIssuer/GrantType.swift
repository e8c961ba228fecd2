/// The values of `grant_type` that are known here.
enum GrantType {
  /// RFC 6749 section 4.1.3.
  static let authorizationCode = "authorization_code"
  /// RFC 8628 section 3.4.
  static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  /// RFC 6749 section 6.
  static let refreshToken = "refresh_token"

  /// RFC 6749 section 4.4.
  static let clientCredentials = "client_credentials"
  /// RFC 8693 section 2.1.
  static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

  static let all = [authorizationCode, deviceCode, refreshToken, clientCredentials, tokenExchange]
}
