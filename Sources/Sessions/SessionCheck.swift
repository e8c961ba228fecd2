package import OAuth
package import Vault
internal import Crypto

/// Asks the authorization server whether a session still holds. Blocking.
///
/// Introspection (RFC 7662) tells of the session itself and is asked first, by clients that may; UserInfo
/// (OpenID Connect Core, section 5.3) tells whether the access token is still taken.
package struct SessionCheck: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  /// A token that is good by all that is known here.
  package let grant: AccessGrant
  package let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, grant: AccessGrant, services: SessionServices,
    cancellation: Cancellation
  ) {
    self.account = account
    self.configuration = configuration
    self.grant = grant
    self.services = services
    self.cancellation = cancellation
  }

  package enum Verdict: Sendable, Hashable {
    case holds
    /// The session is over, and its record says so now.
    case ended
    /// A token is refused; whether the session is over shows at a refresh.
    case doubtful
    /// The server offers neither, or not to this client.
    case notPossible
  }

  package func run() throws(SessionError) -> Verdict {
    guard let record = try services.record(of: account) else { throw .signedOut(account: account.text) }
    let server = try services.server(for: account, configuration, record, grant: grant, cancellation: cancellation)
    if let isActive = introspect(record, at: server) { return isActive ? .holds : try refused(record) }
    guard server.metadata.userinfoEndpoint != nil else { return .notPossible }
    do {
      _ = try server.userInfo(
        accessToken: grant.accessToken, expectedSubject: record.identity?.subject, cancellation: cancellation)
      return .holds
    } catch {
      switch error.code {
      case .insufficientScope: return .notPossible
      case .invalidToken: return try refused(record)
      default: throw .oauth(error)
      }
    }
  }

  /// Nil when the server does not tell: not all that announce introspection offer it to each client.
  private func introspect(_ record: AccountRecord, at server: AuthorizationServer) -> Bool? {
    guard server.canIntrospect else { return nil }
    guard let refreshToken = record.refreshToken else {
      return try? server.isActive(grant.accessToken, hint: .accessToken, cancellation: cancellation)
    }
    return try? server.isActive(refreshToken, hint: .refreshToken, cancellation: cancellation)
  }

  /// Without a refresh token, the access token is the session.
  private func refused(_ record: AccountRecord) throws(SessionError) -> Verdict {
    record.refreshToken == nil ? try end() : .doubtful
  }

  /// Writes down that the session is over, unless it was renewed or replaced meanwhile.
  private func end() throws(SessionError) -> Verdict {
    try services.holding(account) { () throws(SessionError) in
      guard let stored = try services.storedRecord(of: account) else { throw .signedOut(account: account.text) }
      guard stored.generation == grant.recordGeneration else { return .doubtful }
      var record = stored.record
      record.endGrant()
      try services.write(record, of: account)
      return .ended
    }
  }
}
