/// Parameters that only this program sets.
enum RequestParameter: String, Sendable, CaseIterable {
  case assertion
  case acrValues = "acr_values"
  case audience
  case authorizationDetails = "authorization_details"
  case claims
  case clientAssertion = "client_assertion"
  case clientAssertionType = "client_assertion_type"
  case clientID = "client_id"
  case clientSecret = "client_secret"
  case code
  case codeChallenge = "code_challenge"
  case codeChallengeMethod = "code_challenge_method"
  case codeVerifier = "code_verifier"
  case deviceCode = "device_code"
  case dpopJKT = "dpop_jkt"
  case grantType = "grant_type"
  case idTokenHint = "id_token_hint"
  case loginHint = "login_hint"
  case maxAge = "max_age"
  case nonce
  case prompt
  case redirectURI = "redirect_uri"
  case refreshToken = "refresh_token"
  case requestURI = "request_uri"
  case requestedTokenType = "requested_token_type"
  case resource
  case responseType = "response_type"
  case scope
  /// In device grants, for ``Provider/Quirk/scopesInDeviceGrant``.
  case scopes
  case state
  case subjectToken = "subject_token"
  case subjectTokenType = "subject_token_type"
  case token
  case tokenTypeHint = "token_type_hint"
}
