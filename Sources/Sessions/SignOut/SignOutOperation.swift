package import OAuth
internal import Vault
internal import Crypto
internal import Platform

/// Ends an account's session: first on disk, without waiting for a refresh, then at the server (invariant: sign-out is
/// durable first). Blocking. Until revoked, the tokens stay recorded, for up to ``SignOutOperation/revocationLifetime``
/// seconds.
package struct SignOutOperation: Sendable {
  package let account: AccountName
  /// Nil for a removed account: its record has sealed settings.
  package let configuration: AccountConfiguration?
  /// The cached access token to revoke, if any.
  package let grant: AccessGrant?
  /// Whether to end the session only locally.
  package let isLocal: Bool
  package let services: SessionServices
  /// Whether to look up the browser's sign-out page.
  package var wantsLogoutPage = false

  /// Cancels the requests to the server, unless a refresh token was sent. The local end is unaffected.
  package let cancellation = Cancellation()

  /// Called when the session has ended locally. The caller must then limit the wait by cancelling.
  package var willContactServer: @Sendable () -> Void = {}

  package var dropsCachedDocuments = false

  /// How long an ended session's tokens are kept for revocation, in seconds.
  package static let revocationLifetime = 86_400

  package init(
    account: AccountName, configuration: AccountConfiguration?, grant: AccessGrant?, isLocal: Bool,
    services: SessionServices
  ) {
    self.account = account
    self.configuration = configuration
    self.grant = grant
    self.isLocal = isLocal
    self.services = services
  }

  package enum RevocationResult: Sendable, Hashable {
    case nothingToRevoke
    case revoked
    /// Another process has tried the revocation, with an unknown result.
    case handledElsewhere
    /// Ended only locally, as requested.
    case local
    /// The server has no revocation endpoint. `page` is for revoking by hand, if known.
    case notOffered(page: String?)
    /// The server may still accept the tokens.
    case failed(SessionError)
    /// ``SignOutOperation/revokePending(subject:)`` may succeed later. The error is `cancelled` if a refresh was in
    /// progress.
    case postponed(SessionError)

    package var isPostponed: Bool { if case .postponed = self { true } else { false } }
  }

  package struct Outcome: Sendable, Hashable {
    package var revocationResult: RevocationResult
    /// The browser's sign-out page. Nil if unknown or not requested.
    package var logoutURL: String?

    package init(revocationResult: RevocationResult) { self.revocationResult = revocationResult }
  }

  package func run() throws(SessionError) -> Outcome {
    var ending = Outcome(revocationResult: .nothingToRevoke)
    let level = services.nextLevel(of: account, requested: nil)
    switch try services.withUnlockedLevel(level, nil, { (_) throws(SessionError) in try endLocally() }) {
    case .done(let revocationResult): ending.revocationResult = revocationResult
    case .pending(let subject):
      willContactServer()
      ending = revokePending(subject: subject)
      if ending.revocationResult == .nothingToRevoke { ending.revocationResult = .handledElsewhere }
    }
    if dropsCachedDocuments, let configuration, let parsed = try? ParsedConfiguration(configuration) {
      services.documents.forget(parsed.issuer, transport: parsed.transport)
    }
    return ending
  }

  private enum LocalEnd {
    case done(RevocationResult)
    /// A revocation is pending, in the record or, on a full disk, in memory. `subject` is the user.
    case pending(subject: String?)
  }

  /// A refresh in progress then stores its tokens only for revocation.
  private func endLocally() throws(SessionError) -> LocalEnd {
    while true {
      let stored: StoredRecord?
      do { stored = try services.storedRecord(of: account) } catch {
        return .done(try removeUnreadable(because: error))
      }
      guard let stored else {
        guard services.unwrittenRevocations[account] != nil else { return .done(.nothingToRevoke) }
        if isLocal { services.unwrittenRevocations[account] = nil }
        return isLocal ? .done(.local) : .pending(subject: nil)
      }
      let record = stored.record
      if record.revocation != nil, !isLocal { return .pending(subject: nil) }
      let inMemory = (try? grant?.accessToken.open()).flatMap { $0.bytes.count > 0 ? $0 : nil }
      let tokens = (refresh: record.refreshToken, access: inMemory ?? record.accessToken)
      let hasTokens = tokens.refresh != nil || tokens.access != nil
      var revocation: AccountRecord.PendingRevocation?
      if hasTokens, !isLocal, settings(of: record) != nil {
        let until = services.time.wallSeconds() + Self.revocationLifetime
        revocation = .init(refreshToken: tokens.refresh, accessToken: tokens.access, until: until)
      }
      do throws(SessionError) {
        guard try replace(stored, by: record.signedOut(revocation)) else { continue }
      } catch {
        guard case .vault(let problem) = error, problem.lacksSpace else { throw error }
        let protection = try services.protection(of: account) ?? .device
        guard try services.erase(stored, of: account) else { continue }
        if let revocation, let rest = record.signedOut(revocation) {
          services.unwrittenRevocations[account] = .init(
            record: rest, configuration: settings(of: record), protection: protection)
        }
      }
      if revocation != nil { return .pending(subject: record.identity?.subject) }
      guard hasTokens || record.revocation != nil else { return .done(.nothingToRevoke) }
      return .done(isLocal ? .local : .notOffered(page: nil))
    }
  }

  /// The account's settings, or the sealed ones if its name was reused.
  private func settings(of record: AccountRecord) -> AccountConfiguration? {
    if let configuration, record.authority.isSameClient(as: configuration) { return configuration }
    return record.authority.configuration
  }

  /// Removes a damaged record, or a locked one to be ended only locally.
  private func removeUnreadable(because error: SessionError) throws(SessionError) -> RevocationResult {
    if error.isTemporary || error.isLocked && !isLocal { throw error }
    try services.removeLeftover(of: account)
    return error.isLocked ? .local : .failed(error)
  }

  /// Returns false if another process replaced the record.
  private func replace(
    _ stored: StoredRecord, by record: AccountRecord?
  ) throws(SessionError) -> Bool {
    guard let record else {
      return try services.remove(stored, of: account)
    }
    do { try services.write(record, of: account, replacing: stored.generation, wait: nil) } catch .signedOut {
      return false
    }
    return true
  }

  /// Revokes an ended session's tokens. Drops them unless a later attempt may succeed. `subject` is the user.
  package func revokePending(subject: String? = nil) -> Outcome {
    var ending = Outcome(revocationResult: .nothingToRevoke)
    var isHeld = false
    do throws(SessionError) {
      try services.withAccountLock(account, at: nil, mustWrite: true, cancellation: cancellation) {
        (_) throws(SessionError) in
        isHeld = true
        guard let found = try services.loadRecordToRevoke(of: account), let pending = found.record.revocation else {
          return
        }
        let left = pending.until - services.time.wallSeconds()
        let stored = try limitDeadline(found, pending, secondsLeft: left)
        do throws(SessionError) {
          guard left >= 0 else { throw SessionError.cancelled }
          ending.revocationResult = try revoke(stored, pending, subject, &ending.logoutURL)
        } catch {
          if error.isTemporary || cancellation.isCancelled { throw error }
          ending.revocationResult = .failed(error)
        }
        services.unwrittenRevocations[account] = nil
        guard let last = try services.storedRecord(of: account), last.record.revocation != nil else { return }
        _ = try replace(last, by: last.record.signedOut(nil))
      }
    } catch {
      var reason = error
      if cancellation.isCancelled {
        reason = isHeld ? .oauth(OAuthError(.timeout, .endpoint(.revocation))) : .cancelled
      }
      ending.revocationResult = .postponed(reason)
    }
    return ending
  }

  /// Shortens a deadline that is too late, after the clock was set back.
  private func limitDeadline(
    _ stored: StoredRecord, _ pending: AccountRecord.PendingRevocation, secondsLeft: Int
  ) throws(SessionError) -> StoredRecord {
    guard secondsLeft > Self.revocationLifetime else { return stored }
    var record = stored.record
    record.revocation = .init(
      refreshToken: pending.refreshToken, accessToken: pending.accessToken,
      until: services.time.wallSeconds() + Self.revocationLifetime)
    return try services.update(record, toRevoke: account, replacing: stored.generation)
  }

  /// First sets `logoutURL`, which is usable even if this fails.
  private func revoke(
    _ stored: StoredRecord, _ pending: AccountRecord.PendingRevocation, _ subject: String?,
    _ logoutURL: inout String?
  ) throws(SessionError) -> RevocationResult {
    guard let configuration = settings(of: stored.record) else { return .notOffered(page: nil) }
    var sessionServer = try services.server(
      for: account, configuration, stored.record, grant: grant, cancellation: cancellation)
    if wantsLogoutPage, sessionServer.server.metadata.endSessionEndpoint.map(stored.record.authority.includes) ?? false
    {
      logoutURL = sessionServer.server.metadata.logoutURL(clientID: configuration.clientID, subject: subject)
    }
    let metadata = sessionServer.server.metadata
    guard metadata[.revocation] != nil || metadata.unusableEndpoints[.revocation] != nil else {
      return .notOffered(page: configuration.providerSettings?.sessionsPage)
    }
    return try revoke(stored, pending, at: &sessionServer)
  }

  /// Revokes the refresh token first: most servers then also end the access tokens (RFC 7009, section 2.1).
  private func revoke(
    _ stored: StoredRecord, _ pending: AccountRecord.PendingRevocation,
    at sessionServer: inout SessionServer
  ) throws(SessionError) -> RevocationResult {
    guard let refreshToken = pending.refreshToken else {
      if let token = pending.accessToken { try revoke(token, .accessToken, bearer: token, at: &sessionServer) }
      return .revoked
    }
    do {
      try revoke(refreshToken, .refreshToken, bearer: pending.accessToken, at: &sessionServer)
      if let token = pending.accessToken { try? revoke(token, .accessToken, bearer: token, at: &sessionServer) }
    } catch {
      // Some servers require a valid access token from a public client. Another refresh gets one.
      guard case .oauth(let problem) = error, problem.httpStatus == 401 else { throw error }
      try cancellation.withDelayedCancellation(orThrow: .cancelled) { () throws(SessionError) in
        try revokeRenewed(refreshToken, stored, at: &sessionServer)
      }
    }
    return .revoked
  }

  /// Refreshes first, for servers that require a valid access token.
  private func revokeRenewed(
    _ refreshToken: SharedSecret, _ stored: StoredRecord, at sessionServer: inout SessionServer
  ) throws(SessionError) {
    try sessionServer.check(.token)
    let answer = try mapOAuthError(sessionServer.server.refresh(refreshToken, cancellation: cancellation))
    if let rotated = answer.refreshToken {
      var renewed = stored.record
      renewed.revocation?.refreshToken = rotated
      _ = try? services.update(renewed, toRevoke: account, replacing: stored.generation)
    }
    let last = try mapOAuthError(answer.tokens())
    try revoke(answer.refreshToken ?? refreshToken, .refreshToken, bearer: last.accessToken, at: &sessionServer)
    try? revoke(last.accessToken, .accessToken, bearer: last.accessToken, at: &sessionServer)
  }

  /// `bearer` is an access token for servers that require one.
  private func revoke(
    _ token: SharedSecret, _ hint: TokenTypeHint, bearer: SharedSecret?, at sessionServer: inout SessionServer
  ) throws(SessionError) {
    try sessionServer.send(to: .revocation) { (server) throws(OAuthError) in
      try server.revoke(token, hint: hint, bearer: bearer, cancellation: cancellation)
    }
  }
}
