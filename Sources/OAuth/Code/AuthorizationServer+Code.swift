package import Crypto

extension AuthorizationServer {
  /// Trades a code for tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.5). Sent once, and again only
  /// where a server refused the proof of the key before it looked at the code: a second use of a code may end
  /// what the first one got (RFC 6749 section 4.1.2).
  ///
  /// - Throws: `codeRejected` when the code is not, or no longer, good.
  package func exchange(
    _ code: SharedSecret, of request: AuthorizationRequest, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenEndpointAnswer {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, GrantType.code)
      form.add(.code, secret: code)
      form.add(.redirectURI, request.redirectURI)
      form.add(.codeVerifier, secret: request.verifier.secret)
      for resource in request.options.resources { form.add(.resource, resource) }
    }
    do throws(OAuthError) {
      return try answer(in: response, kind: .code, sent: secrets(code, request.verifier.secret))
    } catch {
      var error = error
      // The grant is the code here, and no session has ended.
      if error.code.meaning == .grantEnded { error.code = .codeRejected }
      throw error
    }
  }
}
