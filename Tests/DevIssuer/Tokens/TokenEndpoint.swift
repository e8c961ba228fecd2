import Encoding
import Platform

/// What one user gave one client, or what a client has for itself. All tokens that descend from it end with it.
struct IssuerGrant: Sendable {
  let clientID: String
  /// Nil when there is no user (RFC 6749 section 4.4).
  let username: String?
  let scope: [String]
  /// When the user signed in, in unix seconds.
  let authTime: Int
  /// How the user signed in (OpenID Connect Core 1.0 section 2); nil when that was not asked.
  var acr: String?
  /// Resources and audiences that tokens may be for; empty for any (RFC 8707 section 2.2).
  let targets: [String]
  /// The number of the refresh token that is good now; earlier ones were replaced.
  var sequence = 0
  /// When the refresh token was last replaced.
  var rotatedAt: Instant?
  /// When the refresh token of now dies; nil when the grant has none.
  var refreshTokenExpiresAt: Instant?
  /// The key that refresh tokens of a public client are bound to (RFC 9449 section 5).
  var dpopThumbprint: String?

  /// The user's identifier in tokens, which is not the name that they type; else the client's (RFC 9068 section 2.2).
  var subject: String { username.map(Self.subject) ?? clientID }

  static func subject(_ username: String) -> String { "user-\(username)" }

  func cover(_ wanted: [String]) throws {
    try check(targets.isEmpty || wanted.allSatisfy(targets.contains), "invalid_target", "a target that was not granted")
  }
}

/// An access token.
struct IssuedAccess: Sendable {
  let grantKey: String
  /// The client that got it, which may be another one than the grant's after an exchange.
  let clientID: String
  let scope: [String]
  /// Empty for all that the issuer serves itself.
  let audience: [String]
  /// Unix seconds.
  let issuedAt: Int
  /// In seconds; nil for one that does not expire.
  let lifetime: Int?
  let expiresAt: Instant
  /// The key that it is bound to (RFC 9449 section 6); nil for a Bearer token.
  var dpopThumbprint: String?
  /// The party that acts for the user (RFC 8693 section 4.1).
  var actor: String?
}

/// What a token request asks for beside its grant.
struct TokenOrder: Sendable {
  let client: IssuerClient
  /// Resources and audiences; empty for those that were granted (RFC 8707 section 2.2).
  let targets: [String]
  /// The key that was proven (RFC 9449); nil for Bearer tokens.
  let thumbprint: String?
}

/// The token endpoint (RFC 6749 section 3.2).
extension DevelopmentIssuer {
  private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
  /// Scopes that mean nothing without a user.
  private static let userScopes = ["openid", "profile", "email", "offline_access"]

  mutating func token(_ request: IssuerRequest) throws -> IssuerAnswer {
    let form = try request.form()
    let client = try authenticate(request, form)
    let isNeeded = client.bindsTokensToKey || settings.requiresProofs
    let proof = try proof(atAuthorizationServer: request, isNeeded: isNeeded)
    let grantType = try form.required("grant_type")
    if GrantType.all.contains(grantType) { try client.requireGrantType(grantType) }
    let order = TokenOrder(client: client, targets: try targets(of: form), thumbprint: proof?.thumbprint)
    switch grantType {
    case GrantType.authorizationCode: return try redeemCode(form, order)
    case GrantType.deviceCode: return try redeemDeviceCode(form, order)
    case GrantType.refreshToken:
      do {
        return try refresh(form, order)
      } catch {
        count(.refreshFailures)
        throw error
      }
    case GrantType.clientCredentials: return try grantToClient(form, order)
    case GrantType.tokenExchange: return try exchange(form, order)
    default: throw Refusal("unsupported_grant_type", "not one of grant_types_supported")
    }
  }

  /// What tokens are for: `resource` (RFC 8707) and `audience` (RFC 8693 section 2.1), at most 16.
  ///
  /// - Throws: `invalid_target` for a resource that is no absolute URI or has a fragment, and for all that an option does
  ///   not name when there is one that names some.
  func targets(of form: IssuerParameters) throws -> [String] {
    let resources = form.all("resource")
    let areURIs = resources.allSatisfy { (try? URI($0)).map { $0.fragment == nil } ?? false }
    try check(areURIs, "invalid_target", "a resource is an absolute URI without a fragment")
    let found = (resources + form.all("audience")).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let areKnown = settings.targets.isEmpty || found.allSatisfy(settings.targets.contains)
    try check(found.count <= 16 && areKnown, "invalid_target", "too many targets, or one that is unknown")
    return found
  }

  // MARK: Grants

  /// RFC 6749 section 4.1.3. A code is used up whatever else is wrong with the request, and one that comes a second time
  /// ends the grant of its first use (section 4.1.2). A code that belongs to another client is unknown.
  private mutating func redeemCode(_ form: IssuerParameters, _ order: TokenOrder) throws -> IssuerAnswer {
    let key = try form.required("code")
    guard let code = codes[key], code.request.client.id == order.client.id else {
      throw Refusal("invalid_grant", "unknown code")
    }
    if let earlier = code.usedFor {
      count(.codeReplays)
      grants[earlier] = nil
      throw Refusal("invalid_grant", "the code was used before; its tokens are revoked")
    }
    try check(code.expiresAt > now, "invalid_grant", "the code has expired")
    let grantKey = try Self.opaque()
    codes[key]?.usedFor = grantKey
    try code.request.checkRedemption(form, thumbprint: order.thumbprint)
    count(.codeGrants)
    let grant = IssuerGrant(
      clientID: order.client.id, username: code.session.username, scope: code.request.scope,
      authTime: code.session.authTime, acr: code.session.acr, targets: code.request.targets)
    return try begin(grant, grantKey, order, nonce: code.request.nonce)
  }

  /// The first tokens of a new grant.
  mutating func begin(
    _ grant: IssuerGrant, _ grantKey: String, _ order: TokenOrder, nonce: String? = nil
  ) throws -> IssuerAnswer {
    var grant = grant
    try grant.cover(order.targets)
    if settings.issuesRefreshTokens { grant.refreshTokenExpiresAt = instant(after: settings.refreshTokenLifetime) }
    // Refresh tokens of a client with a secret are bound to the client and to no key (RFC 9449 section 5).
    if !order.client.isConfidential { grant.dpopThumbprint = order.thumbprint }
    grants[grantKey] = grant
    return try issue(grant, grantKey, order, withRefreshToken: settings.issuesRefreshTokens, nonce: nonce)
  }

  /// RFC 6749 section 6. With rotation every token is good once; the second use of one ends its grant, because one of the
  /// two users must be a thief (RFC 9700 section 4.14.2).
  private mutating func refresh(_ form: IssuerParameters, _ order: TokenOrder) throws -> IssuerAnswer {
    let scope = try form.scope()
    let read = try readRefreshToken(try form.required("refresh_token"))
    let (grantKey, sequence) = try check(read, "invalid_grant", "unknown refresh token")
    guard var grant = grants[grantKey], grant.clientID == order.client.id, let expiresAt = grant.refreshTokenExpiresAt
    else { throw Refusal("invalid_grant", "the grant has ended") }
    let isItsKey = grant.dpopThumbprint ?? order.thumbprint == order.thumbprint
    try check(isItsKey, "invalid_grant", "the refresh token is bound to another key")
    let leeway = Duration.seconds(settings.reuseLeeway)
    let isForgiven = sequence == grant.sequence - 1 && grant.rotatedAt.map { $0.duration(to: now) < leeway } ?? false
    guard sequence == grant.sequence || isForgiven else {
      grants[grantKey] = nil
      count(.reuseDetected)
      throw Refusal("invalid_grant", "the refresh token was used before; its grant has ended")
    }
    try check(expiresAt > now, "invalid_grant", "the refresh token has expired")
    try grant.cover(order.targets)
    try check((scope ?? []).allSatisfy(grant.scope.contains), "invalid_scope", "more than the user granted")
    if settings.rotatesRefreshTokens {
      grant.sequence += 1
      grant.rotatedAt = now
      grant.refreshTokenExpiresAt = instant(after: settings.refreshTokenLifetime)
      grants[grantKey] = grant
    }
    let answer = try issue(grant, grantKey, order, scope: scope, withRefreshToken: settings.rotatesRefreshTokens)
    count(.refreshes)
    return answer
  }

  /// A token for the client itself (RFC 6749 section 4.4): no user, no ID Token, no refresh token (section 4.4.3). Scopes
  /// about a user are left out, and the answer says so (section 3.3).
  private mutating func grantToClient(_ form: IssuerParameters, _ order: TokenOrder) throws -> IssuerAnswer {
    try check(order.client.isConfidential, "unauthorized_client", "only for clients that can keep a secret")
    let scope = try form.scope()?.filter { !Self.userScopes.contains($0) } ?? []
    let grant = IssuerGrant(
      clientID: order.client.id, username: nil, scope: scope.isEmpty ? ["guest"] : scope, authTime: wall,
      targets: order.targets)
    let grantKey = try Self.opaque()
    grants[grantKey] = grant
    count(.clientGrants)
    return try issue(grant, grantKey, order, withRefreshToken: false)
  }

  /// A token of the same user for another target, perhaps for another client, perhaps with less scope (RFC 8693). It ends
  /// with the grant of the token that it was made from. A token that is not good, or not the client's to exchange, makes
  /// the request invalid (section 2.2.2).
  private mutating func exchange(_ form: IssuerParameters, _ order: TokenOrder) throws -> IssuerAnswer {
    let subject = try exchanged("subject_token", form)
    let hasActor = form["actor_token"] != nil || form["actor_token_type"] != nil
    let actor = hasActor ? try exchanged("actor_token", form).grant.subject : nil
    let wanted = form["requested_token_type"] ?? Self.accessTokenType
    try check(wanted == Self.accessTokenType, "invalid_request", "requested_token_type: only access_token")
    let mayExchange = subject.token.clientID == order.client.id || order.client.isConfidential
    try check(mayExchange, "invalid_request", "the subject_token belongs to another client")
    let scope = try form.scope() ?? subject.token.scope
    try check(scope.allSatisfy(subject.token.scope.contains), "invalid_scope", "more than the subject_token has")
    count(.exchanges)
    var token = access(
      subject.token.grantKey, order, scope, order.targets.isEmpty ? subject.token.audience : order.targets)
    token.actor = actor ?? subject.token.actor
    return try answer(with: token, ["issued_token_type": .string(Self.accessTokenType)])
  }

  /// RFC 8693 section 2.1: every token comes with its type.
  private func exchanged(_ name: String, _ form: IssuerParameters) throws -> (token: IssuedAccess, grant: IssuerGrant) {
    let type = try form.required(name + "_type")
    try check(type == Self.accessTokenType, "invalid_request", "\(name)_type: only access_token")
    return try check(goodAccess(try form.required(name)), "invalid_request", "\(name) is unknown, expired or revoked")
  }

  // MARK: Tokens

  /// A new access token under a grant, and what goes with it.
  private mutating func issue(
    _ grant: IssuerGrant, _ grantKey: String, _ order: TokenOrder, scope: [String]? = nil, withRefreshToken: Bool,
    nonce: String? = nil
  ) throws -> IssuerAnswer {
    let targets = order.targets.isEmpty ? grant.targets : order.targets
    let token = access(grantKey, order, scope ?? grant.scope, targets)
    let refreshToken = withRefreshToken ? try refreshToken(grantKey, grant.sequence) : nil
    var answer = try answer(with: token, ["refresh_token": refreshToken.map(JSON.string)])
    if let username = grant.username, settings.issuesIDTokens, token.scope.contains("openid") {
      try addIDToken(to: &answer, grant, username, nonce: nonce)
    }
    return answer
  }

  private func access(_ grantKey: String, _ order: TokenOrder, _ scope: [String], _ audience: [String]) -> IssuedAccess
  {
    let lifetime = settings.accessTokenLifetime
    return IssuedAccess(
      grantKey: grantKey, clientID: order.client.id, scope: scope, audience: audience, issuedAt: wall,
      lifetime: lifetime > 0 ? lifetime : nil, expiresAt: lifetime > 0 ? instant(after: lifetime) : .distantFuture,
      dpopThumbprint: order.thumbprint)
  }

  /// Keeps the token, and gives it out (RFC 6749 section 5.1, RFC 9449 section 5).
  private mutating func answer(with token: IssuedAccess, _ more: [String: JSON?]) throws -> IssuerAnswer {
    let text = try Self.opaque()
    accessTokens[text] = token
    var members: JSONObject = [
      "access_token": .string(text), "token_type": token.dpopThumbprint == nil ? "Bearer" : "DPoP",
      "scope": .string(token.scope.joined(separator: " ")),
    ]
    members["expires_in"] = token.lifetime.map(JSON.int)
    for (name, value) in more { members[name] = value }
    var answer = IssuerAnswer.json(members)
    if token.dpopThumbprint != nil { try handOutNonce(with: &answer, .authorizationServer) }
    return answer
  }

  /// The access token and its grant while both are good.
  func goodAccess(_ text: String) -> (token: IssuedAccess, grant: IssuerGrant)? {
    guard let token = accessTokens[text], let grant = grants[token.grantKey], token.expiresAt > now else { return nil }
    return (token, grant)
  }

  /// A refresh token names its grant and its number in the row of rotations, under a keyed hash. So the use of any earlier
  /// token is noticed, however long ago it was replaced, and nothing has to be kept for it (RFC 9700 section 4.14.2).
  private func refreshToken(_ grantKey: String, _ sequence: Int) throws -> String {
    "\(grantKey).\(sequence).\(try seal("refresh", "\(grantKey) \(sequence)"))"
  }

  /// Nil for a text that is no refresh token of this issuer.
  func readRefreshToken(_ text: String) throws -> (grantKey: String, sequence: Int)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let sequence = ASCII.number(parts[1], in: 0...Int.max),
      isSame(try refreshToken(parts[0], sequence), text)
    else { return nil }
    return (parts[0], sequence)
  }
}
