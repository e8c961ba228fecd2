internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// A sign-out request and its accounts' results so far.
final class SignOutBatch {
  let ticket: Ticket
  /// Whether the request is for all accounts, so that errors of single ones do not fail it.
  let includesAllAccounts: Bool
  var pending: Set<AccountName>
  var results: [JSON] = []
  var failure: Failure?

  init(ticket: Ticket, includesAllAccounts: Bool, pending: Set<AccountName>) {
    self.ticket = ticket
    self.includesAllAccounts = includesAllAccounts
    self.pending = pending
  }
}

/// Ends sessions locally, then revokes their tokens. Retries while the server is unreachable.
final class SignOuts: AccountPart {
  private let signIns: SignIns
  private let resources: ResourceRequests
  private let tokenFiles: TokenFiles
  private var signOutsInProgress: Set<AccountName> = []
  private lazy var retryAlarm = Alarm(loop) { [unowned self] in revokePending() }
  private var retryPause = SignOuts.firstPause
  private static let firstPause = Duration.seconds(30), longestPause = Duration.seconds(1800)
  /// How long a sign-out's caller waits for the server.
  private static let responseTimeout = Duration.seconds(5)
  /// The delay before a new daemon's first revocations.
  private static let startDelay = Duration.milliseconds(500)

  init(
    _ context: DaemonContext, _ broker: TokenBroker, _ signIns: SignIns, _ resources: ResourceRequests,
    _ tokenFiles: TokenFiles
  ) {
    self.signIns = signIns
    self.resources = resources
    self.tokenFiles = tokenFiles
    super.init(context, broker)
  }

  func logout(_ request: LogoutRequest, _ ticket: Ticket) throws(Failure) {
    guard request.allAccounts else {
      return try withTarget(request.account, ticket) { [self] (name, account) throws(Failure) in
        try signOut([(name, account)], request, ticket)
      }
    }
    _ = try settings()
    jobs.run({ [services] in (try? services.vault.accounts()) ?? [] }) { [self] outcome in
      context.files.poll()
      context.whenSettingsAreRead { [self] in
        sendFailure(to: ticket) { () throws(Failure) in
          let settings = try settings()
          var targets = settings.accounts.map { ($0.name, Optional(broker.updatedAccount($0.name, $0.configuration))) }
          targets += outcome.get().filter { settings[$0] == nil }.map { ($0, nil) }
          try signOut(targets, request, ticket)
        }
      }
    }
  }

  /// Calls `action` with the account, or nil if only the vault contains it. Throws `no_account` if settings and vault
  /// lack it.
  func withTarget(
    _ requested: String?, _ ticket: Ticket,
    _ action: @escaping (_ name: AccountName, _ account: Account?) throws(Failure) -> Void
  ) throws(Failure) {
    let refusal: Failure
    do throws(Failure) {
      let account = try broker.resolve(requested)
      return try action(account.name, account)
    } catch {
      refusal = error
    }
    guard refusal.code == .noAccount, let name = requested.flatMap({ try? AccountName($0) }) else { throw refusal }
    jobs.run({ [services] in ((try? services.vault.accounts()) ?? []).contains(name) }) { [self] isLeft in
      sendFailure(to: ticket) { () throws(Failure) in
        let account = try? broker.resolve(name.text)
        guard account != nil || isLeft.get() else { throw refusal }
        try action(name, account)
      }
    }
  }

  private func signOut(
    _ targets: [(name: AccountName, account: Account?)], _ request: LogoutRequest, _ ticket: Ticket
  ) throws(Failure) {
    guard !targets.isEmpty else {
      return loop.send(.result(JSONObject([("accounts", .array([]))])), to: ticket)
    }
    for target in targets { try signIns.requireNoApprovedSignIn(to: target.name) }
    let batch = SignOutBatch(
      ticket: ticket, includesAllAccounts: request.allAccounts, pending: Set(targets.map(\.name)))
    for (name, account) in targets {
      // The operation removes the ephemeral account.
      let isEphemeral = services.ephemeral.contains(name)
      var operation = beginSignOut(name, account, isLocal: request.skipsRevocation, endsAll: request.allAccounts) {
        [self] in
        let reason = SessionError.oauth(OAuthError(.timeout, .endpoint(.token)))
        recordResult(batch, name, wasEphemeral: isEphemeral, .success(.init(revocationResult: .postponed(reason))))
      }
      operation.wantsLogoutPage = request.returnsBrowserURL
      jobs.runWaiting(as: .signOut(name), operation.cancellation) { [operation] () throws(SessionError) in
        try operation.run()
      } then: { [self] outcome in
        endSignOut(name)
        if batch.pending.contains(name) {
          recordResult(batch, name, wasEphemeral: isEphemeral, outcome)
        } else if case .success(let ending) = outcome {
          handleRevocationResult(ending.revocationResult, name)
        }
      }
    }
  }

  /// Cancels the account's work. The caller runs the returned operation on a worker, then calls ``endSignOut(_:)``.
  /// Calls `overdue` if a refresh in progress does not end in time. `account` is nil if not in the settings. `endsAll`
  /// means all accounts sign out.
  func beginSignOut(
    _ name: AccountName, _ account: Account?, isLocal: Bool, endsAll: Bool = false,
    overdue: @escaping () -> Void = {}
  ) -> SignOutOperation {
    signOutsInProgress.insert(name)
    signIns.endUnapproved(of: name)
    var operation = SignOutOperation(
      account: name, configuration: account?.configuration, grant: account?.ownSlot.session.grant, isLocal: isLocal,
      services: services(for: name))
    let cancellation = operation.cancellation
    let bound = jobs.messageSender { [self] (_: Void) in
      schedule(at: loop.now.advanced(by: Self.responseTimeout)) { [self] in
        cancellation.cancel()
        if signOutsInProgress.contains(name), cancellation.isSpending { overdue() }
      }
    }
    operation.willContactServer = { bound(()) }
    guard let account else { return operation }
    operation.dropsCachedDocuments = endsAll || !isIssuerShared(by: account)
    resources.endTransfers(
      of: account.name, Failure(.signedOut(account: account.name.text), account: account.name.text))
    tokenFiles.removeFiles(of: account.name)
    account.cancelQuestions()
    // A refresh in progress continues, and its new token is revoked.
    account.ownSlot.session.applySignOut()
    broker.failWaiters(account, .signedOut(account: account.name.text))
    return operation
  }

  /// Call when the operation of ``beginSignOut(_:_:isLocal:endsAll:overdue:)`` has ended.
  func endSignOut(_ name: AccountName) { signOutsInProgress.remove(name) }

  private func isIssuerShared(by account: Account) -> Bool {
    let others = (try? settings())?.accounts.filter { $0.name != account.name } ?? []
    return others.contains { $0.configuration.issuer.hasSameBytes(as: account.configuration.issuer) }
  }

  /// Responds when no account is pending.
  private func recordResult(
    _ batch: SignOutBatch, _ name: AccountName, wasEphemeral: Bool,
    _ outcome: Result<SignOutOperation.Outcome, SessionError>
  ) {
    batch.pending.remove(name)
    switch outcome {
    case .success(let ending):
      handleRevocationResult(ending.revocationResult, name)
      if !ending.revocationResult.foundNothing { broker.publish(of: name) { $0.recordSignOut(.user) } }
      if wasEphemeral {
        services.removeEphemeral(name)
        broker.remove(name, because: .signedOut(account: name.text))
        announceSettings()
      }
      var result = ending.revocationResult.json(name)
      if ending.revocationResult.foundNothing { result["was_signed_in"] = false }
      result["end_session_url"] = ending.logoutURL.map { .string($0) }
      if !batch.includesAllAccounts || !ending.revocationResult.foundNothing { batch.results.append(.object(result)) }
    case .failure(let error):
      log.note(.signedOut(.failed), name)
      let failure = Failure(error, account: name.text)
      batch.failure = batch.failure ?? failure
      batch.results.append(["account": .string(name.text), "revoked": false, "error": failure.json])
      broker.accounts[name]?.ownSlot.session.forgetToken()
      tokenFiles.requestNewTokens(for: name)
    }
    guard batch.pending.isEmpty else { return }
    if let failure = batch.failure, !batch.includesAllAccounts {
      loop.send(.failure(failure), to: batch.ticket)
    } else {
      loop.send(.result(JSONObject([("accounts", .array(batch.results))])), to: batch.ticket)
    }
  }

  // MARK: - Pending revocations

  /// Schedules the revocations left by earlier daemons.
  func start() { retryAlarm.set(at: loop.now.advanced(by: Self.startDelay)) }

  /// Schedules a retry if the revocation was postponed.
  func handleRevocationResult(_ revocationResult: SignOutOperation.RevocationResult, _ name: AccountName) {
    log.note(.signedOut(revocationResult == .revoked ? .revoked : .notRevoked), name)
    guard revocationResult.isPostponed else { return }
    retryAlarm.set(at: loop.now.advanced(by: retryPause))
  }

  /// Revokes pending tokens, except at locked protection levels.
  func revokePending() {
    jobs.run({ [services] in services.accountsToRevoke() }) { [self] pending in
      let pending = pending.get()
      guard !pending.isEmpty else { return retryPause = Self.firstPause }
      let settings = try? settings()
      // Revoking the same session twice would find nothing to revoke.
      for name in pending where !signOutsInProgress.contains(name) { revokePending(name, settings?[name]) }
      if pending.contains(where: signOutsInProgress.contains) { retryAlarm.set(at: loop.now.advanced(by: retryPause)) }
      retryPause = min(retryPause * 2, Self.longestPause)
    }
  }

  private func revokePending(_ name: AccountName, _ configuration: AccountConfiguration?) {
    let operation = services(for: name).pendingRevocation(of: name, configuration)
    jobs.runWaiting(as: .signOut(name), operation.cancellation) {
      operation.revokePending()
    } then: { [self] outcome in
      if case .success(let ending) = outcome { handleRevocationResult(ending.revocationResult, name) }
    }
  }
}

extension SignOutOperation.RevocationResult {
  /// Whether there was no session.
  var foundNothing: Bool { if case .nothingToRevoke = self { true } else { false } }

  /// `{"account","revoked","detail"}`.
  func json(_ account: AccountName) -> JSONObject {
    var result = JSONObject([("account", .string(account.text)), ("revoked", .bool(self == .revoked))])
    detail?.addMembers(to: &result, as: "detail")
    return result
  }

  /// Why tokens may still be valid. Nil if none are.
  fileprivate var detail: Phrase? {
    switch self {
    case .revoked, .nothingToRevoke: nil
    case .handledElsewhere: Phrase("another agent process contacted the server and has its answer")
    case .local: Phrase("the server was not contacted and may still accept the tokens")
    case .notOffered(nil): Phrase("the server offers no revocation and may still accept the tokens")
    case .notOffered(.some(let page)):
      Phrase("the server offers no revocation and may still accept the tokens; end the session at \(page)")
    case .failed(let error):
      Phrase("the server may still accept the tokens: \(Failure(error, account: nil).text)")
    case .postponed(.cancelled):
      Phrase("the server may still accept the tokens; they are revoked when the current renewal has ended")
    case .postponed(let error):
      Phrase(
        "the server may still accept the tokens: \(Failure(error, account: nil).text); revocation is retried for a day"
      )
    }
  }
}

extension ClientRegistrationRecord.Deletion {
  /// Adds `client_deleted` and, if it is false, `client_detail`.
  func add(to result: inout JSONObject) {
    result["client_deleted"] = .bool(self == .deleted || self == .gone)
    detail?.addMembers(to: &result, as: "client_detail")
  }

  /// Why the client may still exist. Nil if it was deleted.
  private var detail: Phrase? {
    switch self {
    case .deleted: nil
    case .gone: Phrase("the server no longer knows it")
    case .local: Phrase("the server was not contacted")
    case .notOffered: Phrase("the server offers no way to delete it")
    case .failed(let error): Failure(error, account: nil).text
    }
  }
}
