/// The values of `grant_type` that are known here.
enum GrantType {
  /// RFC 8628 section 3.4.
  static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  /// RFC 6749 section 6.
  static let refreshToken = "refresh_token"
}
