package import OAuth
internal import Crypto
internal import Encoding
internal import Platform

/// Spends an account's refresh token. Blocking.
///
/// Locks the account, so that no two processes send the same token. Sends nothing unless settings and metadata match
/// the sign-in's and the vault is writable. Stores a rotated token before validating the rest of the response
/// (invariant: store first).
package struct RefreshOperation: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  /// The cached token, if any. Error messages omit its secrets, and its ID Token may be kept.
  package let previous: AccessGrant?
  /// Nil for the account's own token.
  package let target: TokenTarget?
  /// Required by a resource.
  package let claims: RequestedClaims?
  package let passedAssertion: PassedAssertion
  package let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, previous: AccessGrant? = nil,
    target: TokenTarget? = nil, claims: RequestedClaims? = nil, passedAssertion: PassedAssertion = PassedAssertion(),
    services: SessionServices,
    cancellation: Cancellation
  ) {
    self.account = account
    self.configuration = configuration
    self.previous = previous
    self.target = target
    self.claims = claims
    self.passedAssertion = passedAssertion
    self.services = services
    self.cancellation = cancellation
  }

  package struct Outcome: Sendable {
    package let result: Result<AccessGrant, SessionError>
    /// Set if a failed refresh rewrote the record. Tokens issued before remain valid.
    package let rewritten: RecordRewrite?
    /// Whether the client signed in as itself. Nil if there is no session.
    package let isGuest: Bool?
  }

  package func run() throws(SessionError) -> AccessGrant { try attempt().result.get() }

  /// Like ``run()``, but returns failures.
  package func attempt() -> Outcome {
    var rewritten: RecordRewrite?
    var isGuest: Bool?
    do throws(SessionError) {
      let grant = try services.withAccountLock(account, at: nil, cancellation: cancellation) {
        (level) throws(SessionError) in
        try refresh(at: level, &rewritten, &isGuest)
      }
      return Outcome(result: .success(grant), rewritten: nil, isGuest: isGuest)
    } catch {
      return Outcome(result: .failure(error), rewritten: rewritten, isGuest: isGuest)
    }
  }

  /// Refreshes the locked account.
  private func refresh(
    at level: Protection, _ rewritten: inout RecordRewrite?, _ isGuest: inout Bool?
  ) throws(SessionError) -> AccessGrant {
    try services.retryWrite(account, wait: SessionServices.lockWait(cancellation))
    var stored = try services.sessionRecord(of: account)
    var record = stored.record
    isGuest = record.unattended == .clientCredentials
    if let ending = record.endError(account, now: services.time.wallSeconds()) { throw ending }
    guard let refreshToken = record.refreshToken else {
      if let block = record.identityBlock { throw block.error(account) }
      if let grant = record.unattended { return try repeatSignIn(grant, stored, at: level) }
      if target != nil { throw .otherTokensUnavailable(account: account.text) }
      return try storedGrant(stored, at: level)
    }
    try checkKeyWait(for: stored.generation)
    var sessionServer = try services.server(for: account, configuration, record, cancellation: cancellation)
    try sessionServer.checkProfile(.code)
    // Verifying the response may need the keys.
    if record.identity != nil { try sessionServer.check(.keys) }
    sessionServer.server.removeFromErrors(previous)
    let namedNoResource = record.refusesResource
    let startedAt = services.time.now()
    let wallSeconds = services.time.wallSeconds()
    let writeReserve = try services.reserveWrite(
      wait: SessionServices.lockWait(cancellation), isFailureFinal: false, cancellation)
    defer { extendLifetime(writeReserve) }
    var generation = stored.generation
    let answer = try cancellation.withDelayedCancellation(orThrow: SessionError.cancelled) { () throws(SessionError) in
      let answer = try exchange(refreshToken, at: &sessionServer, &stored)
      record = stored.record
      generation = stored.generation
      record.refreshedAt = services.time.wallSeconds()
      // An older record has only the matching hash of the file.
      if record.authority.caDigest != nil {
        record.authority.sealCertificateAuthorities(sessionServer.server.transport.certificateAuthorities)
      }
      if target == nil, let tokens = try? answer.tokens() {
        if let scope = tokens.scope { record.scope = scope.text }
        record.authorizationDetails = tokens.authorizationDetails ?? record.authorizationDetails
      }
      let isNewToken = answer.refreshToken.map { new in
        record.refreshToken.map { !new.bytes.isEqual(to: $0.bytes) } ?? true
      }
      record.expiry.update(try? answer.tokens(), isNewToken: isNewToken ?? false, now: wallSeconds)
      // Store first: the server may have invalidated the sent token.
      if let rotated = answer.refreshToken {
        record.refreshToken = rotated
        let (server, bearer) = (sessionServer.server, try? answer.tokens().accessToken)
        let revoke = { @Sendable in _ = server.revokeIfPossible(rotated, .refreshToken, bearer: bearer, Cancellation())
        }
        do throws(SessionError) {
          generation = try services.write(
            rotated: record, of: account, replacing: generation, cancellation, in: writeReserve, orEndBy: revoke)
        } catch {
          // The deleted record cannot store the token.
          if case .signedOut = error, !services.addToPendingRevocation(rotated, of: account) { revoke() }
          throw error
        }
        rewritten = RecordRewrite(from: stored.generation, to: generation)
      } else if record.refusesResource, !namedNoResource {
        // If this fails, the next refresh gets the same result.
        generation = (try? services.write(record, of: account, replacing: generation)) ?? generation
      }
      return answer
    }
    let response = try mapOAuthError(answer.tokens())
    do {
      generation = try keepIdentity(in: response, at: sessionServer, &record, generation, isWritten: rewritten != nil)
    } catch {
      if error.awaitsIdentity { rewritten = nil }
      try blockAccount(record, because: error, generation)
      waitForKeys(after: error.followingSuccess, for: generation)
      throw error.followingSuccess
    }
    rewritten = RecordRewrite(from: stored.generation, to: generation)
    // If another process wrote the record, the cached ID Token may be another user's.
    let kept = response.idToken == nil && previous?.recordGeneration == stored.generation ? previous?.idToken : nil
    try mapOAuthError(response.check(covers: target?.scope))
    let named = target?.scope?.text ?? record.ownScope
    return AccessGrant(
      response, requestedScope: named ?? record.scope, namedScope: named, subject: record.identity?.subject,
      idToken: kept ?? record.idToken.map(SealedSecret.init), issuedAt: startedAt, issuedAtUnixSeconds: wallSeconds,
      recordGeneration: generation, replacedGeneration: stored.generation, dpopKey: sessionServer.server.prover?.key,
      protection: level, expiry: record.expiry)
  }

  /// Verifies the response's ID Token, and stores it if it contains anything new. If missing, keeps the stored one
  /// (OpenID Connect Core section 12.2). Returns the record's generation. If `isWritten`, the rest of the record is on
  /// disk.
  private func keepIdentity(
    in response: TokenResponse, at sessionServer: SessionServer, _ record: inout AccountRecord, _ generation: UInt64,
    isWritten: Bool
  ) throws(SessionError) -> UInt64 {
    let token = try verifyIdentity(response, at: sessionServer, record)
    let isNews = token.map { Self.stableClaims($0.claims) != record.claims.map(Self.stableClaims) } ?? false
    let isFirst = token != nil && (record.identity == nil || record.identityBlock != nil)
    if let token {
      record.identity = record.identity ?? token.identity
      record.identityBlock = nil
      record.setIDToken(token, response.idToken)
    }
    if isWritten, !isFirst, !isNews { return generation }
    do { return try services.write(record, of: account, replacing: generation) } catch {
      if case .signedOut = error { throw error }
      guard isWritten, !isFirst else { throw error }
      return generation
    }
  }

  /// Removes the claims that change with every token (OpenID Connect Core sections 2 and 3.1.3.6).
  private static func stableClaims(_ claims: JSONObject) -> JSONObject {
    ["iat", "exp", "nbf", "jti", "nonce", "at_hash", "c_hash"].reduce(into: claims) { $0[$1] = nil }
  }

  /// Nil if the ID Token is missing and not required.
  private func verifyIdentity(
    _ response: TokenResponse, at sessionServer: SessionServer, _ record: AccountRecord
  ) throws(SessionError) -> IDToken? {
    let token = try IDTokenCheck(
      services: services, server: sessionServer.server, renewal: sessionServer.renewal, cancellation: cancellation
    ).verifyRefresh(
      response, first: record.identity, account: account,
      isRequested: configuration.scope.isEmpty || configuration.scope.contains("openid"))
    if token == nil, let block = record.identityBlock { throw block.error(account) }
    return token
  }

  /// Blocks the account on disk if the server responded for another user.
  private func blockAccount(_ record: AccountRecord, because error: SessionError, _ generation: UInt64)
    throws(SessionError)
  {
    guard case .identityChanged(_, let claim) = error, record.identityBlock == nil else { return }
    var blocked = record
    blocked.identityBlock = .changed(claim: claim)
    _ = try services.write(rotated: blocked, of: account, replacing: generation, cancellation)
  }

  /// Delays the account's next refresh until new keys for the ID Token can be fetched.
  private func waitForKeys(after error: SessionError, for generation: UInt64) {
    guard case .oauth(let problem) = error, let seconds = problem.retryAfterSeconds else { return }
    let pause = ServerPause(
      until: services.time.now().advanced(by: .seconds(seconds)), isSetByServer: true, error: problem)
    services.refreshesAwaitingKeys[account] = RefreshAwaitingKeys(
      configuration: configuration, generation: generation, pause: pause)
  }

  /// Throws the error that began the wait, until keys may be fetched again.
  private func checkKeyWait(for generation: UInt64) throws(SessionError) {
    let now = services.time.now()
    guard let awaited = services.refreshesAwaitingKeys[account] else { return }
    guard awaited.generation == generation, awaited.configuration == configuration, now < awaited.pause.until else {
      return services.refreshesAwaitingKeys[account] = nil
    }
    throw awaited.pause.refusal(at: now)
  }

  /// Sends the refresh token. After `invalid_grant`, tries another process's newer token, or else ends the session
  /// (invariant: only the issuer ends a session).
  private func exchange(
    _ refreshToken: SharedSecret, at sessionServer: inout SessionServer, _ stored: inout StoredRecord
  ) throws(SessionError) -> TokenEndpointResponse {
    var reason: String?
    if let answer = try spend(refreshToken, at: &sessionServer, &stored.record, &reason) { return answer }
    stored = try services.sessionRecord(of: account)
    var current = stored.record
    if let replaced = current.refreshToken, !replaced.bytes.isEqual(to: refreshToken.bytes) {
      sessionServer.server.prover = try services.key(of: current, account).map(services.prover)
      if let answer = try spend(replaced, at: &sessionServer, &stored.record, &reason) { return answer }
    }
    current.endGrant(because: reason)
    try services.write(current, of: account, replacing: stored.generation)
    throw .expired(account: account.text, reason: reason)
  }

  /// Sends the refresh token. Nil for `invalid_grant`, with the server's description in `reason`.
  ///
  /// Reusing a rotating token ends the grant (RFC 9700 section 4.14.2), so it is sent to a new URL only after 404 (RFC
  /// 9110 section 15.5.5) or `unsupported_grant_type` (RFC 6749 section 5.2). After `invalid_target`, this and later
  /// requests omit the resource.
  private func spend(
    _ refreshToken: SharedSecret, at sessionServer: inout SessionServer, _ record: inout AccountRecord,
    _ reason: inout String?
  ) throws(SessionError) -> TokenEndpointResponse? {
    let resources = record.beganAtResource && !record.refusesResource ? configuration.resources : []
    // Scopes of single origins are for other tokens.
    let own = try record.ownScope.map { (scope) throws(SessionError) in
      try mapOAuthError(TokenTarget(scope: [scope], resources: [], audience: nil))
    }
    let target = target ?? own.flatMap { $0 }
    do {
      return try sessionServer.send(to: .token) { (server) throws(OAuthError) in
        do throws(OAuthError) {
          return try server.refresh(
            refreshToken, for: target, resources: resources, claims: claims, cancellation: cancellation)
        } catch {
          guard error.code == .invalidTargetAnswer, !resources.isEmpty, target?.resources.isEmpty ?? true else {
            throw error
          }
          record.refusesResource = true
          return try server.refresh(refreshToken, for: target, claims: claims, cancellation: cancellation)
        }
      }
    } catch .oauth(let error) where error.code.effect == .grantEnded {
      reason = error.serverDescription
      return nil
    }
  }

  /// Repeats the sign-in's request of a session without a user.
  private func repeatSignIn(
    _ grant: UnattendedGrant, _ stored: StoredRecord, at level: Protection
  ) throws(SessionError) -> AccessGrant {
    var record = stored.record
    var sessionServer = try services.server(for: account, configuration, record, cancellation: cancellation)
    try sessionServer.checkProfile(FAPI2.Flow(record.unattended))
    let wallSeconds = services.time.wallSeconds()
    let request = try UnattendedRequest(
      grant, passedAssertion, of: account, configuration, for: target, at: sessionServer.server, now: wallSeconds,
      cancellation)
    let startedAt = services.time.now()
    let response = try sessionServer.send(to: .token) { (server) throws(OAuthError) in
      try request.send(server, cancellation)
    }
    try mapOAuthError(response.check(covers: target?.scope))
    record.refreshedAt = services.time.wallSeconds()
    if target == nil, let scope = response.scope { record.scope = scope.text }
    let generation = try services.write(record, of: account, replacing: stored.generation)
    return AccessGrant(
      response, requestedScope: target?.scope?.text ?? record.scope, subject: nil, issuedAt: startedAt,
      issuedAtUnixSeconds: wallSeconds, recordGeneration: generation, replacedGeneration: stored.generation,
      dpopKey: sessionServer.server.prover?.key, protection: level)
  }

  /// At most the token's lifetime, in case the clock was set back.
  private func secondsLeft(of record: AccountRecord, now: Int) -> Int? {
    record.accessTokenExpiresAt.map { min($0 - now, max(0, $0 - record.signedInAt)) }
  }

  /// For an account without a refresh token. Works offline.
  private func storedGrant(
    _ stored: StoredRecord, at level: Protection
  ) throws(SessionError) -> AccessGrant {
    let record = stored.record
    if let problem = record.problem(with: configuration, account: account) { throw problem }
    let wallSeconds = services.time.wallSeconds()
    let left = secondsLeft(of: record, now: wallSeconds)
    guard let accessToken = record.accessToken, left ?? 1 > 0 else { throw .expired(account: account.text) }
    return AccessGrant(
      accessToken: accessToken, tokenType: record.tokenType, scope: record.scope, subject: record.identity?.subject,
      idToken: record.idToken.map(SealedSecret.init), issuedAt: services.time.now(),
      issuedAtUnixSeconds: wallSeconds, lifetimeSeconds: left, recordGeneration: stored.generation,
      dpopKey: try services.key(of: record, account), protection: level, isRenewable: false)
  }
}

/// A record's generations before and after a rewrite.
package struct RecordRewrite: Sendable, Hashable {
  package let from: UInt64
  package let to: UInt64

  package init(from: UInt64, to: UInt64) {
    (self.from, self.to) = (from, to)
  }
}
