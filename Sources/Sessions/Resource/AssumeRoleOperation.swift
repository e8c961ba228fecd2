package import Crypto
package import OAuth
package import Vocabulary

/// Exchanges an account's token for the credentials of a role. Blocking, for a worker thread.
package struct AssumeRoleOperation: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  package let token: SealedSecret
  package let role: WebIdentityRole
  /// The Security Token Service. Its origin must be listed like any other that gets the token.
  package let endpoint: Endpoint
  package let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, token: SealedSecret, role: WebIdentityRole,
    endpoint: Endpoint, services: SessionServices, cancellation: Cancellation
  ) {
    self.account = account
    self.configuration = configuration
    self.token = token
    self.role = role
    self.endpoint = endpoint
    self.services = services
    self.cancellation = cancellation
  }

  package func run() throws(SessionError) -> WebIdentityRole.Credentials {
    let transport = try services.transport(to: ResourceOrigin(of: endpoint), of: account, configuration)
    let opened: SharedSecret
    do { opened = try token.open() } catch { throw .memory }
    return try oauth { () throws(OAuthError) in
      try role.assume(
        with: opened, at: endpoint, transport: transport, http: services.http, cancellation: cancellation)
    }
  }
}
