package import OAuth
package import Vault

extension SignIn {
  /// All that a sign-in starts from.
  package struct Preparation: Sendable {
    package let account: AccountName
    package let configuration: AccountConfiguration
    package let given: Secrets
    package let services: SessionServices
    /// The settings do not know the account, so that a record of its name is a leftover and means nothing.
    package let isNew: Bool
    package let cancellation: Cancellation

    package init(
      account: AccountName, configuration: AccountConfiguration, given: Secrets, services: SessionServices,
      isNew: Bool = false, cancellation: Cancellation
    ) {
      self.account = account
      self.configuration = configuration
      self.given = given
      self.services = services
      self.isNew = isNew
      self.cancellation = cancellation
    }

    /// The secrets given now, else the stored ones, which go only where they went before.
    func secrets(_ access: AccountAccess) throws(SessionError) -> Secrets {
      var secrets = given
      let isPublic = configuration.authentication.isPublic(configuration.tokenEndpointAuthMethod)
      let needsCredentials = !isPublic && secrets.credentials.isEmpty
      let proxy = secrets.proxyCredentials == nil ? configuration.proxy : nil
      guard !isNew, needsCredentials || proxy != nil, let record = try services.recordToReplace(of: account) else {
        return secrets
      }
      if let setting = record.authority.difference(from: configuration, caDigest: access.caDigest) {
        guard needsCredentials else { return secrets }
        throw .configurationChanged(account: account.text, setting: setting)
      }
      if needsCredentials { secrets.credentials = record.credentials }
      if let proxy, record.authority.mayGiveCredentials(to: proxy) {
        secrets.proxyCredentials = record.proxyCredentials
      }
      return secrets
    }

    /// What the account's settings ask for; else an ID Token, and a refresh token where the server
    /// says that it knows `offline_access`.
    func scope(
      _ values: [String], _ metadata: AuthorizationServerMetadata
    ) throws(OAuthError) -> Scope? {
      if !values.isEmpty { return try Scope(values: values) }
      if let usual = configuration.service?.scope, !usual.isEmpty { return try Scope(values: usual) }
      guard metadata.issuesIDTokens else { return nil }
      let canStay = metadata.scopes?.contains("offline_access") ?? false
      return try Scope(values: canStay ? ["openid", "offline_access"] : ["openid"])
    }
  }
}
