internal import Crypto
package import OAuth
internal import Platform

/// The phases of a sign-in: ``Request``, ``Prepared`` with server and client, ``PendingApproval``, and ``Outcome``.
package enum SignIn {
  /// A sign-in before anything is sent.
  package struct Request: Sendable {
    package let account: AccountName
    package let configuration: AccountConfiguration
    /// Whether the account is not in the settings. An existing record is then stale.
    package let isNew: Bool
    package var registersClient = false
    /// For registering a client: if ``registersClient``, or again if its registered redirect URI's port is in use.
    package var registration: ClientRegistrationValues?
    package var listen: Listen?
    /// Nil for a user's session.
    package var unattended: UnattendedGrant?
    /// Used unless the secrets contain an assertion.
    package var passedAssertion = PassedAssertion()
    /// Whether the account becomes active.
    package var activates = false
    /// Whether to request a long-lived session, if supported.
    package var requestsOfflineAccess = false
    /// As in ``AccountRecord/beganAtResource``.
    package var beganAtResource = false
    /// As in ``AccountRecord/isDeviceGrantRefused``.
    package var isDeviceGrantRefused = false
    /// As in ``AccountRecord/proofAlgorithms``.
    package var proofAlgorithms: [String] = []
    let services: SessionServices
    let cancellation: Cancellation
    private let readSecrets: ReadSecrets
    /// For writing the settings: directory, link target, lock and file.
    private let descriptors = DescriptorReserve(count: 4)

    /// Reads the secrets from the user, and completes the settings with them.
    package typealias ReadSecrets = @Sendable (inout AccountConfiguration) throws(SessionError) -> SignInSecrets

    /// Listens for a redirect to this machine, and returns its port (nil for other redirects). `registers`: whether a
    /// client will be registered with the port.
    package typealias Listen =
      @Sendable (SignInRedirect, AuthorizationServerMetadata, _ isDeviceGrantRefused: Bool, _ registers: Bool)
      throws(SessionError) -> UInt16?

    /// `readSecrets` is called once, after checking that the session can be stored.
    package init(
      account: AccountName, configuration: AccountConfiguration, isNew: Bool = false, services: SessionServices,
      cancellation: Cancellation, readSecrets: @escaping ReadSecrets = { _ in SignInSecrets() }
    ) {
      self.account = account
      self.configuration = configuration
      self.isNew = isNew
      self.services = services
      self.cancellation = cancellation
      self.readSecrets = readSecrets
    }

    /// Fetches metadata, selects client authentication and scope, and runs `next`. If that fails, deletes a client
    /// registered for the sign-in. Blocking. Throws a vault error before sending if the session could not be stored.
    package func prepare<Result>(
      _ next: (SignIn.Prepared) throws(SessionError) -> Result
    ) throws(SessionError) -> Result {
      let level = try services.requireUnlocked(account, configuration, isNew: isNew)
      try services.rehearseWrite(wait: SessionServices.lockWait(cancellation), cancellation)
      _ = try reserveSettings(configuration)
      var configuration = configuration
      let given = try readSecrets(&configuration)
      let asked = configuration
      try mapOAuthError(asked.checkProfile())
      let old = isNew ? nil : try services.recordToReplace(of: account)
      var request = self
      if let old, old.beganAtResource, old.authority.isSameIssuer(as: configuration) {
        if !beganAtResource { try checkServer(of: configuration, given) }
        request.beganAtResource = true
        if request.proofAlgorithms.isEmpty { request.proofAlgorithms = old.proofAlgorithms }
      }
      if let old, old.isDeviceGrantRefused, old.authority.isSameClient(as: configuration) {
        request.isDeviceGrantRefused = true
      }
      if unattended != nil { try old?.refuseReplacement(account) }
      let isRegistered = old.map { $0.registration != nil && $0.authority.isSameClient(as: configuration) } ?? false
      if !isRegistered { try configuration.checkPublished(hasSecret: given.credentials.secret != nil) }
      var signInServer = try SignInServer(
        configuration, requestsOfflineAccess: requestsOfflineAccess, services: services, cancellation: cancellation
      ) {
        (parsed) throws(SessionError) in
        registersClient ? given : try given.addingMissing(from: old, parsed, account)
      }
      if signInServer.configuration.clientID.isEmpty, !registersClient || signInServer.acceptsOnlyPublishedClients {
        throw signInServer.missingClient
      }
      try signInServer.adoptProfile(FAPI2.Flow(unattended))
      if !isRegistered { try signInServer.configuration.checkPublished(at: signInServer.metadata) }
      let redirect = try signInServer.prepareRedirect(request, replacing: old)
      do throws(SessionError) {
        if signInServer.secrets.isExpired(services.time.wallSeconds()) {
          throw .clientSecretExpired(account: account.text)
        }
        return try next(try Prepared(request, signInServer, level, redirect, grantedScope: old?.ownScope ?? old?.scope))
      } catch {
        signInServer.deleteNewClient()
        throw error
      }
    }

    func completedAssertion(_ secrets: SignInSecrets) -> PassedAssertion {
      var passedAssertion = passedAssertion
      passedAssertion.assertion = secrets.assertion ?? passedAssertion.assertion
      return passedAssertion
    }

    /// Checks that ``save(_:activates:in:)`` can write the settings, and reserves the file. Nil if nothing changes.
    /// With `waitsLong`, waits for another program until cancelled.
    func reserveSettings(
      _ configuration: AccountConfiguration, waitsLong: Bool = false
    ) throws(SessionError) -> ReservedFile? {
      if services.isEphemeral { return nil }
      let wait = waitsLong ? SessionServices.longestLockWait : SettingsFile.briefWait
      return try mapConfigurationError(
        services.settingsFile.reserve(wait: wait, unless: { [cancellation] in cancellation.isCancelled }) {
          (settings) throws(ConfigurationError) in
          try signIn(configuration, activates: activates, in: &settings)
        })
    }

    /// Reserves descriptors for ``save(_:activates:in:)``.
    func holdDescriptors() throws(SessionError) -> DescriptorReserve.Reservation? {
      if services.isEphemeral { return nil }
      do { return try descriptors.reserve() } catch {
        throw .configuration(ConfigurationError(.storage(error), services.settingsDirectory))
      }
    }

    /// Throws `resourceMoved` if the resource's metadata is readable and names other servers (RFC 9728).
    private func checkServer(of configuration: AccountConfiguration, _ given: SignInSecrets) throws(SessionError) {
      var transport = try ParsedConfiguration.transport(of: configuration)
      transport.pins = []
      transport.proxy?.credentials = given.proxyCredentials
      guard let resource = configuration.resources.first,
        let endpoint = try? Endpoint(resource, allowHTTPLoopback: transport.allowHTTPLoopback),
        let found = try? ResourceDiscovery(
          endpoint, transport: transport, http: services.http, cancellation: cancellation
        ).run(), found.isPublished, !configuration.isNamed(by: found)
      else { return }
      throw .resourceMoved(account: account.text, resource: resource, issuer: found.authorizationServers[0].text)
    }

    /// Saves the account in the settings, after waiting for other programs that change them. `reserved` is from
    /// ``reserveSettings(_:waitsLong:)``.
    func save(
      _ configuration: AccountConfiguration, activates: Bool = false, in reserved: ReservedFile? = nil
    ) throws(SessionError) {
      if services.isEphemeral {
        services.ephemeral.set(configuration, for: account)
        if activates { services.ephemeral.activate(account) }
        return
      }
      try descriptors.withReleased { () throws(SessionError) in
        _ = try services.changeSettings(wait: SessionServices.longestLockWait, in: reserved) {
          (settings) throws(ConfigurationError) in
          try signIn(configuration, activates: activates, in: &settings)
        }
      }
      if activates { services.ephemeral.activate(nil) }
    }

    private func signIn(
      _ configuration: AccountConfiguration, activates: Bool, in settings: inout Settings
    ) throws(ConfigurationError) {
      try settings.signIn(configuration, to: account)
      if activates { settings.activate(account) }
    }

    /// Removes a new account's settings if its session could not be stored.
    func forget() {
      guard isNew else { return }
      do { guard try services.record(of: account) == nil else { return } } catch { return }
      if services.isEphemeral { return services.ephemeral.remove(account) }
      _ = try? services.changeSettings(wait: SettingsFile.briefWait) { $0.remove(account) }
    }

    /// The scope to request. By default, it asks for an ID Token and, if announced, the profile, email address (OpenID
    /// Connect Core section 5.4) and a refresh token; for a resource, only for a refresh token.
    func scope(_ chosen: AccountConfiguration, _ metadata: AuthorizationServerMetadata) throws(OAuthError) -> Scope? {
      if unattended != nil { return try configuration.scopeWithoutUser() }
      if !chosen.scope.isEmpty { return try Scope(values: chosen.scope) }
      if let usual = configuration.providerSettings?.scope, !usual.isEmpty { return try Scope(values: usual) }
      if beganAtResource { return metadata.announcesOfflineAccess ? try Scope(values: ["offline_access"]) : nil }
      guard metadata.issuesIDTokens else { return nil }
      let known = ["profile", "email", "offline_access"].filter { metadata.scopes?.contains($0) ?? false }
      return try Scope(values: ["openid"] + known)
    }
  }

  /// The result of a sign-in whose session is stored.
  package struct Outcome: Sendable {
    package internal(set) var grant: AccessGrant
    package let configuration: AccountConfiguration
    /// If false, the session ends with the access token.
    package let hasRefreshToken: Bool
    package let isAccessTokenStored: Bool
    /// Nil if there is a user.
    package let unattended: UnattendedGrant?
    /// Whether a user's session replaced one without a user.
    package let wasGuest: Bool
    /// Whether a requested ID Token is missing, so that the user is unknown.
    package let missesIDToken: Bool
    package let requestedScope: [String]
    package let withheldScope: [String]
    /// The user according to the ID Token.
    package let label: PersonLabel?
    package internal(set) var notices: [Notice]
    /// Revokes the previous grant (RFC 7009), unless that can end the new one. Blocking.
    package let revokeReplacedGrant: (@Sendable (Cancellation) -> Void)?
    /// Revokes an access token of the replaced session without a user. Returns whether it succeeded. Blocking.
    package let revokeGuestToken: (@Sendable (AccessGrant, Cancellation) -> Bool)?

    /// Whether the session has no user and can be renewed by repeating the sign-in.
    package var isRepeatable: Bool {
      unattended == .clientCredentials || unattended == .assertion && configuration.assertionSource != nil
    }
  }

  package enum Notice: Sendable, Hashable {
    /// The client is from this file.
    case clientFile(String)
    /// The client ID's URL has a query, which servers may reject (draft-ietf-oauth-client-id-metadata-document-03
    /// section 3).
    case clientURLHasQuery
    case clientRegistered(String)
    /// The client cannot be deleted, since its management URL is at another server.
    case foreignManagement
    /// The DPoP key is in the vault, because the TPM was unavailable.
    case tpmUnavailable
    /// The server announces no keys to verify the requested ID Token.
    case keysMissing
    /// The previous grant still exists. `page` is for revoking it, if known.
    case earlierGrantRemains(page: String?)
    /// The account's own token also has these scope values of individual origins.
    case scopeNotLimited([String])
  }
}

extension AccountRecord {
  /// Throws `guestCannotReplaceUser` if this record contains a user's session.
  func refuseReplacement(_ account: AccountName) throws(SessionError) {
    guard unattended == nil, refreshedMembers.refreshToken != nil || accessToken != nil || identity != nil else {
      return
    }
    throw .guestCannotReplaceUser(account: account.text)
  }
}
