package import OAuth
package import Vault

/// What a question to the authorization server about a live session is asked with.
package struct ServerQuestion: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  /// A token that is good by all that is known here.
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

  /// The account's record, and the server that its secrets may be sent to.
  ///
  /// - Throws: `signedOut` when there is no record; what keeps the secrets from being sent.
  func open() throws(SessionError) -> (record: AccountRecord, server: AuthorizationServer) {
    guard let record = try services.record(of: account) else { throw .signedOut(account: account.text) }
    return (record, try services.server(for: account, configuration, record, grant: grant, cancellation: cancellation))
  }
}
