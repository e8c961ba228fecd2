import Encoding

/// An error answer of the token endpoint and of the endpoints that follow its form
/// (RFC 6749 section 5.2, RFC 8628 section 3.5, RFC 7009 section 2.2.1).
struct OAuthFailure: Error, Hashable, Sendable {
  enum Code: String, Sendable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case accessDenied = "access_denied"
    case expiredToken = "expired_token"
    /// RFC 6749 section 4.1.2.1.
    case unsupportedResponseType = "unsupported_response_type"
    /// OpenID Connect Core 1.0 section 3.1.2.6.
    case loginRequired = "login_required"
    case invalidRequestURI = "invalid_request_uri"
    case requestNotSupported = "request_not_supported"
    /// RFC 8707 section 2.
    case invalidTarget = "invalid_target"
    /// RFC 7591 section 3.2.2.
    case invalidRedirectURI = "invalid_redirect_uri"
    case invalidClientMetadata = "invalid_client_metadata"
    case invalidSoftwareStatement = "invalid_software_statement"
    case invalidDPoPProof = "invalid_dpop_proof"
    case useDPoPNonce = "use_dpop_nonce"
    case serverError = "server_error"
  }

  let code: Code
  /// For the developer; our own words in printable ASCII.
  let description: String
  /// The nonce that the client is to use (RFC 9449 section 8).
  let dpopNonce: String?

  init(_ code: Code, _ description: String, dpopNonce: String? = nil) {
    self.code = code
    self.description = description
    self.dpopNonce = dpopNonce
  }

  /// Failed client authentication is answered with 401 and a challenge (RFC 6749 section 5.2).
  var response: Response {
    let status =
      switch code {
      case .invalidClient: 401
      case .serverError: 500
      default: 400
      }
    var response = Response.json(
      ["error": .string(code.rawValue), "error_description": .string(description)], status: status)
    if code == .invalidClient {
      response.headers.append(("WWW-Authenticate", "Basic realm=\"devissuer\""))
    }
    if let dpopNonce { response.headers.append(("DPoP-Nonce", dpopNonce)) }
    return response
  }
}
