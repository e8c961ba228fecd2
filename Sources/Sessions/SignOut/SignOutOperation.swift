package import OAuth
internal import Vault
internal import Crypto
package import Vocabulary

/// Ends an account's session: tells the server, then removes the secrets here. Blocking.
package struct SignOutOperation: Sendable {
  package let account: AccountName
  /// Nil when the settings no longer name the account.
  package let configuration: AccountConfiguration?
  /// The token in memory, which dies with the session.
  package let grant: AccessGrant?
  /// Only forget the session here.
  package let isLocal: Bool
  package let services: SessionServices
  /// Find out where the session in the browser can be ended too.
  package var wantsLogoutPage = false

  /// Ends what is asked of the server; the session ends here all the same.
  package let cancellation = Cancellation()

  /// Also drops the cached documents of the server, which no other account needs.
  package var forgetsServer = false

  /// The whole account is removed, so a locked record need not be read.
  package var endsAccount = false

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

  /// The server's confirmation.
  package enum Confirmation: Sendable, Hashable {
    case nothingToRevoke
    case revoked
    /// Only forgotten here, as asked.
    case local
    /// The server has no revocation endpoint.
    ///
    /// - Parameter page: Where a person can end the session by hand, for a service that we know.
    case notOffered(page: String?)
    /// The server may still accept the tokens.
    case failed(SessionError)
  }

  /// The result of the sign-out.
  package struct Ending: Sendable, Hashable {
    package var confirmation: Confirmation
    /// Where a person ends the session in the browser; nil when that was not asked for, or there is no such page.
    package var logoutURL: String?
  }

  package func run() throws(SessionError) -> Ending {
    try services.holding(account) { () throws(SessionError) in try revokeAndRemove() }
  }

  private func revokeAndRemove() throws(SessionError) -> Ending {
    var ending = Ending(confirmation: .nothingToRevoke)
    do {
      ending.confirmation = try revoke(&ending.logoutURL)
    } catch {
      // A locked record can be neither revoked nor kept for the client's registration; a caller that wants it removed
      // anyway says so.
      if error.isLocked, !isLocal || !endsAccount { throw error }
      ending.confirmation = error.isLocked ? .local : .failed(error)
    }
    try forget()
    if forgetsServer, let configuration, let access = try? AccountAccess(configuration) {
      services.documents.forget(access.issuer, transport: access.transport)
    }
    return ending
  }

  /// Removes the record. The client's registration is not part of the session: it stays, with its access token.
  private func forget() throws(SessionError) {
    if let rest = try rest() {
      try services.write(rest, of: account)
    } else {
      try services.removeLeftover(of: account)
    }
  }

  /// The part of the record that stays. A record that can never be read has none.
  private func rest() throws(SessionError) -> AccountRecord? {
    do {
      return try services.record(of: account)?.signedOut
    } catch {
      if case .vault(let problem) = error, problem.isPassing { throw error }
      if error.isLocked, !endsAccount { throw error }
      return nil
    }
  }

  /// - Parameter logoutURL: Set before the tokens are revoked, since the page is there even when that fails.
  private func revoke(_ logoutURL: inout String?) throws(SessionError) -> Confirmation {
    guard let record = try services.record(of: account) else { return .nothingToRevoke }
    guard record.refreshToken != nil || record.accessToken != nil || grant != nil else { return .nothingToRevoke }
    if isLocal { return .local }
    guard let configuration else { return .notOffered(page: nil) }
    var live = try services.server(for: account, configuration, record, grant: grant, cancellation: cancellation)
    if wantsLogoutPage {
      logoutURL = live.server.metadata.logoutURL(clientID: configuration.clientID, subject: record.identity?.subject)
    }
    let metadata = live.server.metadata
    guard metadata.revocationEndpoint != nil || metadata.unusableEndpoints[.revocation] != nil else {
      return .notOffered(page: configuration.providerSettings?.sessionsPage)
    }
    return try revoke(record, at: &live)
  }

  /// The refresh token first, which takes the access tokens with it at most servers (RFC 7009, section 2.1).
  private func revoke(_ record: AccountRecord, at live: inout LiveServer) throws(SessionError) -> Confirmation {
    let accessToken = grant?.accessToken ?? record.accessToken
    guard let refreshToken = record.refreshToken else {
      if let accessToken { try revoke(accessToken, .accessToken, bearer: accessToken, at: &live) }
      return .revoked
    }
    do {
      try revoke(refreshToken, .refreshToken, bearer: accessToken, at: &live)
      if let accessToken { try? revoke(accessToken, .accessToken, bearer: accessToken, at: &live) }
    } catch {
      // Some servers take a revocation from a public client only with an access token, and there is
      // none that works: one more refresh yields it.
      guard case .oauth(let problem) = error, problem.httpStatus == 401 else { throw error }
      let answer = try oauth { () throws(OAuthError) in
        try live.server.refresh(refreshToken, cancellation: cancellation)
      }
      if let rotated = answer.refreshToken {
        var renewed = record
        renewed.refreshToken = rotated
        // It is removed in a moment; until then a sign-out that is cut off here can be made again.
        _ = try? services.write(renewed, of: account)
      }
      let last = try oauth { () throws(OAuthError) in try answer.tokens() }
      try revoke(answer.refreshToken ?? refreshToken, .refreshToken, bearer: last.accessToken, at: &live)
      try? revoke(last.accessToken, .accessToken, bearer: last.accessToken, at: &live)
    }
    return .revoked
  }

  private func revoke(
    _ token: SharedSecret, _ hint: RevocationHint, bearer: SharedSecret?, at live: inout LiveServer
  ) throws(SessionError) {
    try live.asking(\.revocationEndpoint) { (server) throws(OAuthError) in
      try server.revoke(token, hint: hint, bearer: bearer, cancellation: cancellation)
    }
  }
}
