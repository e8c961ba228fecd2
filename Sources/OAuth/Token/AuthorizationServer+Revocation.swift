package import Crypto

extension AuthorizationServer {
  /// Revokes a token (RFC 7009). Succeeds for unknown tokens. After a 401, retries with the access token `bearer`, as
  /// Glewlwyd requires of public clients.
  ///
  /// - Throws: `unsupportedTokenRevocation` if the server cannot; `serverUnavailable` if the token is still valid
  ///   (section 2.2.1).
  package func revoke(
    _ token: SharedSecret, hint: TokenTypeHint, bearer: SharedSecret?, cancellation: Cancellation? = nil
  ) throws(OAuthError) {
    let subject = OAuthError.Subject.endpoint(.revocation)
    let endpoint = try require(.revocation)
    var form = revocation(of: token, hint)
    let method = client.authentication.adapted(to: metadata.revocationEndpointAuthMethods)
    let proof = try Client(id: client.id, authentication: method).addAuthentication(
      to: &form, for: endpoint, of: metadata)
    var response = try post(form, to: endpoint, .revocation, authorization: proof, cancellation: cancellation)
    if response.status == 401, case .none = client.authentication, let bearer {
      response = try sendWithProof(.post, endpoint, as: .resourceServer, accessToken: bearer) {
        (proof) throws(OAuthError) in
        var form = revocation(of: token, hint)
        form.add(.clientID, client.id)
        var request = HTTPRequest(
          post: endpoint, .revocation, form: try form.finish(), transport: privateTransport, cancellation: cancellation)
        request.authorization = try authorization(with: bearer)
        request.proof = proof
        return try send(request)
      }
      if response.status == 401, prover != nil, hint == .refreshToken { response = try delete(token, cancellation) }
    }
    // See RFC 7009 section 2.2.
    guard !(200..<300).contains(response.status) else { return }
    let sent = secrets(token, bearer)
    throw OAuthError.forResponse(
      response, ErrorResponse.read(response, sent: sent, format: responseFormat), subject, sent: sent)
  }

  /// Revokes by Glewlwyd's own grant type, since Glewlwyd 2.7.5 expects another URL in DPoP proofs at its revocation
  /// endpoint.
  private func delete(_ refreshToken: SharedSecret, _ cancellation: Cancellation?) throws(OAuthError) -> HTTPResponse {
    try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, "delete_token")
      form.add(.refreshToken, secret: refreshToken)
    }
  }

  private func revocation(of token: SharedSecret, _ hint: TokenTypeHint) -> RequestForm {
    var form = RequestForm()
    form.add(.token, secret: token)
    form.add(.tokenTypeHint, hint.rawValue)
    return form
  }
}

/// A token's type (RFC 7009 section 2.1).
package enum TokenTypeHint: String, Sendable {
  case refreshToken = "refresh_token"
  case accessToken = "access_token"
}
