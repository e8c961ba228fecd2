import Encoding

extension DevelopmentIssuer {
  /// Revocation (RFC 7009 section 2). A refresh token takes its whole grant with it; an access token goes alone. An
  /// unknown token is no error (section 2.2).
  mutating func revoke(_ request: IssuerRequest) throws -> IssuerAnswer {
    let form = try request.form()
    let client = try authenticate(request, form)
    let text = try form.required("token")
    count(.revocations)
    let refresh = try readRefreshToken(text)
    let access = accessTokens[text]
    guard let grantKey = refresh?.grantKey ?? access?.grantKey, let grant = grants[grantKey] else { return .empty(200) }
    try check(access?.clientID ?? grant.clientID == client.id, "unauthorized_client", "another client's token")
    accessTokens[text] = nil
    if refresh != nil { grants[grantKey] = nil }
    return .empty(200)
  }

  /// Introspection (RFC 7662 section 2), for clients that can keep a secret.
  mutating func introspect(_ request: IssuerRequest) throws -> IssuerAnswer {
    let form = try request.form()
    try check(authenticate(request, form).isConfidential, "invalid_client", "introspection is for confidential clients")
    let text = try form.required("token")
    count(.introspections)
    return .json(try description(of: text) ?? ["active": false])
  }

  /// RFC 7662 section 2.2; nil for a token that is not active.
  private func description(of text: String) throws -> JSONObject? {
    if let (token, grant) = goodAccess(text) {
      var result = description(of: grant, token.scope)
      result["client_id"] = .string(token.clientID)
      // RFC 7662 section 2.2 and RFC 8693 section 4.1.
      if !token.audience.isEmpty { result["aud"] = .array(token.audience.map(JSON.string)) }
      result["act"] = token.actor.map { ["sub": .string($0)] }
      result["token_type"] = token.dpopThumbprint == nil ? "Bearer" : "DPoP"
      // RFC 9449 section 6.2.
      result["cnf"] = token.dpopThumbprint.map { ["jkt": .string($0)] }
      result["iat"] = .int(token.issuedAt)
      result["exp"] = token.lifetime.map { .int(token.issuedAt + $0) }
      return result
    }
    guard let (grantKey, sequence) = try readRefreshToken(text), let grant = grants[grantKey],
      grant.sequence == sequence, let expiresAt = grant.refreshTokenExpiresAt, expiresAt > now
    else { return nil }
    return description(of: grant, grant.scope)
  }

  private func description(of grant: IssuerGrant, _ scope: [String]) -> JSONObject {
    var result: JSONObject = [
      "active": true, "scope": .string(scope.joined(separator: " ")), "client_id": .string(grant.clientID),
      "sub": .string(grant.subject), "iss": .string(url),
    ]
    result["username"] = grant.username.map(JSON.string)
    return result
  }
}
