package import Crypto

/// The secrets for a sign-in: from the user, the record or the registration.
package struct SignInSecrets: Sendable {
  package var credentials: ClientCredentials
  package var registration: ClientRegistrationRecord?
  /// Authorizes a registration, if required (RFC 7591 section 3).
  package var initialAccessToken: SharedSecret?
  /// For a sign-in without a user (RFC 7523). Not stored.
  package var assertion: SharedSecret?
  /// The file that specified the client, if any.
  package var clientFile: String?
  /// `user:password`.
  package var proxyCredentials: SharedSecret?

  package init(clientSecret: SharedSecret? = nil, proxyCredentials: SharedSecret? = nil) {
    credentials = ClientCredentials(secret: clientSecret)
    self.proxyCredentials = proxyCredentials
  }

  /// Whether a registered client's secret has expired at this unix time (RFC 7591, section 3.2.1).
  func isExpired(_ wallSeconds: Int) -> Bool {
    guard let expiry = registration?.secretExpiresAt else { return false }
    return expiry <= wallSeconds
  }

  /// Adds missing secrets from the record, unless they would be sent elsewhere than before. In that case, throws
  /// `configurationChanged` if client credentials are required.
  func addingMissing(
    from record: AccountRecord?, _ parsed: ParsedConfiguration, _ account: AccountName
  ) throws(SessionError) -> SignInSecrets {
    let configuration = parsed.configuration
    let isPublic = configuration.isPublicClient
    let needsCredentials = !isPublic && credentials.isEmpty
    let proxy = proxyCredentials == nil ? configuration.proxy : nil
    guard let record, needsCredentials || proxy != nil else { return self }
    // Adding a profile does not redirect the credentials.
    var compared = configuration
    if record.authority.settings.profile == nil { compared.profile = nil }
    if let setting = record.authority.changedSetting(in: parsed, as: compared) {
      guard needsCredentials else { return self }
      throw .configurationChanged(account: account.text, setting: setting)
    }
    var secrets = self
    if needsCredentials {
      secrets.credentials = record.credentials
      secrets.registration = record.registration
    }
    if let proxy, record.authority.maySendProxyCredentials(to: proxy) {
      secrets.proxyCredentials = record.proxyCredentials
    }
    return secrets
  }
}
