import Crypto
import Encoding

/// Protected resources for testing tokens (RFC 6750, RFC 9449 section 7).
extension DevelopmentIssuer {
  mutating func resource(_ request: IssuerRequest) throws -> IssuerAnswer {
    return try protected(request) { grant in
      .json(["message": .string("Hello, \(grant.username ?? grant.clientID)."), "subject": .string(grant.subject)])
    }
  }

  /// Responds with `body` if the request has a valid token that satisfies the resource's requirements.
  private mutating func protected(
    _ request: IssuerRequest, _ body: (IssuerGrant) throws -> IssuerAnswer
  ) throws -> IssuerAnswer {
    do {
      let (token, grant) = try accessToken(of: request)
      let invalid = Refusal.challenge("invalid_token", "unknown, expired or revoked")
      // Refuses valid tokens, as a server does after changing its keys.
      let refusals = settings.number("refuse_next")
      if refusals > 0 {
        settings["refuse_next"] = .int(refusals - 1)
        count(.misbehaviours)
        throw invalid
      }
      guard token.audience.isEmpty || token.audience.contains(url + request.path) else { throw invalid }
      try satisfy(token, grant)
      return try body(grant)
    } catch var refusal as Refusal {
      let realm = "realm=\"devissuer\""
      let address = url + Self.resourcePrefix + request.path
      refusal.answer[header: "WWW-Authenticate"] = refusal.answer[header: "WWW-Authenticate"]?
        .replacing(realm, with: realm + ", resource_metadata=\"\(address)\"")
      throw refusal
    }
  }

  /// Throws unless the token satisfies the resource's settings.
  private func satisfy(_ token: IssuedAccess, _ grant: IssuerGrant) throws {
    if settings.isOn("require_dpop"), token.dpopThumbprint == nil {
      throw Refusal.challenge("invalid_token", "only tokens that are bound to a key", scheme: "DPoP")
    }
    if let scope = settings.text("require_scope"), !token.scope.contains(scope) { throw Self.insufficientScope(scope) }
    let (acr, maxAge) = (settings.text("require_acr"), settings.text("require_max_age"))
    let isTooOld = maxAge.flatMap { Int($0) }.map { grant.username == nil || wall - grant.authTime > $0 } ?? false
    guard isTooOld || acr ?? grant.acr != grant.acr else { return }
    // RFC 9470 section 3.
    let attributes = [("acr_values", acr), ("max_age", maxAge)].map { name, value in
      value.map { ", \(name)=\"\($0)\"" } ?? ""
    }
    throw Refusal.challenge(
      "insufficient_user_authentication", "another sign-in is needed", attributes.joined())
  }

  private static func insufficientScope(_ scope: String) -> Refusal {
    .challenge("insufficient_scope", status: 403, ", scope=\"\(scope)\"")
  }

  /// OpenID Connect Core section 5.3.
  mutating func userInfo(_ request: IssuerRequest) throws -> IssuerAnswer {
    let (token, grant) = try accessToken(of: request)
    guard let username = grant.username, token.scope.contains("openid") else { throw Self.insufficientScope("openid") }
    guard settings.isOn("sign_userinfo") else { return .json(about(username, ["sub": .string(grant.subject)])) }
    // Section 5.3.2.
    let signed = about(
      username, ["iss": .string(url), "aud": .string(grant.clientID), "sub": .string(grant.subject)])
    return .content("application/jwt", Array(try key.sign(key.header, JSON.object(signed).serialized()).utf8), 200)
  }

  /// RFC 9728 sections 2 and 3.2.
  mutating func resourceMetadata(_ request: IssuerRequest) -> IssuerAnswer {
    let scopes = ["openid"] + [settings.text("require_scope")].compactMap(\.self)
    var document: JSONObject = [
      "resource": .string(url + request.path.dropFirst(Self.resourcePrefix.count)),
      "resource_name": "The development issuer's resource",
      "authorization_servers": [.string(url)],
      "bearer_methods_supported": ["header"],
      "scopes_supported": .array(scopes.map(JSON.string)),
    ]
    if settings.text("resource_dpop_algorithms") != nil {
      document["dpop_signing_alg_values_supported"] = .array(
        ProofRole.resourceServer.algorithms(settings).map(JSON.string))
    }
    if settings.isOn("require_dpop") { document["dpop_bound_access_tokens_required"] = true }
    return .json(document)
  }

  /// Describes the request: method, path, query, header fields except the token, and a digest of the content. The
  /// query can set the `status` and add bytes of `padding`.
  mutating func echo(_ request: IssuerRequest) throws -> IssuerAnswer {
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

  /// Redirects with the status in the query (default: 307).
  mutating func redirectElsewhere(_ request: IssuerRequest) -> IssuerAnswer {
    let wanted = (try? request.queryParameters())?["status"].flatMap { ASCII.number($0, in: 300...308) }
    return .empty(wanted ?? 307).with("Location", settings.text("redirect_to"))
  }
}
