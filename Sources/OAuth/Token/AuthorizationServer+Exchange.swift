package import Crypto

extension AuthorizationServer {
  private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

  /// Trades an access token for one that is good for something else (RFC 8693 section 2.1).
  ///
  /// - Throws: `invalidTarget` when the server gives none for that resource or audience; `unsupportedTokenType` for
  ///   a token that is no access token (RFC 8693 section 2.2.1); `scopeWithheld`.
  package func exchange(
    _ subjectToken: SharedSecret, for target: TokenTarget, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenResponse {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, GrantType.tokenExchange)
      form.add(.subjectToken, secret: subjectToken)
      form.add(.subjectTokenType, Self.accessTokenType)
      form.add(.requestedTokenType, Self.accessTokenType)
      form.add(target)
    }
    let tokens = try tokens(in: response, kind: .exchange, sent: secrets(subjectToken))
    guard let type = tokens.issuedTokenType else {
      throw OAuthError(.malformedResponse, "the token endpoint (issued_token_type)", httpStatus: response.status)
    }
    guard type.utf8.elementsEqual(Self.accessTokenType.utf8) else {
      throw OAuthError(.unsupportedTokenType, "the token endpoint")
    }
    try tokens.check(covers: target.scope)
    return tokens
  }
}
