import Crypto
import Encoding
import Platform

extension AuthorizationServer {
  /// What a token that came in turned out to be.
  private enum Found: Sendable {
    case refreshToken(RefreshTokenMint.Content)
    case accessToken(OpaqueKey)
    case neither
  }

  /// Revocation (RFC 7009 section 2). A refresh token takes its whole grant with it; an access
  /// token goes alone. An unknown token is no error (section 2.2).
  func revoke(_ request: Request) throws(OAuthFailure) -> Response {
    let parameters = try Parameters(form: request)
    let client = try authenticate(request, parameters)
    let found = try find(try parameters.required("token"))
    try withState { (state) throws(OAuthFailure) in
      state.count(.revocations)
      guard let grantKey = Self.grantKey(of: found, state), let owner = Self.owner(of: found, grantKey, state) else {
        return
      }
      guard owner == client.id else {
        throw OAuthFailure(.unauthorizedClient, "the token belongs to another client")
      }
      if case .accessToken(let key) = found {
        state.tokens.removeAccessToken(key)
      } else {
        state.tokens.removeGrant(grantKey)
      }
    }
    return Response(status: 200, headers: [("Cache-Control", "no-store")])
  }

  /// Introspection (RFC 7662 section 2), for clients that can keep a secret.
  func introspect(_ request: Request) throws(OAuthFailure) -> Response {
    let parameters = try Parameters(form: request)
    let client = try authenticate(request, parameters)
    guard client.isConfidential else {
      throw OAuthFailure(.invalidClient, "introspection is for confidential clients")
    }
    let found = try find(try parameters.required("token"))
    let now = clock.now()
    let answer = withState { (state) -> JSONObject? in
      state.count(.introspections)
      return description(of: found, state, now)
    }
    return .json(.object(answer ?? ["active": false]))
  }

  /// RFC 7662 section 2.2; nil for a token that is not active.
  private func description(of found: Found, _ state: IssuerState, _ now: Instant) -> JSONObject? {
    switch found {
    case .accessToken(let key):
      guard let (token, grant) = state.tokens.accessToken(key, at: now) else { return nil }
      var result = description(of: grant, scope: token.scope)
      result["client_id"] = .string(token.clientID)
      // RFC 7662 section 2.2 and RFC 8693 section 4.1.
      if !token.audience.isEmpty { result["aud"] = .array(token.audience.map(JSON.string)) }
      if let actor = token.actor { result["act"] = ["sub": .string(actor)] }
      result["token_type"] = token.dpopThumbprint == nil ? "Bearer" : "DPoP"
      // RFC 9449 section 6.2.
      if let thumbprint = token.dpopThumbprint { result["cnf"] = ["jkt": .string(thumbprint)] }
      result["iat"] = .int(token.issuedAt)
      if let lifetime = token.lifetime { result["exp"] = .int(token.issuedAt + lifetime) }
      return result
    case .refreshToken(let content):
      return state.tokens.grant(of: content, at: now).map { description(of: $0, scope: $0.scope) }
    case .neither: return nil
    }
  }

  private func description(of grant: Grant, scope: ScopeSet) -> JSONObject {
    var result: JSONObject = [
      "active": true, "scope": .string(scope.text), "client_id": .string(grant.clientID),
      "sub": .string(grant.subject), "iss": .string(issuer),
    ]
    if let username = grant.username { result["username"] = .string(username) }
    return result
  }

  private func find(_ text: String) throws(OAuthFailure) -> Found {
    if let content = try checked({ () throws(CryptoError) in try mint.content(of: text) }) {
      return .refreshToken(content)
    }
    return OpaqueKey(text: text).map(Found.accessToken) ?? .neither
  }

  /// The client that a token was given to; nil when the token or its grant has ended.
  private static func owner(of found: Found, _ grantKey: OpaqueKey, _ state: IssuerState) -> String? {
    guard let grant = state.tokens.grant(grantKey) else { return nil }
    guard case .accessToken(let key) = found else { return grant.clientID }
    return state.tokens.clientID(ofAccessToken: key)
  }

  private static func grantKey(of found: Found, _ state: IssuerState) -> OpaqueKey? {
    switch found {
    case .refreshToken(let content): content.grant
    case .accessToken(let key): state.tokens.grantKey(ofAccessToken: key)
    case .neither: nil
    }
  }
}
