extension AuthorizationServer {
  /// Asks for a token for the client itself, with no user behind it (RFC 6749 section 4.4).
  ///
  /// - Parameters:
  ///   - scope: What to ask for where `target` does not say.
  ///   - target: Where the token is to be good.
  /// - Throws: `invalidClient` when the client cannot prove who it is; `unauthorizedClient` when it may not.
  package func tokensForClient(
    scope: Scope?, target: TokenTarget? = nil, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenResponse {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add("grant_type", ClientRegistrationRequest.clientCredentials)
      if target?.scope == nil { form.add(scope) }
      form.add(target)
    }
    return try tokens(in: response, kind: .other, sent: secrets())
  }
}
