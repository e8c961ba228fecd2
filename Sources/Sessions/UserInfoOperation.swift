package import Encoding
package import OAuth
package import Vault

/// Asks the server who the account's user is (OpenID Connect Core, section 5.3). Blocking.
package struct UserInfoOperation: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
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

  /// The claims, for the same subject as the ID Token's; nil when the server has no such endpoint.
  package func run() throws(SessionError) -> JSONObject? {
    guard let record = try services.record(of: account) else { throw .signedOut(account: account.text) }
    let server = try services.server(for: account, configuration, record, grant: grant, cancellation: cancellation)
    guard server.metadata.userinfoEndpoint != nil else { return nil }
    return try oauth { () throws(OAuthError) in
      try server.userInfo(
        accessToken: grant.accessToken, expectedSubject: record.identity?.subject, cancellation: cancellation)
    }
  }
}
