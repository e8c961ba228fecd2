package import OAuth
package import Vault
internal import Crypto
internal import Encoding
internal import Platform

/// Spends an account's refresh token: blocking, for a worker thread.
///
/// The order of steps is the product's promise. The account's lock is taken before the record is
/// read, so that no two processes send the same refresh token; the settings and the metadata are
/// held against what the person signed in with before anything is sent; nothing is sent while the vault
/// could not be written; a rotated token is on disk before anyone sees the new access token.
package struct RefreshOperation: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  /// The token at hand: its ID Token goes on when the server gives no new one.
  package let previous: AccessGrant?
  /// What the token is to be good for; nil for the account's own.
  package let target: TokenTarget?
  package let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, previous: AccessGrant? = nil,
    target: TokenTarget? = nil, services: SessionServices, cancellation: Cancellation
  ) {
    self.account = account
    self.configuration = configuration
    self.previous = previous
    self.target = target
    self.services = services
    self.cancellation = cancellation
  }

  package func run() throws(SessionError) -> AccessGrant {
    try services.holding(account, at: nil) { (level) throws(SessionError) in try refresh(at: level) }
  }

  private func refresh(at level: Protection) throws(SessionError) -> AccessGrant {
    try services.settle(account)
    guard let stored = try services.storedRecord(of: account) else { throw .signedOut(account: account.text) }
    var record = stored.record
    if record.isSignedOut { throw .signedOut(account: account.text) }
    if record.isExpired { throw .expired(account: account.text) }
    if let change = record.identityChange { throw .identityChanged(account: account.text, claim: change.claim) }
    guard let refreshToken = record.refreshToken else {
      if record.isGuest { return try guestGrant(stored, at: level) }
      if target != nil { throw .noOtherTokens(account: account.text) }
      return try keptGrant(stored, at: level)
    }
    var live = try services.server(for: account, configuration, record, cancellation: cancellation)
    live.server.confide(previous?.accessToken, previous?.idToken)
    let startedAt = services.time.now()
    let wallSeconds = services.time.wallSeconds()
    try services.rehearseWrite()
    let response = try exchange(refreshToken, at: &live, &record)
    let kept = record.refreshToken === refreshToken ? keptIdentity(stored) : nil
    record.refreshToken = response.refreshToken ?? refreshToken
    record.refreshedAt = services.time.wallSeconds()
    if target == nil, let scope = response.scope { record.scope = scope.text }
    var generation = try services.write(rotated: record, of: account, replacing: stored.generation)
    let token = try identify(response, at: live, record)
    if record.identity == nil, let token {
      // The first that tells who signed in, after a sign-in that brought none: all later ones must be for the same.
      record.identity = token.identity
      generation = try services.write(record, of: account)
    }
    return AccessGrant(
      accessToken: response.accessToken, tokenType: response.tokenType,
      scope: (response.scope ?? target?.scope)?.text ?? record.scope,
      subject: token?.identity.subject ?? record.identity?.subject, claims: token?.claims ?? kept?.claims ?? .init(),
      idToken: token == nil ? kept?.idToken : response.idToken, issuedAt: startedAt, issuedAtUnixSeconds: wallSeconds,
      lifetimeSeconds: response.expiresIn, recordGeneration: generation, replacedGeneration: stored.generation,
      dpopKey: live.server.prover?.key, protection: level)
  }

  /// The token at hand, if it came with the record that is being refreshed: one that another process got
  /// meanwhile may be for another person.
  private func keptIdentity(_ stored: SessionServices.StoredRecord) -> AccessGrant? {
    previous?.recordGeneration == stored.generation ? previous : nil
  }

  /// Another user's ID Token is written down, so that the refresh token is not spent again and again.
  private func identify(
    _ response: TokenResponse, at live: LiveServer, _ record: AccountRecord
  ) throws(SessionError) -> IDToken? {
    do {
      return try IDTokenCheck(
        services: services, server: live.server, renewal: live.renewal, cancellation: cancellation
      ).refreshed(response, first: record.identity, account: account)
    } catch {
      if case .identityChanged(_, let claim) = error {
        var refused = record
        refused.identityChange = IdentityChange(claim: claim)
        try services.write(refused, of: account)
      }
      throw error.followingSuccess
    }
  }

  /// Only `invalid_grant` ends a grant, and only if nobody replaced the token meanwhile.
  private func exchange(
    _ refreshToken: SharedSecret, at live: inout LiveServer, _ record: inout AccountRecord
  ) throws(SessionError) -> TokenResponse {
    if let response = try spend(refreshToken, at: &live) { return response }
    guard var current = try services.record(of: account) else { throw .signedOut(account: account.text) }
    if let replaced = current.refreshToken, !replaced.bytes.isEqual(to: refreshToken.bytes) {
      record = current
      live.server.prover = try services.key(of: current, account).map(services.prover)
      if let response = try spend(replaced, at: &live) { return response }
    }
    current.endGrant()
    try services.write(current, of: account)
    throw .expired(account: account.text)
  }

  /// Sends the token, to a second place only when the first is no token endpoint any more.
  ///
  /// A token that rotates is never sent again after an answer that a server may have given once it had acted on it:
  /// a second use ends the grant (RFC 9700 section 4.14.2). Only two answers let it go to where the metadata lead now.
  /// With 404 nothing was found that could have acted (RFC 9110 section 15.5.5), and with `unsupported_grant_type`
  /// the server itself says that it did not (RFC 6749 section 5.2). An answer that was lost or cut is neither.
  ///
  /// - Returns: Nil for `invalid_grant`.
  private func spend(_ refreshToken: SharedSecret, at live: inout LiveServer) throws(SessionError) -> TokenResponse? {
    do {
      return try live.asking(\.tokenEndpoint) { (server) throws(OAuthError) in
        try server.refresh(refreshToken, for: target, cancellation: cancellation)
      }
    } catch .oauth(let error) where error.code == .invalidGrant {
      return nil
    }
  }

  /// A guest's session is renewed as it began: by proving who the client is.
  private func guestGrant(
    _ stored: SessionServices.StoredRecord, at level: Protection
  ) throws(SessionError) -> AccessGrant {
    var record = stored.record
    var live = try services.server(for: account, configuration, record, cancellation: cancellation)
    let startedAt = services.time.now()
    let wallSeconds = services.time.wallSeconds()
    let response = try live.asking(\.tokenEndpoint) { (server) throws(OAuthError) in
      let usual = try configuration.target()
      return try server.tokensForClient(
        scope: try configuration.guestScope(), target: target ?? usual, cancellation: cancellation)
    }
    record.refreshedAt = services.time.wallSeconds()
    if target == nil, let scope = response.scope { record.scope = scope.text }
    let generation = try services.write(record, of: account)
    return AccessGrant(
      accessToken: response.accessToken, tokenType: response.tokenType,
      scope: (response.scope ?? target?.scope)?.text ?? record.scope, subject: nil, claims: .init(),
      issuedAt: startedAt, issuedAtUnixSeconds: wallSeconds, lifetimeSeconds: response.expiresIn,
      recordGeneration: generation, replacedGeneration: stored.generation, dpopKey: live.server.prover?.key,
      protection: level)
  }

  /// What is left of a kept token's lifetime: never more than all of it, however far the clock was set back since.
  private func secondsLeft(of record: AccountRecord, now: Int) -> Int? {
    record.accessTokenExpiresAt.map { min($0 - now, max(0, $0 - record.signedInAt)) }
  }

  /// Without a refresh token the kept access token is the grant. Nothing is sent, so it needs no network;
  /// without a named lifetime it lives until a resource refuses it.
  private func keptGrant(
    _ stored: SessionServices.StoredRecord, at level: Protection
  ) throws(SessionError) -> AccessGrant {
    let record = stored.record
    if let problem = record.problem(with: configuration, account: account) { throw problem }
    let wallSeconds = services.time.wallSeconds()
    let left = secondsLeft(of: record, now: wallSeconds)
    guard let accessToken = record.accessToken, left ?? 1 > 0 else { throw .expired(account: account.text) }
    let kept = keptIdentity(stored)
    return AccessGrant(
      accessToken: accessToken, tokenType: record.tokenType, scope: record.scope, subject: record.identity?.subject,
      claims: kept?.claims ?? .init(), idToken: kept?.idToken, issuedAt: services.time.now(),
      issuedAtUnixSeconds: wallSeconds, lifetimeSeconds: left, recordGeneration: stored.generation,
      dpopKey: try services.key(of: record, account), protection: level)
  }
}
