extension AuthorizationServer {
  /// Asks for a token for the client itself, with no user behind it (RFC 6749 section 4.4).
  ///
  /// - Parameters:
  ///   - scope: The scope to request where `target` names none.
  ///   - target: The target of the token.
  /// - Throws: `invalidClient` when client authentication fails; `unauthorizedClient` when the client may not use this
  ///   grant.
  package func tokensForClient(
    scope: Scope?, target: TokenTarget? = nil, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenResponse {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, GrantType.clientCredentials)
      if target?.scope == nil { form.add(scope) }
      form.add(target)
    }
    return try tokens(in: response, kind: .other, sent: secrets())
  }
}
