internal import Encoding
package import OAuth
internal import Crypto
internal import Platform

extension SignIn {
  /// A sign-in with its server, client and scope.
  package struct Prepared: Sendable {
    package let server: AuthorizationServer
    package let scope: Scope?
    /// The part of ``scope`` for the account's own token. Nil for all of it.
    private let ownScope: Scope?
    package let level: Protection
    let extras: ExtraParameters
    var request: Request
    package let redirect: SignInRedirect?
    private let signInServer: SignInServer
    private let isOutsideTPM: Bool

    /// Checks the metadata before the user approves. `grantedScope` is that of the session to replace.
    init(
      _ request: Request, _ signInServer: SignInServer, _ level: Protection, _ redirect: SignInRedirect?,
      grantedScope: String?
    ) throws(SessionError) {
      var signInServer = signInServer
      server = try signInServer.makeServer(proofAlgorithms: request.proofAlgorithms)
      let (server, configuration) = (server, signInServer.configuration)
      do throws(ExtraParameters.Problem) { extras = try configuration.extraParameters() } catch {
        throw .configuration(ConfigurationError(.invalid, "parameters, claims or authorization_details"))
      }
      let own = try mapOAuthError(request.scope(configuration, server.metadata))
      let known = request.unattended == nil ? own ?? grantedScope.flatMap { try? Scope($0) } : nil
      let whole = try known.flatMap { (known) throws(SessionError) in
        try mapOAuthError(configuration.scopeOfOrigins(with: known))
      }
      (scope, ownScope) = (whole ?? own, whole == nil ? nil : known)
      self.request = request
      self.redirect = redirect
      self.signInServer = signInServer
      self.level = level
      isOutsideTPM = request.services.isOutsideTPM(server.prover, configuration)
      let needsKeys = if case .secret = server.signing.idTokens { false } else { expectsIDToken }
      try mapOAuthError(server.checkProfile(FAPI2.Flow(request.unattended)))
      try mapOAuthError(server.metadata.checkUsable(.token))
      if needsKeys { try mapOAuthError(server.metadata.checkUsable(.keys)) }
    }

    package var account: AccountName { request.account }
    /// Includes values chosen from the metadata.
    package var configuration: AccountConfiguration { signInServer.configuration }
    package var notices: [SignIn.Notice] {
      (signInServer.secrets.clientFile.map { [SignIn.Notice.clientFile($0)] } ?? signInServer.registrationNotices ?? [])
        + (configuration.hasMetadataURL && configuration.clientID.utf8.contains(UInt8(ascii: "?"))
          ? [.clientURLHasQuery] : [])
        + (isOutsideTPM ? [.tpmUnavailable] : []) + (asksForIDToken && !server.issuesIDTokens ? [.keysMissing] : [])
    }
    package var hasCredentials: Bool { !signInServer.secrets.credentials.isEmpty }
    /// Throws `clientSecretNeeded` if the provider requires a missing client secret.
    package func requireSecret(isBrowser: Bool) throws(SessionError) {
      guard !hasCredentials, let provider = configuration.providerSettings,
        provider.has(.secretNeeded) || isBrowser && provider.has(.secretForCode)
      else { return }
      throw .clientSecretNeeded(
        MissingSecret(
          provider: provider.title, page: provider.registration?.page, isForBrowser: !provider.has(.secretNeeded)))
    }

    package var isDeviceGrantRefused: Bool { request.isDeviceGrantRefused }

    var services: SessionServices { request.services }
    var cancellation: Cancellation { request.cancellation }
    private var isUnattended: Bool { request.unattended != nil }

    /// Whether a client was registered for this sign-in.
    package var mustDeleteClient: Bool { signInServer.registrationNotices != nil }

    /// Deletes the client registered for this sign-in, if any. Blocking.
    package func deleteNewClient() { signInServer.deleteNewClient() }

    /// Nil to keep the old record's level.
    private var protection: Protection? { configuration.protection ?? (request.isNew ? .device : nil) }

    private var asksForIDToken: Bool { !isUnattended && scope?.contains("openid") == true }

    /// Whether an ID Token is required (OpenID Connect Core section 3.1.3.3).
    private var expectsIDToken: Bool { asksForIDToken && server.issuesIDTokens }

    /// Signs in without a user. Blocking. Throws `guestMustAuthenticate`, `guestCannotReplaceUser`, or an error about
    /// the assertion.
    package func signIn(_ grant: UnattendedGrant) throws(SessionError) -> SignIn.Outcome {
      if grant == .clientCredentials, !server.client.authentication.authenticatesClient {
        throw .guestMustAuthenticate(account: account.text)
      }
      let unattended = try UnattendedRequest(
        grant, request.completedAssertion(signInServer.secrets), of: account, configuration, at: server,
        now: services.time.wallSeconds(), cancellation)
      return try withUnlockedVault { (sentAt, reserve) throws(SessionError) in
        let response = try mapOAuthError(unattended.send(server, cancellation))
        return try finish(TokenEndpointResponse(response), receivedAfter: sentAt, in: reserve)
      }
    }

    /// Runs `body`, which spends the user's approval, while the protection level cannot be locked. Passes it the time,
    /// and the resources for writing (nil if ephemeral). Throws without running `body` if the session cannot be stored.
    ///
    /// With `waitsLong`, waits for locks until the sign-in is cancelled.
    func withUnlockedVault<Result>(
      in kept: WriteReserve? = nil, waitsLong: Bool = true,
      _ body: (Instant, WriteReserve?) throws(SessionError) -> Result
    ) throws(SessionError) -> Result {
      try services.withUnlockedVault(
        account, configuration, isNew: request.isNew, in: kept, waitsLong: waitsLong, cancellation
      ) { (reserve) throws(SessionError) in
        var reserve = reserve
        if kept == nil { reserve?.settings = try request.reserveSettings(configuration, waitsLong: waitsLong) }
        let hold = try request.holdDescriptors()
        defer { extendLifetime(hold) }
        return try body(services.time.now(), reserve)
      }
    }

    /// Verifies the response and stores the session. If the ID Token is invalid or for another user, revokes the grant
    /// if possible. Blocking. Call it in ``withUnlockedVault(in:waitsLong:_:)``. Throws `onlyRefreshTokenStored` if the
    /// rest of the response is unusable or cannot be verified for now.
    ///
    /// `needsIDToken`: whether a requested ID Token must be present.
    func finish(
      _ answer: TokenEndpointResponse, receivedAfter sentAt: Instant, in reserve: WriteReserve?,
      requirements: IDTokenRequirements = .init(), needsIDToken: Bool = true, verified: Verified? = nil
    ) throws(SessionError) -> SignIn.Outcome {
      let stored: (outcome: SignIn.Outcome, left: ClientRegistrationRecord?)
      do throws(SessionError) {
        let verified =
          if let verified { verified } else { try verify(answer, requirements, needsIDToken: needsIDToken) }
        stored = try services.withAccountLock(account, at: level, mustWrite: true, cancellation: cancellation) {
          (level) throws(SessionError) in
          try store(verified.response, verified.token, sentAt, at: level, in: reserve)
        }
      } catch {
        guard let refreshToken = answer.refreshToken, !isUnattended else {
          if error.isStorageFailure, let token = try? answer.tokens().accessToken {
            throw .grantNotStored(
              because: error, isRevoked: server.revokeIfPossible(token, .accessToken, bearer: token, cancellation))
          }
          throw error
        }
        try keepOrRevoke(refreshToken, in: reserve, because: error, requirements, needsIDToken: needsIDToken)
      }
      signInServer.delete(stored.left)
      return try withOwnScope(stored.outcome)
    }

    /// Replaces a token that has the scopes of all origins with one that has only the account's own.
    private func withOwnScope(_ outcome: SignIn.Outcome) throws(SessionError) -> SignIn.Outcome {
      guard let ownScope, let scope else { return outcome }
      var outcome = outcome
      if outcome.hasRefreshToken {
        do throws(SessionError) {
          outcome.grant = try RefreshOperation(
            account: account, configuration: outcome.configuration, services: services, cancellation: cancellation
          ).run()
        } catch {
          throw .onlyRefreshTokenStored(outcome.configuration, because: error)
        }
      }
      let granted = try mapOAuthError(Scope(outcome.grant.scope ?? scope.text))
      let missing = granted.missing(of: scope)
      let excess = ownScope.missing(of: scope).filter { !missing.contains($0) }
      if !excess.isEmpty { outcome.notices.append(.scopeNotLimited(excess)) }
      return outcome
    }

    /// A response whose ID Token, if any, was verified.
    struct Verified: Sendable {
      let response: TokenResponse
      let token: IDToken?
    }

    func verify(
      _ answer: TokenEndpointResponse, _ requirements: IDTokenRequirements, needsIDToken: Bool = true
    ) throws(SessionError) -> Verified {
      let response = try mapOAuthError(answer.tokens())
      let token = try IDTokenCheck(services: services, server: server, cancellation: cancellation)
        .verifySignIn(
          response, isRequired: needsIDToken && expectsIDToken, isRequested: asksForIDToken, requirements: requirements)
      return Verified(response: response, token: token)
    }

    /// Revokes an unwanted grant if possible, unless that might end an existing session (overridden by
    /// `mayEndSession`). Returns whether it was revoked. Blocking.
    @discardableResult
    func revokeUnwanted(
      _ answer: TokenEndpointResponse, mayEndSession: Bool = false, _ cancellation: Cancellation
    ) -> Bool {
      if !mayEndSession, let old = try? oldRecord(), old.refreshToken != nil || old.accessToken != nil { return false }
      if let token = answer.refreshToken { return server.revokeIfPossible(token, .refreshToken, cancellation) }
      guard let token = try? answer.tokens().accessToken else { return false }
      return server.revokeIfPossible(token, .accessToken, bearer: token, cancellation)
    }

    /// Stores the settings, needed to use or revoke the grant, then the record. On failure, removes a new account's
    /// settings.
    private func write(
      _ record: AccountRecord, activates: Bool = false, in reserve: WriteReserve?
    ) throws(SessionError) -> UInt64 {
      try request.save(configuration, activates: activates, in: reserve?.settings)
      do {
        return try services.write(
          record, of: account, protection: protection, wait: SessionServices.lockWait(cancellation, isLong: true),
          in: reserve)
      } catch {
        request.forget()
        throw error
      }
    }

    /// The record to replace. For a new account, only one with a pending revocation.
    private func oldRecord() throws(SessionError) -> AccountRecord? {
      guard request.isNew else { return try services.recordToReplace(of: account) }
      guard let left = try? services.record(of: account), left.revocation != nil else { return nil }
      return left
    }

    /// Stores the refresh token of an unusable response if the next refresh may succeed (invariant: no approval is
    /// wasted). Otherwise revokes the grant, unless that might end an existing session.
    private func keepOrRevoke(
      _ refreshToken: SharedSecret, in reserve: WriteReserve?, because error: SessionError,
      _ requirements: IDTokenRequirements,
      needsIDToken: Bool
    ) throws(SessionError) -> Never {
      // A thief could use an unbound refresh token.
      let isUnread =
        if case .oauth(let problem) = error {
          problem.followsSuccess && ![.tokenNotBound, .profileBroken].contains(problem.code)
        } else { false }
      let mayDoBetter = (isUnread || error.isTemporary) && requirements.maxAge == nil && requirements.acrValues.isEmpty
      let ending = try? services.withAccountLock(account, at: level, mustWrite: true, cancellation: cancellation) {
        (_) throws(SessionError) -> SessionError in
        let old = try oldRecord()
        let hasSession = old?.refreshToken != nil || old?.accessToken != nil
        if case .identityChanged(_, "sub") = error {
          return .grantNotStored(
            because: error, isRevoked: server.revokeIfPossible(refreshToken, .refreshToken, cancellation))
        }
        if hasSession { return .grantNotStored(because: error, isRevoked: false) }
        guard mayDoBetter else {
          let isRevoked = server.revokeIfPossible(refreshToken, .refreshToken, cancellation)
          return error.isStorageFailure || isUnread ? .grantNotStored(because: error, isRevoked: isRevoked) : error
        }
        var record = try record(refreshToken, replacing: old)
        record.identity = old?.identity
        record.label = old?.label
        let isAwaited = needsIDToken && expectsIDToken || !isUnread
        if isAwaited || old?.identity != nil { record.identityBlock = .unverified }
        record.scope = (ownScope ?? scope)?.text
        record.ownScope = ownScope?.text
        _ = try write(record, in: reserve)
        return .onlyRefreshTokenStored(configuration, because: error.followingSuccess)
      }
      if let ending { throw ending }
      // Revoking cannot end a session of a new account.
      throw .grantNotStored(
        because: error, isRevoked: request.isNew && server.revokeIfPossible(refreshToken, .refreshToken, cancellation))
    }

    private func record(
      _ refreshToken: SharedSecret?, replacing old: AccountRecord?
    ) throws(SessionError) -> AccountRecord {
      var record = AccountRecord(
        authority: Authority(signInServer.parsed, metadata: server.metadata),
        signedInAt: services.time.wallSeconds())
      record.refreshToken = refreshToken
      record.credentials = signInServer.secrets.credentials
      let kept = old?.authority.isSameClient(as: configuration) == true ? old?.registration : nil
      record.registration = signInServer.secrets.registration ?? kept
      record.proxyCredentials = signInServer.secrets.proxyCredentials
      record.beganAtResource = request.beganAtResource
      record.isDeviceGrantRefused = request.isDeviceGrantRefused
      record.proofAlgorithms = request.proofAlgorithms
      record.redirectURI = redirect?.uri.text ?? (kept == nil ? nil : old?.redirectURI)
      if refreshToken != nil { try record.setDPoPKey(of: server.prover) }
      return record
    }

    private func store(
      _ response: TokenResponse, _ token: IDToken?, _ sentAt: Instant, at level: Protection, in reserve: WriteReserve?
    ) throws(SessionError) -> (outcome: SignIn.Outcome, left: ClientRegistrationRecord?) {
      let old = try oldRecord()
      if let first = old?.identity, let identity = token?.identity,
        !first.issuer.hasSameBytes(as: identity.issuer) || !first.subject.hasSameBytes(as: identity.subject)
      {
        throw .identityChanged(account: account.text, claim: "sub")
      }
      if !isUnattended, token == nil, old?.identity != nil { throw .identityUnknown(account: account.text) }
      if isUnattended { try old?.refuseReplacement(account) }
      // A server should not issue a refresh token for client credentials (RFC 6749 section 4.4.3).
      let refreshToken = isUnattended ? nil : response.refreshToken
      let isKept = !isUnattended && refreshToken == nil && configuration.keepsAccessToken
      var record = try record(refreshToken, replacing: old)
      record.identity = token?.identity
      if let token { record.setIDToken(token, response.idToken) }
      record.ownScope = ownScope.flatMap { own in
        let missing = response.scope?.missing(of: own) ?? []
        return try? Scope(values: own.values.filter { !missing.contains($0) }).text
      }
      record.scope = record.ownScope ?? (response.scope ?? scope)?.text
      record.authorizationDetails = response.authorizationDetails
      record.unattended = request.unattended
      record.accessToken = isKept ? response.accessToken : nil
      record.isTokenNotStored = !isUnattended && refreshToken == nil && !isKept
      record.isExpired = record.isTokenNotStored
      if !record.isExpired, refreshToken == nil { try record.setDPoPKey(of: server.prover) }
      let age = Int(sentAt.duration(to: services.time.now()).components.seconds)
      let issuedAtUnixSeconds = services.time.wallSeconds() - age
      if refreshToken != nil { record.expiry.update(response, isNewToken: true, now: issuedAtUnixSeconds) }
      if isKept || record.isTokenNotStored {
        record.accessTokenExpiresAt = response.expiresIn.map { issuedAtUnixSeconds + $0 }
      }
      // A pending revocation for another client continues under another name.
      if let old, old.revocation != nil, !old.authority.isSameClient(as: configuration) {
        services.movePendingRevocation(of: account)
      }
      let generation = try write(record, activates: request.activates, in: reserve)
      let grant = AccessGrant(
        response, requestedScope: scope?.text, subject: token?.identity.subject,
        idToken: record.idToken.map(SealedSecret.init), issuedAt: sentAt, issuedAtUnixSeconds: issuedAtUnixSeconds,
        recordGeneration: generation, dpopKey: server.prover?.key, protection: level, expiry: record.expiry)
      let replaced = replacedGrant(of: old, by: refreshToken)
      let revokeGuestToken = { @Sendable [server] (grant: AccessGrant, cancellation: Cancellation) in
        guard let token = try? grant.accessToken.open() else { return false }
        return server.revokeIfPossible(token, .accessToken, bearer: token, cancellation)
      }
      let wasGuest = !isUnattended && old?.unattended == .clientCredentials
      let mayEndGuest =
        wasGuest && server.metadata[.revocation] != nil && old?.authority.isSameClient(as: configuration) == true
      let outcome = SignIn.Outcome(
        grant: grant, configuration: configuration, hasRefreshToken: refreshToken != nil, isAccessTokenStored: isKept,
        unattended: request.unattended, wasGuest: wasGuest,
        missesIDToken: expectsIDToken && token == nil, requestedScope: scope?.values ?? [],
        withheldScope: withheld(by: response, hasIDToken: token != nil),
        label: record.label,
        notices: notices
          + (replaced.isLeft
            ? [SignIn.Notice.earlierGrantRemains(page: configuration.providerSettings?.sessionsPage)] : []),
        revokeReplacedGrant: replaced.revoke, revokeGuestToken: mayEndGuest ? revokeGuestToken : nil)
      let isReplaced = !(old?.authority.isSameClient(as: configuration) ?? true)
      return (outcome, isReplaced ? old?.registration : nil)
    }

    /// Returns how to revoke the previous grant, or nil if that may end other grants of the user, and whether it
    /// remains.
    private func replacedGrant(
      of old: AccountRecord?, by new: SharedSecret?
    ) -> (revoke: (@Sendable (Cancellation) -> Void)?, isLeft: Bool) {
      let isMoved = old?.isSignedOut == true && old?.authority.isSameClient(as: configuration) == false
      guard let old, !isMoved, let token = old.revocation?.refreshToken ?? old.refreshToken, !old.isExpired,
        !(new.map { $0.bytes.isEqual(to: token.bytes) } ?? false)
      else { return (nil, false) }
      let isSeparate = configuration.providerSettings?.has(.separateGrants) ?? false
      guard isSeparate, server.metadata[.revocation] != nil, old.authority.isSameClient(as: configuration) else {
        return (nil, true)
      }
      return ({ [server] in _ = server.revokeIfPossible(token, .refreshToken, $0) }, false)
    }

    /// The requested scope values not granted (RFC 6749 section 3.3). An ID Token implies `openid`.
    private func withheld(by response: TokenResponse, hasIDToken: Bool) -> [String] {
      guard let scope, let granted = response.scope else { return [] }
      return granted.missing(of: scope).filter { $0 != "openid" || !hasIDToken }
    }
  }
}
