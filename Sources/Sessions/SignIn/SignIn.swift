package import Crypto
internal import Encoding
package import OAuth
package import Platform
internal import Vault
package import Vocabulary

/// The common part of all sign-in flows: the account, its server, and the use of the tokens.
package struct SignIn: Sendable {
  package let account: AccountName
  /// The settings the account will have, with what was chosen from the metadata filled in.
  package let configuration: AccountConfiguration
  package let server: AuthorizationServer
  /// The scope that is asked for.
  package let scope: Scope?
  package let cancellation: Cancellation
  /// The notices of the preparation for the person.
  package let notices: [String]
  let services: SessionServices
  /// The level of protection that the session will be kept at.
  package let level: Protection

  private let caDigest: String?
  private let secrets: Secrets
  private let isNew: Bool
  private let isGuest: Bool
  /// The client was registered for this sign-in.
  private let isRegisteredNow: Bool

  /// The secrets that the person gave beside the settings.
  package struct Secrets: Sendable {
    package var clientSecret: SharedSecret?
    /// As in ``ClientCredentials``.
    package var clientKey: SharedSecret?
    package var clientCertificate: SharedSecret?
    /// The registration of the client, if it was registered for the account.
    package var registration: ClientRegistrationRecord?
    /// `user:password` of the proxy.
    package var proxyCredentials: SharedSecret?

    package init(clientSecret: SharedSecret? = nil, proxyCredentials: SharedSecret? = nil) {
      self.clientSecret = clientSecret
      self.proxyCredentials = proxyCredentials
    }

    /// The credentials that authenticate the client.
    package var credentials: ClientCredentials {
      get { ClientCredentials(secret: clientSecret, key: clientKey, certificate: clientCertificate) }
      set { (clientSecret, clientKey, clientCertificate) = (newValue.secret, newValue.key, newValue.certificate) }
    }
  }

  /// The result of a sign-in.
  package struct Outcome: Sendable {
    package let grant: AccessGrant
    package let configuration: AccountConfiguration
    /// Without one the session ends with the access token.
    package let hasRefreshToken: Bool
    package let isKept: Bool
    /// There is no user.
    package let isGuest: Bool
    /// There was none until now.
    package let wasGuest: Bool
    /// An ID Token was requested and did not come, so the user is unknown.
    package let missesIDToken: Bool
    /// The part of the scope that was asked for and not granted.
    package let withheldScope: [String]
    /// The notices of the preparation for the person.
    package let notices: [String]
  }

  /// Fetches the metadata anew, and chooses client authentication and scope. Blocking.
  package init(_ request: Preparation) throws(SessionError) {
    let level = try request.services.requireOpen(request.account, request.configuration, isNew: request.isNew)
    // Checks that the result can be stored before the person approves it.
    try request.services.rehearseWrite()
    guard let order = request.registration else {
      try self.init(request, request.configuration, registered: nil, level)
      return
    }
    let registered = try request.register(order)
    do throws(SessionError) {
      try self.init(request, registered.configuration, registered: registered, level)
    } catch {
      let removal = ClientRegistrationRemoval(
        configuration: registered.configuration, secrets: registered.secrets, services: request.services)
      if let record = registered.secrets.registration { _ = removal.run(record) }
      throw error
    }
  }

  private init(
    _ request: Preparation, _ configuration: AccountConfiguration, registered: ClientRegistrar.Result?,
    _ level: Protection
  ) throws(SessionError) {
    let secrets: Secrets
    if let registered {
      secrets = registered.secrets
    } else {
      secrets = try request.secrets(try AccountAccess(configuration))
    }
    if let expiry = secrets.registration?.secretExpiresAt, secrets.clientSecret != nil,
      expiry <= request.services.time.wallSeconds()
    {
      throw .clientSecretExpired(account: request.account.text)
    }
    if request.isGuest, !request.isNew, let old = try request.services.recordToReplace(of: request.account) {
      try Self.refuseUser(old, request.account)
    }
    let contact = try FirstContact(
      configuration, secrets, services: request.services, cancellation: request.cancellation)
    account = request.account
    notices = registered?.notices ?? []
    isRegisteredNow = registered != nil
    var chosen = contact.configuration
    if request.asksToStay { chosen.askToStay(contact.server.metadata) }
    let wanted = chosen.scope
    self.configuration = chosen
    server = contact.server
    scope = try oauth { () throws(OAuthError) in try request.scope(wanted, contact.server.metadata) }
    cancellation = request.cancellation
    services = request.services
    caDigest = contact.caDigest
    self.secrets = secrets
    isNew = request.isNew
    self.level = level
    isGuest = request.isGuest
    // Checks the server's metadata first, so that the person does not approve a sign-in that cannot be finished.
    let needsKeys = if case .secret = server.signing.idTokens { false } else { expectsIDToken }
    try oauth { () throws(OAuthError) in
      try server.metadata.checkUsable(.token)
      if needsKeys { try server.metadata.checkUsable(.keys) }
    }
  }

  /// Verifies the answer and stores the session. Nothing of the answer is used if its ID Token does
  /// not hold, or if it is for another person than the account's; its grant is then ended at the server, as far as that
  /// can be done. Blocking.
  ///
  /// - Parameters:
  ///   - sentAt: When the request for the tokens was sent.
  ///   - demands: The requirements of the authorization request for the ID Token.
  ///   - needsIDToken: Whether an ID Token that was asked for must come.
  /// - Throws: `signInKept` when the refresh token is stored and the rest of the answer cannot be used, or its ID Token
  ///   not be verified for a passing reason: the next refresh goes on from there.
  package func finish(
    _ answer: TokenEndpointAnswer, receivedAfter sentAt: Instant, demands: IDTokenDemands = .init(),
    needsIDToken: Bool = true
  ) throws(SessionError) -> Outcome {
    do {
      let response = try oauth { () throws(OAuthError) in try answer.tokens() }
      return try finish(response, receivedAfter: sentAt, demands: demands, needsIDToken: needsIDToken)
    } catch {
      guard let refreshToken = answer.refreshToken, !isGuest else { throw error }
      try keepOrRevoke(refreshToken, because: error, demands, needsIDToken: needsIDToken)
    }
  }

  /// Keeps a refresh token whose answer is of no further use, where the next refresh may do better; else ends its grant
  /// at the server. A session that the account has already is left alone: some servers end it with any of its tokens.
  ///
  /// - Throws: `error`, or `signInKept` because of it.
  private func keepOrRevoke(
    _ refreshToken: SharedSecret, because error: SessionError, _ demands: IDTokenDemands, needsIDToken: Bool
  ) throws(SessionError) -> Never {
    // A refresh token that should be bound to a key and is not may be usable by a thief.
    let isUnread =
      if case .oauth(let problem) = error { problem.followsSuccess && problem.code != .tokenNotBound } else { false }
    let mayDoBetter = (isUnread || error.isPassing) && demands.maxAge == nil && demands.acrValues.isEmpty
    let ending = try? services.holding(account, at: level, mustWrite: true) {
      (_) throws(SessionError) -> SessionError in
      let old = isNew ? nil : try services.recordToReplace(of: account)
      guard old?.refreshToken == nil, old?.accessToken == nil else { return error }
      guard mayDoBetter else {
        try oauth { () throws(OAuthError) in
          try server.revoke(refreshToken, hint: .refreshToken, bearer: nil, cancellation: cancellation)
        }
        return error
      }
      var record = try record(refreshToken, replacing: old)
      record.identity = old?.identity
      let isAwaited = needsIDToken && expectsIDToken || !isUnread
      if isAwaited || old?.identity != nil { record.identityHold = .unverified }
      record.scope = scope?.text
      try services.write(record, of: account, protection: protection)
      return .signInKept(configuration, because: error.followingSuccess)
    }
    throw ending ?? error
  }

  /// A record of this sign-in with its refresh token.
  private func record(
    _ refreshToken: SharedSecret?, replacing old: AccountRecord?
  ) throws(SessionError) -> AccountRecord {
    var record = AccountRecord(
      authority: Authority(configuration, caDigest: caDigest, metadata: server.metadata),
      signedInAt: services.time.wallSeconds())
    record.refreshToken = refreshToken
    record.credentials = secrets.credentials
    record.registration = secrets.registration ?? keptRegistration(of: old)
    record.proxyCredentials = secrets.proxyCredentials
    if refreshToken != nil { try record.keep(server.prover) }
    return record
  }

  private func finish(
    _ response: TokenResponse, receivedAfter sentAt: Instant, demands: IDTokenDemands = .init(),
    needsIDToken: Bool = true
  ) throws(SessionError) -> Outcome {
    let stored = try services.keepingOpen(account, configuration, isNew: isNew) { () throws(SessionError) in
      let token = try IDTokenCheck(services: services, server: server, cancellation: cancellation)
        .signedIn(response, isRequired: needsIDToken && expectsIDToken, demands: demands)
      return try services.holding(account, at: level, mustWrite: true) { (level) throws(SessionError) in
        try store(response, token, sentAt, at: level)
      }
    }
    takeBack(stored.left)
    return stored.outcome
  }

  /// Runs `body`, which spends the person's approval, and meanwhile prevents a lock of the level that the session is
  /// stored at.
  ///
  /// - Throws: a vault error when the session could not be stored, before the approval is spent.
  func keepingOpen<Result>(_ body: () throws(SessionError) -> Result) throws(SessionError) -> Result {
    try services.keepingOpen(account, configuration, isNew: isNew) { () throws(SessionError) in
      try services.rehearseWrite()
      return try body()
    }
  }

  /// The level to write at; nil keeps that of the old record.
  private var protection: Protection? { configuration.protection ?? (isNew ? .device : nil) }

  /// Withdraws a sign-in that was not finished: deletes a client that was registered for it. Blocking.
  package func withdraw() {
    guard isRegisteredNow, let record = secrets.registration else { return }
    _ = ClientRegistrationRemoval(configuration: configuration, secrets: secrets, services: services).run(record)
  }

  /// Whether ``withdraw()`` has anything to do.
  package var leavesSomething: Bool { isRegisteredNow }

  /// - Returns: The registration that the account no longer has, too.
  private func store(
    _ response: TokenResponse, _ token: IDToken?, _ sentAt: Instant, at level: Protection
  ) throws(SessionError) -> (outcome: Outcome, left: ClientRegistrationRecord?) {
    let old = isNew ? nil : try services.recordToReplace(of: account)
    if let first = old?.identity, let identity = token?.identity,
      !first.issuer.utf8.elementsEqual(identity.issuer.utf8) || !first.subject.utf8.elementsEqual(identity.subject.utf8)
    {
      throw .identityChanged(account: account.text, claim: "sub")
    }
    if !isGuest, token == nil, old?.identity != nil { throw .identityUnknown(account: account.text) }
    if isGuest, let old { try Self.refuseUser(old, account) }
    // A server should give a client none for itself (RFC 6749 section 4.4.3).
    let refreshToken = isGuest ? nil : response.refreshToken
    let isKept = !isGuest && refreshToken == nil && configuration.keepsAccessToken
    var record = try record(refreshToken, replacing: old)
    record.identity = token?.identity
    record.scope = (response.scope ?? scope)?.text
    record.isGuest = isGuest
    record.accessToken = isKept ? response.accessToken : nil
    record.isExpired = !isGuest && refreshToken == nil && !isKept
    if !record.isExpired, refreshToken == nil { try record.keep(server.prover) }
    let age = Int(sentAt.duration(to: services.time.now()).components.seconds)
    let issuedAtUnixSeconds = services.time.wallSeconds() - age
    record.accessTokenExpiresAt = isKept ? response.expiresIn.map { issuedAtUnixSeconds + $0 } : nil
    let generation = try services.write(record, of: account, protection: protection)
    let grant = AccessGrant(
      accessToken: response.accessToken, tokenType: response.tokenType, scope: record.scope,
      subject: token?.identity.subject, claims: token?.claims ?? .init(),
      idToken: token.flatMap { _ in response.idToken }, issuedAt: sentAt, issuedAtUnixSeconds: issuedAtUnixSeconds,
      lifetimeSeconds: response.expiresIn, recordGeneration: generation, dpopKey: server.prover?.key,
      protection: level)
    let outcome = Outcome(
      grant: grant, configuration: configuration, hasRefreshToken: refreshToken != nil, isKept: isKept,
      isGuest: isGuest, wasGuest: !isGuest && (old?.isGuest ?? false),
      missesIDToken: expectsIDToken && token == nil, withheldScope: withheld(by: response, hasIDToken: token != nil),
      notices: notices)
    let isReplaced = !(old?.authority.isSameClient(as: configuration) ?? true)
    return (outcome, isReplaced ? old?.registration : nil)
  }

  /// The part of the scope that was asked for and not granted (RFC 6749 section 3.3). An ID Token grants `openid`,
  /// whether the answer says so or not.
  private func withheld(by response: TokenResponse, hasIDToken: Bool) -> [String] {
    guard let scope, let granted = response.scope else { return [] }
    return granted.missing(of: scope).filter { $0 != "openid" || !hasIDToken }
  }

  /// A guest never takes the place of a user who is signed in.
  private static func refuseUser(_ old: AccountRecord, _ account: AccountName) throws(SessionError) {
    guard !old.isGuest, old.refreshToken != nil || old.accessToken != nil || old.identity != nil else { return }
    throw .guestOverUser(account: account.text)
  }

  /// The registration goes on as long as its client does.
  private func keptRegistration(of old: AccountRecord?) -> ClientRegistrationRecord? {
    guard let old, old.authority.isSameClient(as: configuration) else { return nil }
    return old.registration
  }

  /// A client that was registered for the account, and that the account no longer is, is taken back.
  private func takeBack(_ left: ClientRegistrationRecord?) {
    guard let left else { return }
    _ = ClientRegistrationRemoval(configuration: configuration, secrets: secrets, services: services).run(left)
  }

  /// Whether there should be an ID Token (OpenID Connect Core, section 3.1.3.3).
  private var expectsIDToken: Bool {
    !isGuest && scope?.contains("openid") == true && server.issuesIDTokens
  }
}
