package import Crypto
internal import Vocabulary

/// Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant-04): the server where a
/// user is signed in vouches for the user at another one.
extension AuthorizationServer {
  private static let assertionType = "urn:ietf:params:oauth:token-type:id-jag"
  private static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"

  /// Trades an ID Token for an assertion that is a grant at another server (RFC 8693 section 2.1).
  ///
  /// - Parameters:
  ///   - audience: The issuer identifier of that server.
  ///   - scope: What is to be asked for there.
  ///   - resources: What the token is to be for there (RFC 8707).
  /// - Throws: The refusal of the server; `unsupportedTokenType` for an answer that is no such assertion.
  package func identityAssertion(
    by idToken: SharedSecret, for audience: String, scope: Scope?, resources: [String], cancellation: Cancellation
  ) throws(OAuthError) -> SharedSecret {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, GrantType.tokenExchange)
      form.add(.requestedTokenType, Self.assertionType)
      form.add(.audience, audience)
      for resource in resources { form.add(.resource, resource) }
      form.add(scope)
      form.add(.subjectToken, secret: idToken)
      form.add(.subjectTokenType, Self.idTokenType)
    }
    return try response.body.withBytes { (bytes) throws(OAuthError) in
      let subject = EndpointRole.token.subject
      // Its `token_type` is `N_A`: no resource takes it (RFC 8693 section 2.2.1).
      let reader = try AnswerReader(
        response, bytes, subject: subject, kind: .exchange, sent: secrets(idToken), shape: shape)
      guard let type = try reader.text("issued_token_type", in: bytes) else {
        throw reader.malformed("issued_token_type")
      }
      guard type.utf8.elementsEqual(Self.assertionType.utf8) else { throw OAuthError(.unsupportedTokenType, subject) }
      guard let assertion = try reader.secret("access_token", in: bytes, allowed: 0x21...0x7E) else {
        throw reader.malformed("access_token")
      }
      return assertion
    }
  }
}
