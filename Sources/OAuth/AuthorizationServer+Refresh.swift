package import Crypto

extension AuthorizationServer {
  /// Trades a refresh token for new tokens (RFC 6749 section 6). Sent once, and again only where a server
  /// wants another proof of the key.
  ///
  /// - Parameter target: Only to ask for something else than all that was granted.
  /// - Throws: `invalidGrant` when the sign-in is over; ``OAuthError/lostAnswer`` tells when the token may
  ///   have been spent without an answer.
  package func refresh(
    _ token: SharedSecret, for target: TokenTarget? = nil, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenResponse {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add("grant_type", "refresh_token")
      form.add("refresh_token", secret: token)
      form.add(target)
    }
    return try tokens(in: response, kind: .refresh, sent: secrets(token))
  }
}
