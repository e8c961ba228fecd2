package import Crypto
internal import Encoding

/// A token endpoint's tokens (RFC 6749 section 5.1).
package final class TokenResponse: Sendable {
  package let accessToken: SharedSecret
  /// `Bearer` or `DPoP`, as in RFC 6750 and RFC 9449.
  package let tokenType: String
  /// The access token's lifetime in seconds, at most ten years; nil if absent or invalid.
  package let expiresIn: Int?
  /// In seconds. Nil if absent, invalid or 0, which some servers send for "never".
  package let refreshTokenExpiresIn: Int?
  /// Seconds until the grant expires, despite refreshes; nil as for ``refreshTokenExpiresIn``.
  package let authorizationExpiresIn: Int?
  /// The granted scope. Nil if invalid, or if absent, which means as requested (RFC 6749 section 5.1).
  package let scope: Scope?
  /// As granted (RFC 9396 section 7); nil if absent or invalid.
  package let authorizationDetails: AuthorizationDetails?
  /// Nil after a refresh if the old one stays valid (RFC 6749 section 6).
  package let refreshToken: SharedSecret?
  /// Not verified yet.
  package let idToken: SharedSecret?
  /// Set after a token exchange (RFC 8693 section 2.2.1).
  let issuedTokenType: String?
  /// The response's `Date`, in unix seconds.
  package let serverDate: Int?

  /// Throws the server's error, `unsupportedTokenType`, or `malformedResponse`, also for tokens that no header can
  /// contain.
  package static func parse(
    _ response: HTTPResponse, format: ResponseFormat = .init()
  ) throws(OAuthError) -> TokenResponse {
    try parse(response, kind: .other, sent: [], format: format)
  }

  static func parse(
    _ response: HTTPResponse, kind: RequestKind, sent: [SharedSecret], format: ResponseFormat
  ) throws(OAuthError) -> TokenResponse {
    try response.body.withBytes { (bytes) throws(OAuthError) in
      let reader = try JSONResponseReader(
        response, bytes, subject: .endpoint(.token), kind: kind, sent: sent, format: format)
      return try TokenResponse(reader, bytes, format, serverDate: response.headers.date)
    }
  }

  /// Extracts a successful response's refresh token, even if the rest is malformed or truncated. Nil unless there is
  /// exactly one, of 1 to 65,536 printable ASCII characters (RFC 6749 appendix A.17).
  static func refreshToken(in response: HTTPResponse) -> SharedSecret? {
    guard (200..<300).contains(response.status) else { return nil }
    return response.body.withBytes { bytes in
      if let root = try? JSONLayout(parsing: bytes, limits: .lenient).root {
        let members = root.members(named: refreshTokenMember)
        return members.count == 1 ? refreshToken(members[0], bytes, response.body.arena) : nil
      }
      guard let range = LooseJSONObject.onlyString(named: refreshTokenMember, in: bytes) else { return nil }
      let text = bytes.extracting(range)
      guard let string = try? JSONLayout(parsing: text).root else { return nil }
      return refreshToken(string, text, response.body.arena)
    }
  }

  private static let refreshTokenMember = "refresh_token"
  private static let maximumRefreshTokenBytes = 65_536

  private static func refreshToken(
    _ node: JSONLayout.Node, _ bytes: Span<UInt8>, _ arena: SecretArena?
  ) -> SharedSecret? {
    guard let count = node.stringByteCount, (1...maximumRefreshTokenBytes).contains(count) else { return nil }
    return try? JSONResponseReader.secret(node, in: bytes, arena, allowed: 0x20...0x7E)
  }

  /// Throws `scopeWithheld` if the granted scope lacks required values (RFC 6749 section 3.3). An omitted scope is as
  /// requested.
  package func check(covers requiredScope: Scope?) throws(OAuthError) {
    guard let requiredScope, let missing = scope?.missing(of: requiredScope), !missing.isEmpty else { return }
    var error = OAuthError(.scopeWithheld, .endpoint(.token))
    error.serverDescription = missing.joined(separator: " ")
    throw error
  }

  private init(
    _ reader: borrowing JSONResponseReader, _ bytes: Span<UInt8>, _ format: ResponseFormat, serverDate: Int?
  ) throws(OAuthError) {
    // Sent in a header, so without spaces (RFC 6749 appendix A, RFC 6750 section 2.1).
    guard let accessToken = try reader.secret("access_token", in: bytes, allowed: 0x21...0x7E) else {
      throw reader.malformed("access_token")
    }
    self.accessToken = accessToken
    // LinkedIn and Shopify omit the type for Bearer, contrary to RFC 6749 section 5.1.
    let type = reader.member("token_type").flatMap { $0.stringByteCount == 0 ? nil : $0 }
    tokenType =
      try type.map { type throws(OAuthError) in try Self.normalized(type.string(in: bytes), format) } ?? "Bearer"
    expiresIn = try? reader.seconds("expires_in", in: bytes)
    // From draft-ietf-oauth-refresh-token-expiration-03, with an earlier name.
    let ends = ["refresh_token_timeout", "refresh_token_expires_in", "authorization_expires_in"].map { name in
      (try? reader.seconds(name, in: bytes)).flatMap { $0 > 0 ? $0 : nil }
    }
    (refreshTokenExpiresIn, authorizationExpiresIn) = (ends[0] ?? ends[1], ends[2])
    scope = Self.scope(reader, bytes, format.scope)
    authorizationDetails = reader.member("authorization_details").flatMap { AuthorizationDetails($0.value(in: bytes)) }
    refreshToken = reader.member(Self.refreshTokenMember).flatMap { Self.refreshToken($0, bytes, reader.arena) }
    idToken = try reader.secret("id_token", in: bytes, allowed: 0x21...0x7E)
    issuedTokenType = try? reader.text("issued_token_type", in: bytes)
    self.serverDate = serverDate
  }

  /// Ignores case; Apigee sends "BearerToken". Throws for unknown types (RFC 6749 section 7.1).
  private static func normalized(_ type: String?, _ format: ResponseFormat) throws(OAuthError) -> String {
    switch type.flatMap({ $0.utf8.count < 16 ? $0.lowercased() : nil }) {
    case "bearer", "bearertoken": "Bearer"
    case "dpop": "DPoP"
    case "user" where format.allowsUserTokenType: "Bearer"
    default: throw OAuthError(.unsupportedTokenType, .endpoint(.token))
    }
  }

  private static func scope(
    _ reader: borrowing JSONResponseReader, _ bytes: Span<UInt8>, _ form: ResponseFormat.ScopeForm
  ) -> Scope? {
    if form == .array, let node = reader.member("scope"), node.kind == .array {
      return try? Scope(values: (node.value(in: bytes).array ?? []).compactMap(\.string))
    }
    guard let text = try? reader.text("scope", in: bytes) else { return nil }
    // Values may contain commas (RFC 6749 section 3.3), which separate only if nothing else does.
    let isInCommas = form == .commas || !text.utf8.contains(UInt8(ascii: " ")) || text.hasPart(", ")
    guard isInCommas else { return try? Scope(text) }
    return try? Scope(values: text.split { $0 == "," || $0 == " " }.map(String.init))
  }
}

/// A token endpoint's response. Store its refresh token before calling ``tokens()``.
package struct TokenEndpointResponse: Sendable {
  package let refreshToken: SharedSecret?
  private let outcome: Result<TokenResponse, OAuthError>

  package init(_ tokens: TokenResponse) {
    refreshToken = tokens.refreshToken
    outcome = .success(tokens)
  }

  init(_ refreshToken: SharedSecret, butFailed error: OAuthError) {
    self.refreshToken = refreshToken
    outcome = .failure(error)
  }

  /// Returns the validated tokens, or throws why they are unusable.
  package func tokens() throws(OAuthError) -> TokenResponse { try outcome.get() }
}
