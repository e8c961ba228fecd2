package import Crypto
internal import Encoding
internal import Vocabulary

/// The tokens that a token endpoint issued (RFC 6749 section 5.1).
package final class TokenResponse: Sendable {
  package let accessToken: SharedSecret
  /// `Bearer` or `DPoP`, in the spelling of RFC 6750 and RFC 9449.
  package let tokenType: String
  /// Seconds from the moment of the answer, at most ten years; nil when the server names no lifetime, or none that can
  /// be used.
  package let expiresIn: Int?
  /// Seconds until the refresh token ends; nil as for ``expiresIn``, and for 0, which some servers send for no end.
  package let refreshTokenExpiresIn: Int?
  /// Seconds until the whole grant ends, whatever is refreshed; nil as for ``refreshTokenExpiresIn``.
  package let authorizationExpiresIn: Int?
  /// The granted scope; nil when the server names none, which means as requested (RFC 6749 section 5.1), or none that
  /// can be read.
  package let scope: Scope?
  /// The granted `authorization_details` (RFC 9396 section 7); nil when the server names none that can be read.
  package let authorizationDetails: AuthorizationDetails?
  /// Nil after a refresh means that the old one stays valid (RFC 6749 section 6).
  package let refreshToken: SharedSecret?
  /// Not verified: see ``IDToken``.
  package let idToken: SharedSecret?
  /// The issued token type of a token exchange (RFC 8693 section 2.2.1); nil in other answers.
  let issuedTokenType: String?
  /// The server's clock in unix seconds, from the `Date` header.
  package let serverDate: Int?

  /// Reads an answer of the token endpoint.
  ///
  /// - Throws: The error that the answer names; `malformedResponse` for an answer that breaks RFC 6749
  ///   section 5.1 or a token with characters that must not reach a header; `unsupportedTokenType`.
  package static func parse(
    _ response: HTTPResponse, shape: AnswerShape = .init()
  ) throws(OAuthError) -> TokenResponse {
    try parse(response, kind: .other, sent: [], shape: shape)
  }

  static func parse(
    _ response: HTTPResponse, kind: RequestKind, sent: [SharedSecret], shape: AnswerShape
  ) throws(OAuthError) -> TokenResponse {
    try response.body.withBytes { (bytes) throws(OAuthError) in
      let reader = try AnswerReader(
        response, bytes, subject: .endpoint(.token), kind: kind, sent: sent, shape: shape)
      return try TokenResponse(reader, bytes, shape, serverDate: response.headers.date)
    }
  }

  /// The refresh token of a success (RFC 6749 section 5.1), whatever else is wrong with the answer: from a body with
  /// one JSON object with exactly one `refresh_token`, a non-empty text of printable ASCII (appendix A.17) of at most
  /// 64 KiB. The rest of the text may break the grammar or be cut off.
  ///
  /// The server may have ended the token that was sent when it issued this one.
  static func refreshToken(in response: HTTPResponse) -> SharedSecret? {
    guard (200..<300).contains(response.status) else { return nil }
    return response.body.withBytes { bytes in
      if let root = try? JSONLayout(parsing: bytes, limits: .lenient).root {
        let members = root.members(named: refreshTokenMember)
        return members.count == 1 ? refreshToken(members[0], bytes, response.body.room) : nil
      }
      guard let range = LooseJSONObject.onlyString(named: refreshTokenMember, in: bytes) else { return nil }
      let text = bytes.extracting(range)
      guard let string = try? JSONLayout(parsing: text).root else { return nil }
      return refreshToken(string, text, response.body.room)
    }
  }

  private static let refreshTokenMember = "refresh_token"
  private static let longestRefreshToken = 65_536

  private static func refreshToken(
    _ node: JSONLayout.Node, _ bytes: Span<UInt8>, _ room: SecretRoom?
  ) -> SharedSecret? {
    guard let count = node.stringByteCount, (1...longestRefreshToken).contains(count) else { return nil }
    return try? AnswerReader.secret(node, in: bytes, room, allowed: 0x20...0x7E)
  }

  /// Refuses an answer that withholds a part of the scope that was demanded (RFC 6749 section 3.3). One that names no
  /// scope grants what was asked for.
  package func check(covers demanded: Scope?) throws(OAuthError) {
    guard let demanded, let missing = scope?.missing(of: demanded), !missing.isEmpty else { return }
    var error = OAuthError(.scopeWithheld, .endpoint(.token))
    error.serverDescription = missing.joined(separator: " ")
    throw error
  }

  private init(
    _ reader: borrowing AnswerReader, _ bytes: Span<UInt8>, _ shape: AnswerShape, serverDate: Int?
  ) throws(OAuthError) {
    // Printable, and for the token that goes into a header no space (RFC 6749 appendix A, RFC 6750 section 2.1).
    guard let accessToken = try reader.secret("access_token", in: bytes, allowed: 0x21...0x7E) else {
      throw reader.malformed("access_token")
    }
    self.accessToken = accessToken
    // RFC 6749 section 5.1 demands the type. LinkedIn and Shopify leave it out, for Bearer tokens.
    tokenType = try Self.normalised(try reader.text("token_type", in: bytes) ?? "Bearer", shape)
    expiresIn = try? reader.seconds("expires_in", in: bytes)
    // draft-ietf-oauth-refresh-token-expiration-03, and the name that services had before it.
    let ends = ["refresh_token_timeout", "refresh_token_expires_in", "authorization_expires_in"].map { name in
      (try? reader.seconds(name, in: bytes)).flatMap { $0 > 0 ? $0 : nil }
    }
    (refreshTokenExpiresIn, authorizationExpiresIn) = (ends[0] ?? ends[1], ends[2])
    scope = Self.scope(reader, bytes, shape.scope)
    authorizationDetails = reader.member("authorization_details").flatMap { AuthorizationDetails($0.value(in: bytes)) }
    refreshToken = reader.member(Self.refreshTokenMember).flatMap { Self.refreshToken($0, bytes, reader.room) }
    idToken = try reader.secret("id_token", in: bytes, allowed: 0x21...0x7E)
    issuedTokenType = try? reader.text("issued_token_type", in: bytes)
    self.serverDate = serverDate
  }

  /// The type is compared without regard to case; one that we do not understand makes the token useless
  /// (RFC 6749 section 7.1). Apigee's own name for a bearer token is "BearerToken".
  private static func normalised(_ type: String, _ shape: AnswerShape) throws(OAuthError) -> String {
    switch type.utf8.count < 16 ? type.lowercased() : "" {
    case "bearer", "bearertoken": "Bearer"
    case "dpop": "DPoP"
    case "user" where shape.hasUserTokens: "Bearer"
    default: throw OAuthError(.unsupportedTokenType, .endpoint(.token))
    }
  }

  private static func scope(
    _ reader: borrowing AnswerReader, _ bytes: Span<UInt8>, _ form: AnswerShape.ScopeForm
  ) -> Scope? {
    if form == .array, let node = reader.member("scope"), node.kind == .array {
      return try? Scope(values: (node.value(in: bytes).array ?? []).compactMap(\.string))
    }
    guard let text = try? reader.text("scope", in: bytes) else { return nil }
    // A value may have a comma in it (RFC 6749 section 3.3), so commas separate only where nothing else does.
    let isInCommas = form == .commas || !text.utf8.contains(UInt8(ascii: " ")) || text.hasPart(", ")
    guard isInCommas else { return try? Scope(text) }
    return try? Scope(values: text.split { $0 == "," || $0 == " " }.map(String.init))
  }
}

/// A success of the token endpoint. The part that must be stored is separate from the part that must be checked first.
package struct TokenEndpointAnswer: Sendable {
  /// The refresh token to be stored before anything else of the answer is looked at; nil when there is none that can
  /// be used.
  package let refreshToken: SharedSecret?
  private let outcome: Result<TokenResponse, OAuthError>

  package init(_ tokens: TokenResponse) {
    refreshToken = tokens.refreshToken
    outcome = .success(tokens)
  }

  /// - Parameter error: Why nothing but the refresh token can be used.
  init(_ refreshToken: SharedSecret, butFailed error: OAuthError) {
    self.refreshToken = refreshToken
    outcome = .failure(error)
  }

  /// The tokens of the answer.
  ///
  /// - Throws: Why they cannot be used, though the request was carried out and brought a refresh token.
  package func tokens() throws(OAuthError) -> TokenResponse { try outcome.get() }
}
