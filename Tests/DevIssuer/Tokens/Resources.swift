import Crypto
import Encoding

/// Protected resources to try tokens on (RFC 6750, RFC 9449 section 7).
extension DevelopmentIssuer {
  mutating func resource(_ request: IssuerRequest) throws -> IssuerAnswer {
    count(.resource)
    return try protected(request) { grant in
      .json(["message": .string("Hello, \(grant.username ?? grant.clientID)."), "subject": .string(grant.subject)])
    }
  }

  /// Answers a request with a token that is good for this resource and satisfies its rules.
  private mutating func protected(
    _ request: IssuerRequest, _ body: (IssuerGrant) throws -> IssuerAnswer
  ) throws -> IssuerAnswer {
    do {
      let (token, grant) = try accessToken(of: request)
      let invalid = Refusal.challenge("invalid_token", "unknown, expired or revoked")
      // A token that is good all the same, as after a change of keys at a real server.
      guard settings.refusals == 0 else {
        settings.refusals -= 1
        count(.misbehaviours)
        throw invalid
      }
      guard token.audience.isEmpty || token.audience.contains(url + request.path) else { throw invalid }
      try satisfy(token, grant)
      var answer = try body(grant)
      if token.dpopThumbprint != nil { try handOutNonce(with: &answer, .resourceServer) }
      return answer
    } catch var refusal as Refusal {
      let realm = "realm=\"devissuer\""
      let address = url + IssuerRoute.resourceMetadataPath + request.path
      refusal.answer[header: "WWW-Authenticate"] = refusal.answer[header: "WWW-Authenticate"]?
        .replacing(realm, with: realm + ", resource_metadata=\"\(address)\"")
      throw refusal
    }
  }

  /// What the resources ask of a token beside that it is good.
  private func satisfy(_ token: IssuedAccess, _ grant: IssuerGrant) throws {
    if settings.requiresBoundTokens, token.dpopThumbprint == nil {
      throw Refusal.challenge("invalid_token", "only tokens that are bound to a key", scheme: "DPoP")
    }
    if let scope = settings.requiredScope, !token.scope.contains(scope) { throw Self.insufficientScope(scope) }
    let isTooWeak = settings.requiredACR.map { $0 != grant.acr } ?? false
    let isTooOld = settings.requiredMaxAge.map { grant.username == nil || wall - grant.authTime > $0 } ?? false
    guard isTooWeak || isTooOld else { return }
    let acr = settings.requiredACR.map { ", acr_values=\"\($0)\"" } ?? ""
    let maxAge = settings.requiredMaxAge.map { ", max_age=\"\($0)\"" } ?? ""
    // RFC 9470 section 3.
    throw Refusal.challenge("insufficient_user_authentication", "another sign-in is needed", acr + maxAge)
  }

  private static func insufficientScope(_ scope: String) -> Refusal {
    .challenge("insufficient_scope", status: 403, ", scope=\"\(scope)\"")
  }

  /// UserInfo (OpenID Connect Core 1.0 section 5.3).
  mutating func userInfo(_ request: IssuerRequest) throws -> IssuerAnswer {
    count(.userinfo)
    let (token, grant) = try accessToken(of: request)
    guard let username = grant.username, token.scope.contains("openid") else { throw Self.insufficientScope("openid") }
    var claims: JSONObject = ["sub": .string(grant.subject)]
    let user = userClaims(username)
    for name in user.names { claims[name] = user[name] }
    var answer = IssuerAnswer.json(claims)
    if settings.signsUserInfo {
      // Section 5.3.2.
      claims["iss"] = .string(url)
      claims["aud"] = .string(grant.clientID)
      answer.body = Array(try key.sign(key.header, JSON.object(claims).serialized()).utf8)
      answer[header: "Content-Type"] = "application/jwt"
    }
    if token.dpopThumbprint != nil { try handOutNonce(with: &answer, .resourceServer) }
    return answer
  }

  /// What a protected resource says of itself (RFC 9728 sections 2 and 3.2).
  mutating func resourceMetadata(_ request: IssuerRequest) -> IssuerAnswer {
    count(.resourceMetadata)
    let scopes = ["openid"] + [settings.requiredScope].compactMap(\.self)
    var document: JSONObject = [
      "resource": .string(url + request.path.dropFirst(IssuerRoute.resourceMetadataPath.count)),
      "resource_name": "The development issuer's resource",
      "authorization_servers": [.string(url)],
      "bearer_methods_supported": ["header"],
      "scopes_supported": .array(scopes.map(JSON.string)),
    ]
    if settings.requiresBoundTokens { document["dpop_bound_access_tokens_required"] = true }
    return .json(document)
  }

  /// Tells what came: method, path, query, header fields but for the token, and a digest of the content. The query can ask
  /// for a `status`, and for an answer with so many bytes of `padding`.
  mutating func echo(_ request: IssuerRequest) throws -> IssuerAnswer {
    count(.echoes)
    let query = try? request.queryParameters()
    return try protected(request) { grant in
      var fields = JSONObject()
      for field in request.fields where field.name != "authorization" {
        fields[field.name] = .array((fields[field.name]?.array ?? []) + [.string(field.value)])
      }
      var members: JSONObject = [
        "subject": .string(grant.subject), "method": .string(request.method), "path": .string(request.path),
        "headers": .object(fields), "body_bytes": .int(request.body.count),
        "body_sha256": .string(HexDigit.text(try Digest.sha256.hash(request.body.span))),
      ]
      members["query"] = request.query.map(JSON.string)
      members["padding"] = query?["padding"].flatMap { ASCII.number($0, in: 0...8 << 20) }
        .map { .string(String(repeating: "x", count: $0)) }
      return .json(members, status: query?["status"].flatMap { ASCII.number($0, in: 200...599) } ?? 200)
    }
  }

  /// Sends the client elsewhere, with the status that the query asks for or 307.
  mutating func redirectElsewhere(_ request: IssuerRequest) -> IssuerAnswer {
    count(.redirects)
    let wanted = (try? request.queryParameters())?["status"].flatMap { ASCII.number($0, in: 300...308) }
    var answer = IssuerAnswer.empty(wanted ?? 307)
    answer[header: "Location"] = settings.redirectTarget
    return answer
  }
}
