package import Crypto
package import OAuth
internal import Vault
package import Vocabulary

extension SignIn {
  /// All that a sign-in starts from.
  package struct Preparation: Sendable {
    package let account: AccountName
    package let configuration: AccountConfiguration
    package let given: Secrets
    package let services: SessionServices
    /// The settings do not know the account, so that a record of its name is a leftover and means nothing.
    package let isNew: Bool
    /// A client is to be registered first; the settings then name none.
    package let registration: RegistrationOrder?
    /// The session is to be one without a user.
    package let isGuest: Bool
    /// The scope is not the person's choice: the session is to last as well, where the server knows how.
    package let asksToStay: Bool
    package let cancellation: Cancellation

    package init(
      account: AccountName, configuration: AccountConfiguration, given: Secrets, services: SessionServices,
      isNew: Bool = false, registration: RegistrationOrder? = nil, isGuest: Bool = false,
      asksToStay: Bool = false, cancellation: Cancellation
    ) {
      self.account = account
      self.configuration = configuration
      self.given = given
      self.services = services
      self.isNew = isNew
      self.registration = registration
      self.isGuest = isGuest
      self.asksToStay = asksToStay
      self.cancellation = cancellation
    }

    func register(_ order: RegistrationOrder) throws(SessionError) -> ClientRegistrar.Result {
      try ClientRegistrar(
        configuration: configuration, secrets: given, order: order, asksToStay: asksToStay, services: services,
        cancellation: cancellation
      ).run()
    }

    /// The secrets given now, else the stored ones, which go only where they went before.
    func secrets(_ access: AccountAccess) throws(SessionError) -> Secrets {
      var secrets = given
      let needsCredentials = !configuration.isPublicClient && secrets.credentials.isEmpty
      let proxy = secrets.proxyCredentials == nil ? configuration.proxy : nil
      guard !isNew, needsCredentials || proxy != nil, let record = try services.recordToReplace(of: account) else {
        return secrets
      }
      if let setting = record.authority.difference(from: configuration, caDigest: access.caDigest) {
        guard needsCredentials else { return secrets }
        throw .configurationChanged(account: account.text, setting: setting)
      }
      if needsCredentials {
        secrets.credentials = record.credentials
        secrets.registration = record.registration
      }
      if let proxy, record.authority.mayGiveCredentials(to: proxy) {
        secrets.proxyCredentials = record.proxyCredentials
      }
      return secrets
    }

    /// The scope of the account's settings; else an ID Token, and a refresh token where the server says that it knows
    /// `offline_access`.
    func scope(
      _ values: [String], _ metadata: AuthorizationServerMetadata
    ) throws(OAuthError) -> Scope? {
      if isGuest { return try configuration.guestScope() }
      if !values.isEmpty { return try Scope(values: values) }
      if let usual = configuration.providerSettings?.scope, !usual.isEmpty { return try Scope(values: usual) }
      guard metadata.issuesIDTokens else { return nil }
      return try Scope(values: metadata.knowsOfflineAccess ? ["openid", "offline_access"] : ["openid"])
    }
  }

  /// The values that a client is registered with beside the account's settings.
  package struct RegistrationOrder: Sendable {
    /// The client name that people see when they are asked to approve.
    package let clientName: String
    package let softwareVersion: String
    /// The token that permits registration where it is not open to all (RFC 7591 section 3).
    package let initialAccessToken: SharedSecret?
    /// The client must be one that can prove who it is.
    package let needsProof: Bool

    package init(
      clientName: String, softwareVersion: String, initialAccessToken: SharedSecret? = nil, needsProof: Bool = false
    ) {
      self.clientName = clientName
      self.softwareVersion = softwareVersion
      self.initialAccessToken = initialAccessToken
      self.needsProof = needsProof
    }
  }
}
