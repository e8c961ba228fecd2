/// Which kind of token is revoked (RFC 7009 section 2.1).
package enum RevocationHint: String, Sendable {
  case refreshToken = "refresh_token"
  case accessToken = "access_token"
}
