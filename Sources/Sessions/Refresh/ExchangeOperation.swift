package import OAuth
internal import Vault
internal import Platform
package import Vocabulary

/// Exchanges an account's own access token for one with another target (RFC 8693). Blocking, for a worker thread.
///
/// Stores nothing: the new token is valid for its lifetime and can be requested again.
package struct ExchangeOperation: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  /// The account's own token.
  package let subject: AccessGrant
  package let target: TokenTarget
  package let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, subject: AccessGrant, target: TokenTarget,
    services: SessionServices, cancellation: Cancellation
  ) {
    self.account = account
    self.configuration = configuration
    self.subject = subject
    self.target = target
    self.services = services
    self.cancellation = cancellation
  }

  package func run() throws(SessionError) -> AccessGrant {
    let stored = try services.sessionRecord(of: account)
    var live = try services.server(
      for: account, configuration, stored.record, grant: subject, cancellation: cancellation)
    try live.checkProfile(stored.record.profileFlow)
    let startedAt = services.time.now()
    let wallSeconds = services.time.wallSeconds()
    let token = try subject.openAccessToken()
    let response = try live.asking(\.tokenEndpoint) { (server) throws(OAuthError) in
      try server.exchange(token, for: target, cancellation: cancellation)
    }
    return AccessGrant(
      response, askedScope: target.scope?.text, subject: subject.subject, idToken: subject.idToken,
      issuedAt: startedAt, issuedAtUnixSeconds: wallSeconds, recordGeneration: stored.generation,
      dpopKey: subject.dpopKey, protection: subject.protection)
  }
}
