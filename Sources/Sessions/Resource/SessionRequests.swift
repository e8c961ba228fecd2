package import Encoding
package import OAuth
internal import Platform

/// Requests to a session's authorization server. Blocking.
package struct SessionRequests: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  package let grant: AccessGrant
  package let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, grant: AccessGrant, services: SessionServices,
    cancellation: Cancellation = Cancellation()
  ) {
    self.account = account
    self.configuration = configuration
    self.grant = grant
    self.services = services
    self.cancellation = cancellation
  }

  /// Reads the account's record and prepares its server. Throws `signedOut` without a record.
  func open() throws(SessionError) -> (stored: StoredRecord, sessionServer: SessionServer) {
    let stored = try services.sessionRecord(of: account)
    let sessionServer = try services.server(
      for: account, configuration, stored.record, grant: grant, cancellation: cancellation)
    return (stored, sessionServer)
  }

  /// The UserInfo claims (OpenID Connect Core section 5.3). Nil without a user or a UserInfo endpoint.
  package func userInfo() throws(SessionError) -> JSONObject? {
    var (stored, sessionServer) = try open()
    guard sessionServer.server.metadata[.userinfo] != nil, stored.record.unattended == nil else { return nil }
    return try userInfo(stored.record, at: &sessionServer)
  }

  /// Throws if the claims are for another user.
  func userInfo(_ record: AccountRecord, at sessionServer: inout SessionServer) throws(SessionError) -> JSONObject {
    let (token, renewal) = (try grant.openAccessToken(), sessionServer.renewal)
    return try sessionServer.send(to: .userinfo) { (server) throws(OAuthError) in
      try server.fetchUserInfo(
        accessToken: token, expectedSubject: record.identity?.subject ?? grant.subject,
        rules: userInfoRules(server, renewal), cancellation: cancellation)
    }
  }

  private func userInfoRules(_ server: AuthorizationServer, _ renewal: MetadataRenewal) -> UserInfoRules {
    var search = server.metadata[.keys].map { endpoint in
      KeySearch(IssuerKeys(services, endpoint, server.transport, renewal, cancellation))
    }
    return server.userInfoRules(now: services.time.wallSeconds()) { () throws(OAuthError) in try search?.next() }
  }
}
