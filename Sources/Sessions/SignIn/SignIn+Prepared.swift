package import OAuth
internal import Vault
internal import Crypto
internal import Encoding
internal import JOSE
internal import Platform
package import Vocabulary

extension SignIn {
  /// A sign-in with its server, client and scope, and what all flows do with the tokens.
  package struct Prepared: Sendable {
    package let server: AuthorizationServer
    /// The scope that is asked for.
    package let scope: Scope?
    /// The level of protection that the session will be kept at.
    package let level: Protection
    /// The account's parameters beside the scope.
    let extras: ExtraParameters
    let request: Request
    /// Where the browser brings the answer; nil where none comes to this machine and none is pasted.
    package let redirect: SignInRedirect?
    private let contact: FirstContact
    private let isKeptOutOfTPM: Bool

    /// Checks the server's metadata first, so that the person does not approve a sign-in that cannot be finished.
    init(
      _ request: Request, _ contact: FirstContact, _ level: Protection, _ redirect: SignInRedirect?
    ) throws(SessionError) {
      var contact = contact
      server = try contact.server(provingWith: request.proofAlgorithms)
      let (server, configuration) = (server, contact.configuration)
      do throws(ExtraParameters.Problem) { extras = try configuration.extraParameters() } catch {
        throw .configuration(ConfigurationError(.invalid, "parameters, claims or authorization_details"))
      }
      scope = try oauth { () throws(OAuthError) in try request.scope(configuration, server.metadata) }
      self.request = request
      self.redirect = redirect
      self.contact = contact
      self.level = level
      isKeptOutOfTPM = request.services.isKeptOutOfTPM(server.prover, configuration)
      let needsKeys = if case .secret = server.signing.idTokens { false } else { expectsIDToken }
      try oauth { () throws(OAuthError) in
        try server.checkProfile(request.profileFlow)
        try server.metadata.checkUsable(.token)
        if needsKeys { try server.metadata.checkUsable(.keys) }
      }
    }
  }
}

extension SignIn.Prepared {
  package var account: AccountName { request.account }
  /// The settings the account will have, with what was chosen from the metadata filled in.
  package var configuration: AccountConfiguration { contact.configuration }
  /// The notices of the preparation for the person.
  package var notices: [SignIn.Notice] {
    (contact.secrets.clientFile.map { [SignIn.Notice.clientFile($0)] } ?? contact.registered?.notices ?? [])
      + (configuration.hasMetadataURL && configuration.clientID.utf8.contains(UInt8(ascii: "?")) ? [.clientQuery] : [])
      + (isKeptOutOfTPM ? [.tpmAway] : []) + (asksForIDToken && !server.issuesIDTokens ? [.keysMissing] : [])
  }
  /// The client has something to prove itself with.
  package var hasCredentials: Bool { !contact.secrets.credentials.isEmpty }
  /// Makes sure that the client has something to prove itself with, where its provider demands that.
  ///
  /// - Throws: `clientSecretNotNamed`.
  package func requireSecret(isBrowser: Bool) throws(SessionError) {
    guard !hasCredentials, let provider = configuration.providerSettings,
      provider.has(.secretNeeded) || isBrowser && provider.has(.secretForCode)
    else { return }
    throw .clientSecretNotNamed(
      MissingSecret(
        provider: provider.title, page: provider.registration?.page, isForBrowser: !provider.has(.secretNeeded)))
  }

  var services: SessionServices { request.services }
  var cancellation: Cancellation { request.cancellation }
  private var isUnattended: Bool { request.unattended != nil }

  /// Whether ``withdraw()`` has anything to do.
  package var leavesSomething: Bool { contact.registered != nil }

  /// Withdraws a sign-in that was not finished: deletes a client that was registered for it. Blocking.
  package func withdraw() { contact.withdraw() }

  /// The level to write at; nil keeps that of the old record.
  private var protection: Protection? { configuration.protection ?? (request.isNew ? .device : nil) }

  private var asksForIDToken: Bool { !isUnattended && scope?.contains("openid") == true }

  /// Whether there should be an ID Token (OpenID Connect Core, section 3.1.3.3).
  private var expectsIDToken: Bool { asksForIDToken && server.issuesIDTokens }

  /// Signs in without a user. Blocking.
  ///
  /// - Throws: `guestNeedsProof` for a client that cannot prove who it is; `guestOverUser` when a user is
  ///   signed in; why there is no assertion that the server would take.
  package func signIn(_ grant: UnattendedGrant) throws(SessionError) -> SignIn.Outcome {
    if grant == .client, !server.client.authentication.provesClient { throw .guestNeedsProof(account: account.text) }
    let unattended = try UnattendedRequest(
      grant, request.handed(contact.secrets), of: account, configuration, at: server,
      now: services.time.wallSeconds(), cancellation)
    return try keepingOpen { (sentAt) throws(SessionError) in
      let response = try oauth { () throws(OAuthError) in try unattended.send(to: server, cancellation) }
      return try finish(TokenEndpointAnswer(response), receivedAfter: sentAt)
    }
  }

  /// Runs `body`, which spends the person's approval, and meanwhile prevents a lock of the level that the session is
  /// stored at. Passes the time at which it begins.
  ///
  /// - Parameter waitsLong: Whether it waits for the locks of vault and settings until the sign-in is cancelled; else a
  ///   lock that is busy for some seconds is an error.
  /// - Throws: an error of the vault or the settings when the session could not be stored, before the approval is spent.
  func keepingOpen<Result>(
    waitsLong: Bool = true, _ body: (Instant) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    try services.keepingOpen(account, configuration, isNew: request.isNew, waitsLong: waitsLong, cancellation) {
      () throws(SessionError) in
      try request.rehearseSettings(configuration, waitsLong: waitsLong)
      let hold = try request.holdDescriptors()
      defer { extendLifetime(hold) }
      return try body(services.time.now())
    }
  }

  /// Verifies the answer and stores the session. Nothing of the answer is used if its ID Token does
  /// not hold, or if it is for another person than the account's; its grant is then ended at the server, as far as that
  /// can be done. Blocking; within ``keepingOpen(_:)``.
  ///
  /// - Parameters:
  ///   - sentAt: When the request for the tokens was sent.
  ///   - demands: The requirements of the authorization request for the ID Token.
  ///   - needsIDToken: Whether an ID Token that was asked for must come.
  /// - Throws: `signInKept` when the refresh token is stored and the rest of the answer cannot be used, or its ID Token
  ///   not be verified for a passing reason: the next refresh goes on from there.
  func finish(
    _ answer: TokenEndpointAnswer, receivedAfter sentAt: Instant, demands: IDTokenDemands = .init(),
    needsIDToken: Bool = true, verified: Verified? = nil
  ) throws(SessionError) -> SignIn.Outcome {
    let stored: (outcome: SignIn.Outcome, left: ClientRegistrationRecord?)
    do throws(SessionError) {
      let verified = if let verified { verified } else { try verify(answer, demands, needsIDToken: needsIDToken) }
      stored = try services.holding(account, at: level, mustWrite: true, cancellation: cancellation) {
        (level) throws(SessionError) in
        try store(verified.response, verified.token, sentAt, at: level)
      }
    } catch {
      guard let refreshToken = answer.refreshToken, !isUnattended else {
        if error.isOfStorage, let token = try? answer.tokens().accessToken {
          throw .grantNotKept(
            because: error, isRevoked: server.end(token, .accessToken, bearer: token, cancellation))
        }
        throw error
      }
      try keepOrRevoke(refreshToken, because: error, demands, needsIDToken: needsIDToken)
    }
    contact.delete(stored.left)
    return stored.outcome
  }

  /// An answer whose ID Token holds, where one was asked for.
  struct Verified: Sendable {
    let response: TokenResponse
    let token: IDToken?
  }

  func verify(
    _ answer: TokenEndpointAnswer, _ demands: IDTokenDemands, needsIDToken: Bool = true
  ) throws(SessionError) -> Verified {
    let response = try oauth { () throws(OAuthError) in try answer.tokens() }
    let token = try IDTokenCheck(services: services, server: server, cancellation: cancellation)
      .signedIn(
        response, isRequired: needsIDToken && expectsIDToken, isAsked: asksForIDToken, demands: demands)
    return Verified(response: response, token: token)
  }

  /// Ends a grant at the server that is not wanted, as far as that can be done. A session that the account has already
  /// is left alone, as in ``keepOrRevoke(_:because:_:needsIDToken:)``. Blocking.
  ///
  /// - Parameter endsSession: That session ends, too.
  /// - Returns: Whether the server ended it.
  @discardableResult
  func refuse(
    _ answer: TokenEndpointAnswer, endsSession: Bool = false, _ cancellation: Cancellation
  ) -> Bool {
    if !endsSession, let old = try? oldRecord(), old.refreshToken != nil || old.accessToken != nil { return false }
    if let token = answer.refreshToken { return server.end(token, .refreshToken, cancellation) }
    guard let token = try? answer.tokens().accessToken else { return false }
    return server.end(token, .accessToken, bearer: token, cancellation)
  }

  /// Stores the settings, which are needed to use or revoke the grant, and then the record. If the record cannot be
  /// written, the settings of a new account are removed again.
  private func write(_ record: AccountRecord, activates: Bool = false) throws(SessionError) -> UInt64 {
    try request.save(configuration, activates: activates)
    do {
      return try services.write(
        record, of: account, protection: protection, wait: SessionServices.lockWait(cancellation, isLong: true))
    } catch {
      request.forget()
      throw error
    }
  }

  /// The account's record that the sign-in replaces.
  private func oldRecord() throws(SessionError) -> AccountRecord? {
    request.isNew ? nil : try services.recordToReplace(of: account)
  }

  /// Keeps a refresh token whose answer is of no further use, where the next refresh may do better; else ends its grant
  /// at the server. A session that the account has already is left alone: some servers end it with any of its tokens,
  /// but for those of another user (no approval is wasted).
  ///
  /// - Throws: `error`, or `signInKept` or `grantNotKept` because of it.
  private func keepOrRevoke(
    _ refreshToken: SharedSecret, because error: SessionError, _ demands: IDTokenDemands, needsIDToken: Bool
  ) throws(SessionError) -> Never {
    // A refresh token that should be bound to a key and is not may be usable by a thief.
    let isUnread =
      if case .oauth(let problem) = error {
        problem.followsSuccess && ![.tokenNotBound, .profileBroken].contains(problem.code)
      } else { false }
    let mayDoBetter = (isUnread || error.isPassing) && demands.maxAge == nil && demands.acrValues.isEmpty
    let ending = try? services.holding(account, at: level, mustWrite: true, cancellation: cancellation) {
      (_) throws(SessionError) -> SessionError in
      let old = try oldRecord()
      let hasSession = old?.refreshToken != nil || old?.accessToken != nil
      if case .identityChanged(_, "sub") = error {
        return .grantNotKept(because: error, isRevoked: server.end(refreshToken, .refreshToken, cancellation))
      }
      if hasSession { return .grantNotKept(because: error, isRevoked: false) }
      guard mayDoBetter else {
        let isRevoked = server.end(refreshToken, .refreshToken, cancellation)
        return error.isOfStorage || isUnread ? .grantNotKept(because: error, isRevoked: isRevoked) : error
      }
      var record = try record(refreshToken, replacing: old)
      record.identity = old?.identity
      record.label = old?.label
      let isAwaited = needsIDToken && expectsIDToken || !isUnread
      if isAwaited || old?.identity != nil { record.identityHold = .unverified }
      record.scope = scope?.text
      _ = try write(record)
      return .signInKept(configuration, because: error.followingSuccess)
    }
    if let ending { throw ending }
    // Not even the vault can be asked; a new account has no session that this could end.
    throw .grantNotKept(
      because: error, isRevoked: request.isNew && server.end(refreshToken, .refreshToken, cancellation))
  }

  /// A record of this sign-in with its refresh token.
  private func record(
    _ refreshToken: SharedSecret?, replacing old: AccountRecord?
  ) throws(SessionError) -> AccountRecord {
    var record = AccountRecord(
      authority: Authority(contact.access, metadata: server.metadata),
      signedInAt: services.time.wallSeconds())
    record.refreshToken = refreshToken
    record.credentials = contact.secrets.credentials
    // The registration goes on as long as its client does.
    let kept = old?.authority.isSameClient(as: configuration) == true ? old?.registration : nil
    record.registration = contact.secrets.registration ?? kept
    record.proxyCredentials = contact.secrets.proxyCredentials
    record.needsAnnouncedPKCE = request.needsAnnouncedPKCE
    record.proofAlgorithms = request.proofAlgorithms
    record.redirectURI = redirect?.uri.text ?? (kept == nil ? nil : old?.redirectURI)
    if refreshToken != nil { try record.keep(server.prover) }
    return record
  }

  /// - Returns: The registration that the account no longer has, too.
  private func store(
    _ response: TokenResponse, _ token: IDToken?, _ sentAt: Instant, at level: Protection
  ) throws(SessionError) -> (outcome: SignIn.Outcome, left: ClientRegistrationRecord?) {
    let old = try oldRecord()
    if let first = old?.identity, let identity = token?.identity,
      !first.issuer.utf8.elementsEqual(identity.issuer.utf8) || !first.subject.utf8.elementsEqual(identity.subject.utf8)
    {
      throw .identityChanged(account: account.text, claim: "sub")
    }
    if !isUnattended, token == nil, old?.identity != nil { throw .identityUnknown(account: account.text) }
    if isUnattended { try old?.refuseReplacement(account) }
    // A server should give a client none for itself (RFC 6749 section 4.4.3).
    let refreshToken = isUnattended ? nil : response.refreshToken
    let isKept = !isUnattended && refreshToken == nil && configuration.keepsAccessToken
    var record = try record(refreshToken, replacing: old)
    record.identity = token?.identity
    if let token { record.keep(token, response.idToken) }
    record.scope = (response.scope ?? scope)?.text
    record.authorizationDetails = response.authorizationDetails
    record.unattended = request.unattended
    record.accessToken = isKept ? response.accessToken : nil
    record.isExpired = !isUnattended && refreshToken == nil && !isKept
    if !record.isExpired, refreshToken == nil { try record.keep(server.prover) }
    let age = Int(sentAt.duration(to: services.time.now()).components.seconds)
    let issuedAtUnixSeconds = services.time.wallSeconds() - age
    if refreshToken != nil { record.expiry.update(response, isNewToken: true, now: issuedAtUnixSeconds) }
    record.accessTokenExpiresAt = isKept ? response.expiresIn.map { issuedAtUnixSeconds + $0 } : nil
    let generation = try write(record, activates: request.activates)
    let grant = AccessGrant(
      response, askedScope: record.scope, subject: token?.identity.subject,
      idToken: record.idToken.map(SealedSecret.init), issuedAt: sentAt, issuedAtUnixSeconds: issuedAtUnixSeconds,
      recordGeneration: generation, dpopKey: server.prover?.key, protection: level, expiry: record.expiry)
    let replaced = replacedGrant(of: old, by: refreshToken)
    let outcome = SignIn.Outcome(
      grant: grant, configuration: configuration, hasRefreshToken: refreshToken != nil, isKept: isKept,
      unattended: request.unattended, wasGuest: !isUnattended && old?.unattended == .client,
      missesIDToken: expectsIDToken && token == nil, askedScope: scope?.values ?? [],
      withheldScope: withheld(by: response, hasIDToken: token != nil),
      label: record.label,
      notices: notices
        + (replaced.isLeft ? [SignIn.Notice.earlierSession(page: configuration.providerSettings?.sessionsPage)] : []),
      replaced: replaced.grant)
    let isReplaced = !(old?.authority.isSameClient(as: configuration) ?? true)
    return (outcome, isReplaced ? old?.registration : nil)
  }

  /// The grant that the account had before. Many servers end all grants of a person and a client with any of them.
  ///
  /// - Returns: The grant, if it can be ended alone; whether it is left at the server.
  private func replacedGrant(
    of old: AccountRecord?, by new: SharedSecret?
  ) -> (grant: SignIn.ReplacedGrant?, isLeft: Bool) {
    // After a sign-out of which the server has not been told yet, it is left for that.
    guard let old, let token = old.isSignedOut ? old.revocation?.refreshToken : old.refreshToken, !old.isExpired,
      !(new.map { $0.bytes.isEqual(to: token.bytes) } ?? false)
    else { return (nil, false) }
    let isSeparate = configuration.providerSettings?.has(.separateGrants) ?? false
    guard isSeparate, server.metadata.revocationEndpoint != nil, old.authority.isSameClient(as: configuration) else {
      return (nil, true)
    }
    return (SignIn.ReplacedGrant(server: server, refreshToken: token), false)
  }

  /// The part of the scope that was asked for and not granted (RFC 6749 section 3.3). An ID Token grants `openid`,
  /// whether the answer says so or not.
  private func withheld(by response: TokenResponse, hasIDToken: Bool) -> [String] {
    guard let scope, let granted = response.scope else { return [] }
    return granted.missing(of: scope).filter { $0 != "openid" || !hasIDToken }
  }
}
