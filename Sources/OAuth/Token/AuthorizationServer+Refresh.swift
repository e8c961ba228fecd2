package import Crypto

extension AuthorizationServer {
  /// Trades a refresh token for new tokens (RFC 6749 section 6). Sent once, and again only where a server
  /// wants another proof of the key.
  ///
  /// - Parameter target: Only to ask for something else than all that was granted.
  /// - Throws: `invalidGrant` when the sign-in is over; ``OAuthError/lostAnswer`` tells when the token may
  ///   have been spent without an answer, ``OAuthError/brokenAnswer`` when it may have been spent with one that is
  ///   of no use.
  package func refresh(
    _ token: SharedSecret, for target: TokenTarget? = nil, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenEndpointAnswer {
    let response: HTTPResponse
    do throws(OAuthError) {
      response = try requestTokens(cancellation: cancellation) { form in
        form.add(.grantType, GrantType.refresh)
        form.add(.refreshToken, secret: token)
        form.add(target)
      }
    } catch {
      var error = error
      error.brokenAnswer = error.answerBegan && error.code != .redirectRefused
      throw error
    }
    return try answer(in: response, kind: .refresh, sent: secrets(token))
  }
}
