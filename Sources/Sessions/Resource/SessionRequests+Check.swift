internal import OAuth

extension SessionRequests {
  package enum CheckResult: Sendable, Hashable {
    case valid
    /// The session has ended, and its record was updated.
    case ended
    /// A token was rejected. A refresh shows whether the session has ended.
    case refreshNeeded
    /// Introspection and UserInfo are unsupported, or not for this client.
    case notPossible
  }

  /// Checks the session at the server by introspection (RFC 7662), if the client may, or else the access token by
  /// UserInfo (OpenID Connect Core section 5.3).
  package func check() throws(SessionError) -> CheckResult {
    var (stored, sessionServer) = try open()
    let record = stored.record
    if let isActive = introspect(record, at: &sessionServer) { return isActive ? .valid : try handleRejection(record) }
    guard record.unattended == nil else { return .notPossible }
    guard sessionServer.server.metadata[.userinfo] != nil else {
      let metadata = sessionServer.server.metadata
      try mapOAuthError(metadata.checkUsable(.userinfo))
      return .notPossible
    }
    do {
      _ = try userInfo(record, at: &sessionServer)
      return .valid
    } catch {
      guard case .oauth(let problem) = error else { throw error }
      switch problem.code {
      case .insufficientScope: return .notPossible
      case .invalidToken: return try handleRejection(record)
      default: throw error
      }
    }
  }

  /// Nil if introspection fails: some servers forbid it to some clients.
  private func introspect(_ record: AccountRecord, at sessionServer: inout SessionServer) -> Bool? {
    guard sessionServer.server.canIntrospect else { return nil }
    let hint = record.refreshToken == nil ? TokenTypeHint.accessToken : .refreshToken
    guard let token = try? record.refreshToken ?? grant.openAccessToken() else { return nil }
    return try? sessionServer.send(to: .introspection) { (server) throws(OAuthError) in
      try server.introspect(token, hint: hint, cancellation: cancellation)
    }
  }

  /// Ends the session if it has no means to get another access token.
  private func handleRejection(_ record: AccountRecord) throws(SessionError) -> CheckResult {
    record.refreshToken == nil && record.unattended == nil ? try end() : .refreshNeeded
  }

  /// Ends the session, unless it was renewed or replaced.
  private func end() throws(SessionError) -> CheckResult {
    try services.withAccountLock(account) { () throws(SessionError) in
      let stored = try services.sessionRecord(of: account)
      guard stored.generation == grant.recordGeneration else { return .refreshNeeded }
      var record = stored.record
      record.endGrant()
      try services.write(record, of: account, replacing: stored.generation)
      return .ended
    }
  }
}
