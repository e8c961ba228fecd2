import Encoding
import Platform

/// A parsed token request.
struct TokenOrder: Sendable {
  let form: IssuerParameters
  let client: IssuerClient
  /// The requested resources and audiences. Empty for all granted ones (RFC 8707 section 2.2).
  let targets: [String]
  /// The thumbprint of the DPoP key (RFC 9449); nil for Bearer tokens.
  let thumbprint: String?
}

/// The token endpoint (RFC 6749 section 3.2).
extension DevelopmentIssuer {
  mutating func token(_ request: IssuerRequest) throws -> IssuerAnswer {
    let (form, client) = try authenticated(request)
    let isNeeded = client.bindsTokensToKey || settings.isOn("dpop_required")
    let proof = try proof(of: request, .authorizationServer, isNeeded: isNeeded)
    let grantType = try form.required("grant_type")
    try check(grantTypes.contains(grantType), "unsupported_grant_type", "not one of grant_types_supported")
    try client.requireGrantType(grantType)
    let order = TokenOrder(form: form, client: client, targets: try targets(of: form), thumbprint: proof?.thumbprint)
    switch grantType {
    case GrantType.authorizationCode: return try redeemCode(order)
    case GrantType.deviceCode: return try redeemDeviceCode(order)
    case GrantType.refreshToken: return try counting(.refreshFailures) { try $0.refresh(order) }
    case GrantType.clientCredentials: return try grant(to: nil, order)
    case GrantType.tokenExchange: return try exchange(order)
    default:
      let assertion = try form.required("assertion")
      return try grant(to: try verifiedSubject(of: assertion, from: client.id, or: "invalid_grant"), order)
    }
  }

  /// The values of `resource` (RFC 8707) and `audience` (RFC 8693 section 2.1), at most 16.
  ///
  /// - Throws: `invalid_target` for a resource that is not an absolute URI without a fragment, or not among those
  ///   that options allow.
  func targets(of form: IssuerParameters) throws -> [String] {
    let resources = form.all("resource")
    let areURIs = resources.allSatisfy { (try? URI($0)).map { $0.fragment == nil } ?? false }
    try check(areURIs, "invalid_target", "a resource is an absolute URI without a fragment")
    let found = (resources + form.all("audience")).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let known = settings.entries("--target")
    let areKnown = known.isEmpty || found.allSatisfy { known[$0] != nil }
    try check(found.count <= 16 && areKnown, "invalid_target", "too many targets, or one that is unknown")
    return found
  }

  // MARK: Grants

  /// Exchanges a code (RFC 6749 section 4.1.3) and uses it up, even if the request has another error. Reuse ends the
  /// code's grant (section 4.1.2). A code of another client is unknown.
  private mutating func redeemCode(_ order: TokenOrder) throws -> IssuerAnswer {
    let key = try order.form.required("code")
    guard let code = state.codes[key], code.grant.clientID == order.client.id else {
      throw Refusal("invalid_grant", "unknown code")
    }
    if let earlier = code.usedFor {
      count(.codeReplays)
      state.grants[earlier] = nil
      throw Refusal("invalid_grant", "the code was used before; its tokens are revoked")
    }
    try check(code.expiresAt > now, "invalid_grant", "the code has expired")
    let grantKey = try Seal.opaque()
    state.codes[key]?.usedFor = grantKey
    try code.request.checkRedemption(order)
    count(.codeGrants)
    return try begin(code.grant, grantKey, order, nonce: code.request.parameters["nonce"])
  }

  /// Issues the first tokens of a new grant.
  mutating func begin(
    _ grant: IssuerGrant, _ grantKey: String, _ order: TokenOrder, nonce: String? = nil
  ) throws -> IssuerAnswer {
    var grant = grant
    // Refresh tokens of a client with a secret are not bound to a key (RFC 9449 section 5).
    if !order.client.isConfidential { grant.dpopThumbprint = order.thumbprint }
    return try issue(grant, grantKey, order, withRefreshToken: settings.isOn("refresh_token"), nonce: nonce)
  }

  /// Refreshes a grant (RFC 6749 section 6). With rotation, reusing a token ends the grant, because one of its two
  /// users must be a thief (RFC 9700 section 4.14.2).
  private mutating func refresh(_ order: TokenOrder) throws -> IssuerAnswer {
    let scope = try order.form.scope()
    let read = try readRefreshToken(try order.form.required("refresh_token"))
    let (grantKey, sequence) = try check(read, "invalid_grant", "unknown refresh token")
    guard var grant = state.grants[grantKey], grant.clientID == order.client.id,
      let expiresAt = grant.refreshTokenExpiresAt
    else { throw Refusal("invalid_grant", "the grant has ended") }
    let isItsKey = grant.dpopThumbprint ?? order.thumbprint == order.thumbprint
    try check(isItsKey, "invalid_grant", "the refresh token is bound to another key")
    let leeway = Duration.seconds(settings.number("reuse_leeway"))
    let isForgiven = sequence == grant.sequence - 1 && grant.rotatedAt.map { $0.duration(to: now) < leeway } ?? false
    guard sequence == grant.sequence || isForgiven else {
      state.grants[grantKey] = nil
      count(.reuseDetected)
      throw Refusal("invalid_grant", "the refresh token was used before; its grant has ended")
    }
    try check(expiresAt > now, "invalid_grant", "the refresh token has expired")
    try check((scope ?? []).allSatisfy(grant.scope.contains), "invalid_scope", "more than the user granted")
    let rotates = settings.isOn("rotation")
    if rotates {
      grant.sequence += 1
      grant.rotatedAt = now
    }
    let named = settings.isOn("narrow_scope") ? scope : nil
    let answer = try issue(grant, grantKey, order, scope: named, withRefreshToken: rotates)
    count(.refreshes)
    return answer
  }

  /// Issues a token without a user, for an assertion's subject (RFC 7523 section 2.1) or the client itself (RFC 6749
  /// section 4.4). Drops scopes about a user (section 3.3).
  private mutating func grant(to subject: String?, _ order: TokenOrder) throws -> IssuerAnswer {
    let mayHaveIt = subject != nil || order.client.isConfidential
    try check(mayHaveIt, "unauthorized_client", "only for clients that can keep a secret")
    let scope = try order.form.scope()?.filter { !IssuerParameters.userScopes.contains($0) } ?? []
    let grant = IssuerGrant(
      clientID: order.client.id, assertedSubject: subject,
      scope: scope.isEmpty ? [subject == nil ? "guest" : "workload"] : scope, authTime: wall, targets: order.targets)
    count(subject == nil ? .clientGrants : .assertionGrants)
    return try issue(grant, try Seal.opaque(), order, withRefreshToken: false)
  }

  /// Issues a token of the same grant for another target, possibly for another client or with less scope (RFC 8693).
  /// A token that is invalid, or that the client may not exchange, is an `invalid_request` (section 2.2.2).
  private mutating func exchange(_ order: TokenOrder) throws -> IssuerAnswer {
    let form = order.form
    let wanted = form["requested_token_type"] ?? TokenType.access
    if wanted == TokenType.identityAssertion { return try exchangeIDToken(order) }
    try check(wanted == TokenType.access, "invalid_request", "requested_token_type: only access_token")
    if form["subject_token_type"] == TokenType.jwt {
      let subject = try verifiedSubject(of: try form.required("subject_token"), or: "invalid_request")
      count(.exchanges)
      var answer = try grant(to: subject, order)
      answer.members["issued_token_type"] = .string(TokenType.access)
      return answer
    }
    let subject = try exchanged("subject_token", form)
    let hasActor = form["actor_token"] != nil || form["actor_token_type"] != nil
    let actor = hasActor ? try exchanged("actor_token", form).grant.subject : nil
    let mayExchange = subject.token.clientID == order.client.id || order.client.isConfidential
    try check(mayExchange, "invalid_request", "the subject_token belongs to another client")
    let scope = try form.scope() ?? subject.token.scope
    try check(scope.allSatisfy(subject.token.scope.contains), "invalid_scope", "more than the subject_token has")
    count(.exchanges)
    return try access(
      subject.token.grantKey, order, scope, subject.token.audience, actor: actor ?? subject.token.actor,
      ["issued_token_type": .string(TokenType.access)])
  }

  /// The valid token in a parameter (RFC 8693 section 2.1).
  private func exchanged(_ name: String, _ form: IssuerParameters) throws -> (token: IssuedAccess, grant: IssuerGrant) {
    let type = try form.required(name + "_type")
    try check(type == TokenType.access, "invalid_request", "\(name)_type: only access_token")
    let found = state.good(try form.required(name), at: now)
    return try check(found, "invalid_request", "\(name) is unknown, expired or revoked")
  }

  // MARK: Tokens

  /// Stores the grant, and issues an access token with its refresh and ID Token.
  private mutating func issue(
    _ grant: IssuerGrant, _ grantKey: String, _ order: TokenOrder, scope: [String]? = nil, withRefreshToken: Bool,
    nonce: String? = nil
  ) throws -> IssuerAnswer {
    let isGranted = grant.targets.isEmpty || order.targets.allSatisfy(grant.targets.contains)
    try check(isGranted, "invalid_target", "a target that was not granted")
    var grant = grant
    if withRefreshToken { grant.refreshTokenExpiresAt = instant(after: settings.number("refresh_token_lifetime")) }
    state.grants[grantKey] = grant
    let refreshToken = withRefreshToken ? try refreshToken(grantKey, grant.sequence) : nil
    let scope = scope ?? grant.scope
    var answer = try access(grantKey, order, scope, grant.targets, ["refresh_token": refreshToken.map(JSON.string)])
    if let username = grant.username, settings.isOn("id_token"), scope.contains("openid") {
      try addIDToken(to: &answer, grant, username, nonce: nonce)
    }
    return answer
  }

  /// Stores and issues an access token (RFC 6749 section 5.1, RFC 9449 section 5).
  ///
  /// - Parameter audience: The audience if the request has no targets.
  private mutating func access(
    _ grantKey: String, _ order: TokenOrder, _ scope: [String], _ audience: [String], actor: String? = nil,
    _ more: [String: JSON?]
  ) throws -> IssuerAnswer {
    let lifetime = settings.number("access_token_lifetime")
    // A fault issues a Bearer token despite a valid proof.
    let isBound = settings.text(IssuerFault.Place.dpop.parameter) != "bearer"
    let token = IssuedAccess(
      grantKey: grantKey, clientID: order.client.id, scope: scope,
      audience: order.targets.isEmpty ? audience : order.targets, issuedAt: wall,
      lifetime: lifetime > 0 ? lifetime : nil, expiresAt: lifetime > 0 ? instant(after: lifetime) : .distantFuture,
      dpopThumbprint: isBound ? order.thumbprint : nil, actor: actor)
    var members: JSONObject = [
      "access_token": .string(try state.access.add(token, keyLength: settings.number("access_token_bytes"))),
      "token_type": .string(token.type),
      "scope": .string(token.scope.joined(separator: " ")),
    ]
    members["expires_in"] = token.lifetime.map(JSON.int)
    for name in ["refresh_token_expires_in", "authorization_expires_in", "authorization_details"] {
      members[name] = settings.text(name).map { (try? JSON(parsing: Array($0.utf8))) ?? .string($0) }
    }
    for (name, value) in more { members[name] = value }
    return .json(members)
  }

  /// A refresh token contains its grant's key and the rotation number with a keyed hash, which detects reuse without
  /// storing old tokens (RFC 9700 section 4.14.2).
  private func refreshToken(_ grantKey: String, _ sequence: Int) throws -> String {
    "\(grantKey).\(sequence).\(try seal("refresh", "\(grantKey) \(sequence)"))"
  }

  /// Nil if the text is not a refresh token of this issuer.
  private func readRefreshToken(_ text: String) throws -> (grantKey: String, sequence: Int)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let sequence = ASCII.number(parts[1], in: 0...Int.max),
      Seal.isSame(try refreshToken(parts[0], sequence), text)
    else { return nil }
    return (parts[0], sequence)
  }

  // MARK: Revocation and introspection

  /// Revokes a token (RFC 7009 section 2). Revoking a refresh token ends its grant; an access token, only itself. An
  /// unknown token is not an error (section 2.2).
  mutating func revoke(_ request: IssuerRequest) throws -> IssuerAnswer {
    let (form, client) = try authenticated(request)
    let text = try form.required("token")
    count(.revocations)
    let refresh = try readRefreshToken(text)
    let access = state.access[text]
    guard let grantKey = refresh?.grantKey ?? access?.grantKey, let grant = state.grants[grantKey] else {
      return .empty(200)
    }
    try check(access?.clientID ?? grant.clientID == client.id, "unauthorized_client", "another client's token")
    state.access[text] = nil
    if refresh != nil { state.grants[grantKey] = nil }
    return .empty(200)
  }

  /// RFC 7662 section 2.
  mutating func introspect(_ request: IssuerRequest) throws -> IssuerAnswer {
    let (form, client) = try authenticated(request)
    try check(client.isConfidential, "invalid_client", "introspection is for confidential clients")
    let text = try form.required("token")
    count(.introspections)
    return .json(try description(of: text) ?? ["active": false])
  }

  /// The introspection response (RFC 7662 section 2.2); nil for an inactive token.
  private func description(of text: String) throws -> JSONObject? {
    let found = state.good(text, at: now)
    let refresh = try readRefreshToken(text)
    guard let grant = found?.grant ?? refresh.flatMap({ state.grants[$0.grantKey] }),
      found != nil || (grant.sequence == refresh?.sequence && grant.refreshTokenExpiresAt ?? now > now)
    else { return nil }
    let scope = found?.token.scope ?? grant.scope
    var result: JSONObject = [
      "active": true, "scope": .string(scope.joined(separator: " ")),
      "client_id": .string(found?.token.clientID ?? grant.clientID), "sub": .string(grant.subject), "iss": .string(url),
    ]
    result["username"] = grant.username.map(JSON.string)
    result["email"] = grant.username.flatMap { about($0, [:])["email"] }
    guard let token = found?.token else { return result }
    // RFC 8693 section 4.1, RFC 9449 section 6.2.
    result["aud"] = token.audience.isEmpty ? nil : .array(token.audience.map(JSON.string))
    result["act"] = token.actor.map { ["sub": .string($0)] }
    result["cnf"] = token.dpopThumbprint.map { ["jkt": .string($0)] }
    result["token_type"] = .string(token.type)
    result["iat"] = .int(token.issuedAt)
    result["exp"] = token.lifetime.map { .int(token.issuedAt + $0) }
    return result
  }
}
