internal import Crypto
package import OAuth
internal import Vault
internal import Platform
package import Vocabulary

/// A sign-in to an account. Its phases are types: a ``Request``, the ``Prepared`` sign-in with its server and client,
/// what a person is ``Waiting`` to approve, and the ``Outcome``.
package enum SignIn {
  /// The input of a sign-in.
  package struct Request: Sendable {
    package let account: AccountName
    package let configuration: AccountConfiguration
    /// The settings do not know the account, so that a record of its name is a leftover and means nothing.
    package let isNew: Bool
    /// A client is to be registered first; the settings then name none.
    package var registersClient = false
    /// How a client is registered, now or because the port of an earlier one is taken.
    package var registration: ClientRegistrar.Order?
    /// Listens at a redirect URI, where the answer is to come to this machine, and returns the port.
    package var listen: Listen?
    /// The session is to be one without a user, got in this way.
    package var unattended: UnattendedGrant?
    /// What is brought for an assertion, beside one that is among the secrets.
    package var handed = HandedAssertion()
    /// The account becomes the active one.
    package var activates = false
    /// The scope is not the person's choice: the session is to last as well, where the server knows how.
    package var asksToStay = false
    /// A resource named the server, which must announce PKCE then; the account goes on demanding it.
    package var needsAnnouncedPKCE = false
    /// The algorithms of DPoP proofs that the resource takes; empty where it does not say, or is not known.
    package var proofAlgorithms: [String] = []
    let services: SessionServices
    let settingsDirectory: String
    let cancellation: Cancellation
    private let readSecrets: ReadSecrets
    /// For the write of the settings: the directory, the one that a link leads to, the lock, the file or a temporary one.
    private let descriptors = DescriptorReserve(count: 4)

    /// Reads the secrets that the person handed over, and completes the settings from them.
    package typealias ReadSecrets = @Sendable (inout AccountConfiguration) throws(SessionError) -> SignInSecrets

    /// - Parameters:
    ///   - prepared: What is known before a client is registered.
    package typealias Listen =
      @Sendable (SignInRedirect, AuthorizationServerMetadata, _ registers: Bool)
      throws(SessionError) -> UInt16?

    /// - Parameter readSecrets: Called once, when it is known that the session can be stored.
    package init(
      account: AccountName, configuration: AccountConfiguration, isNew: Bool = false, services: SessionServices,
      settingsDirectory: String, cancellation: Cancellation,
      readSecrets: @escaping ReadSecrets = { _ in SignInSecrets() }
    ) {
      self.account = account
      self.configuration = configuration
      self.isNew = isNew
      self.services = services
      self.settingsDirectory = settingsDirectory
      self.cancellation = cancellation
      self.readSecrets = readSecrets
    }
  }

  /// The result of a sign-in.
  package struct Outcome: Sendable {
    package let grant: AccessGrant
    package let configuration: AccountConfiguration
    /// Without one the session ends with the access token.
    package let hasRefreshToken: Bool
    package let isKept: Bool
    /// There is no user, and this is how the session goes on; nil for a user's.
    package let unattended: UnattendedGrant?
    /// The account was a guest's until now, and is a user's.
    package let wasGuest: Bool
    /// An ID Token was requested and did not come, so the user is unknown.
    package let missesIDToken: Bool
    /// The scope that was asked for.
    package let askedScope: [String]
    /// The part of the scope that was asked for and not granted.
    package let withheldScope: [String]
    /// The person, by the ID Token.
    package let label: PersonLabel?
    /// The notices for the person.
    package let notices: [Notice]
    /// The grant of the sign-in before, which can be ended alone; nil where there is none, or where its revocation
    /// could end this one too.
    package let replaced: ReplacedGrant?

    /// Without a user, the session can be got again as it was got now.
    package var isRepeatable: Bool {
      unattended == .client || unattended == .assertion && configuration.assertionSource != nil
    }
  }
}

extension SignIn {
  /// A remark on a sign-in, for the person.
  package enum Notice: Sendable, Hashable {
    /// The client id is from this file.
    case clientFile(String)
    /// The client id is a URL with a query, which servers may refuse
    /// (draft-ietf-oauth-client-id-metadata-document-03 section 3).
    case clientQuery
    /// The server registered a client, with this id.
    case clientRegistered(String)
    /// The client is managed at another server, so it cannot be deleted from here.
    case foreignManagement
    /// The key that tokens are bound to is in the vault, because the TPM was away.
    case tpmAway
    /// An ID Token is asked for, and the server names no keys to verify it with. It may send none, so it is not refused.
    case keysMissing
    /// The grant of the sign-in before is left at the server; the provider's page that ends it, if there is one.
    case earlierSession(page: String?)
  }

  /// A grant at the server that nothing uses any more.
  package struct ReplacedGrant: Sendable {
    let server: AuthorizationServer
    let refreshToken: SharedSecret

    /// Revokes it, as far as that can be done (RFC 7009). Blocking.
    package func end(_ cancellation: Cancellation) {
      _ = server.end(refreshToken, .refreshToken, cancellation)
    }
  }
}

extension SignIn.Request {
  /// Fetches the metadata anew, chooses client authentication and scope, and runs `next`. A client that was registered
  /// for this is deleted if `next` fails. Blocking.
  ///
  /// - Throws: A vault error before anything is read or sent, when the session could not be stored.
  package func prepare<Result>(
    _ next: (SignIn.Prepared) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    let level = try services.requireOpen(account, configuration, isNew: isNew)
    // Checks that the result can be stored before the person approves it.
    try services.rehearseWrite(wait: SessionServices.lockWait(cancellation), cancellation)
    try rehearseSettings(configuration)
    var configuration = configuration
    let given = try readSecrets(&configuration)
    let asked = configuration
    try oauth { () throws(OAuthError) in try asked.checkProfile() }
    let old = isNew ? nil : try services.recordToReplace(of: account)
    var request = self
    if let old, old.needsAnnouncedPKCE, old.authority.isSameIssuer(as: configuration) {
      request.needsAnnouncedPKCE = true
      if request.proofAlgorithms.isEmpty { request.proofAlgorithms = old.proofAlgorithms }
    }
    if unattended != nil { try old?.refuseReplacement(account) }
    let isRegistered = old.map { $0.registration != nil && $0.authority.isSameClient(as: configuration) } ?? false
    if !isRegistered { try configuration.checkPublished(hasSecret: given.credentials.secret != nil) }
    var contact = try FirstContact(
      configuration, asksToStay: asksToStay, services: services, cancellation: cancellation
    ) {
      (access) throws(SessionError) in
      registersClient ? given : try given.completed(from: old, access, account)
    }
    if contact.configuration.clientID.isEmpty, !registersClient || contact.takesOnlyPublished {
      throw contact.missingClient
    }
    try contact.adoptProfile(profileFlow)
    if !isRegistered { try contact.configuration.checkPublished(at: contact.metadata) }
    let redirect = try contact.redirect(self, replacing: old)
    do throws(SessionError) {
      if contact.secrets.isExpired(services.time.wallSeconds()) { throw .clientSecretExpired(account: account.text) }
      return try next(try SignIn.Prepared(request, contact, level, redirect))
    } catch {
      contact.withdraw()
      throw error
    }
  }

  /// What there is for the assertion of this sign-in.
  func handed(_ secrets: SignInSecrets) -> HandedAssertion {
    var handed = handed
    handed.assertion = secrets.assertion ?? handed.assertion
    return handed
  }

  /// Makes sure that ``save(_:)`` could write the settings, as far as that can be known before.
  ///
  /// - Parameter waitsLong: Whether it waits for another program, or a person with an editor, until it is cancelled.
  func rehearseSettings(_ configuration: AccountConfiguration, waitsLong: Bool = false) throws(SessionError) {
    if services.isEphemeral { return }
    try settings { () throws(ConfigurationError) in
      let file = SettingsFile(directory: settingsDirectory)
      let wait = waitsLong ? SessionServices.longestLockWait : SettingsFile.usualWait
      try file.rehearse(wait: wait, unless: { [cancellation] in cancellation.isCancelled }) {
        (settings) throws(ConfigurationError) in
        try settings.signIn(configuration, to: account)
      }
    }
  }

  /// Keeps descriptors for ``save(_:activates:)`` until the result is gone.
  func holdDescriptors() throws(SessionError) -> DescriptorReserve.Hold? {
    if services.isEphemeral { return nil }
    do { return try descriptors.hold() } catch {
      throw .configuration(ConfigurationError(.storage(error), settingsDirectory))
    }
  }

  /// Writes the settings of the account. An approval has been spent, so it waits for a person with an editor.
  ///
  /// - Parameter activates: The account becomes the active one.
  func save(_ configuration: AccountConfiguration, activates: Bool = false) throws(SessionError) {
    if services.isEphemeral {
      services.ephemeral.set(configuration, for: account)
      if activates { services.ephemeral.activate(account) }
      return
    }
    try settings { () throws(ConfigurationError) in
      let file = SettingsFile(directory: settingsDirectory)
      try descriptors.lend { () throws(ConfigurationError) in
        _ = try file.change(wait: SessionServices.longestLockWait) { (settings) throws(ConfigurationError) in
          try settings.signIn(configuration, to: account)
          if activates { settings.activate(account) }
        }
      }
    }
    if activates { services.ephemeral.activate(nil) }
  }

  /// Removes the settings of a new account whose session could not be stored. Best effort.
  func forget() {
    guard isNew else { return }
    do { guard try services.record(of: account) == nil else { return } } catch { return }
    if services.isEphemeral { return services.ephemeral.remove(account) }
    _ = try? SettingsFile(directory: settingsDirectory).change { $0.remove(account) }
  }

  /// The scope of the account's settings; else an ID Token and, as far as the server says that it knows these, the
  /// person's name and address (OpenID Connect Core, section 5.4), and a refresh token.
  func scope(_ chosen: AccountConfiguration, _ metadata: AuthorizationServerMetadata) throws(OAuthError) -> Scope? {
    if unattended != nil { return try configuration.scopeWithoutUser() }
    if !chosen.scope.isEmpty { return try Scope(values: chosen.scope) }
    if let usual = configuration.providerSettings?.scope, !usual.isEmpty { return try Scope(values: usual) }
    guard metadata.issuesIDTokens else { return nil }
    let known = ["profile", "email", "offline_access"].filter { metadata.scopes?.contains($0) ?? false }
    return try Scope(values: ["openid"] + known)
  }
}

extension AccountRecord {
  /// A session without a user never takes the place of a user who is signed in.
  func refuseReplacement(_ account: AccountName) throws(SessionError) {
    guard unattended == nil, refreshToken != nil || accessToken != nil || identity != nil else { return }
    throw .guestOverUser(account: account.text)
  }
}
