internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// The accounts that one sign-out request ends.
final class SignOutBatch {
  let ticket: Ticket
  var open: Set<AccountName>
  var results: [JSON] = []
  var failure: Failure?

  init(ticket: Ticket, open: Set<AccountName>) {
    self.ticket = ticket
    self.open = open
  }
}

/// Signs accounts out: revokes the tokens at the server, then removes all of the session here.
final class SignOuts: AccountPart {
  private let signIns: SignIns
  private let resources: ResourceRequests
  private let tokenFiles: TokenFiles

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
    let settings = try settings()
    var targets: [LiveAccount] = []
    if request.all {
      for (name, configuration) in settings.accounts { targets.append(broker.account(name, configuration)) }
    } else {
      targets = [try broker.resolve(request.account)]
    }
    guard !targets.isEmpty else {
      return loop.send(.result(JSONObject([("accounts", .array([]))])), to: ticket)
    }
    for account in targets { try signIns.refuseWhileFinishing(account.name) }
    let batch = SignOutBatch(ticket: ticket, open: Set(targets.map(\.name)))
    for account in targets { signOut(account, request, batch) }
  }

  private func signOut(_ account: LiveAccount, _ request: LogoutRequest, _ batch: SignOutBatch) {
    var operation = begin(account, isLocal: request.local, endsAll: request.all)
    operation.wantsLogoutPage = request.browser
    operation.cancellation.beginSpending()
    jobs.wait(as: .signOut(account.name), operation.cancellation) { [operation] () throws(SessionError) in
      try operation.run()
    } then: { [self] outcome in
      signedOut(batch, account.name, outcome)
    }
  }

  /// Ends all that goes on for the account here; the operation does the rest on a worker.
  func begin(_ account: LiveAccount, isLocal: Bool, endsAll: Bool = false) -> SignOutOperation {
    signIns.endUnapproved(of: account.name)
    var operation = SignOutOperation(
      account: account.name, configuration: account.configuration, grant: account.session.grant, isLocal: isLocal,
      services: services(for: account.name))
    operation.forgetsServer = endsAll || !isIssuerShared(by: account)
    resources.endTransfers(
      of: account.name, Failure(.signedOut(account: account.name.text), account: account.name.text))
    tokenFiles.remove(of: account.name)
    account.cancelQuestions()
    // A refresh under way goes on to its end, since the server may have rotated the token: the operation waits for it,
    // and ends what it brought.
    account.session.signedOut()
    broker.failWaiters(account, .signedOut(account: account.name.text))
    return operation
  }

  /// Whether another account is at the same issuer.
  private func isIssuerShared(by account: LiveAccount) -> Bool {
    let others = (try? settings())?.accounts.filter { $0.name != account.name } ?? []
    return others.contains { $0.configuration.issuer.utf8.elementsEqual(account.configuration.issuer.utf8) }
  }

  func signedOut(
    _ batch: SignOutBatch, _ name: AccountName, _ outcome: Result<SignOutOperation.Ending, SessionError>
  ) {
    batch.open.remove(name)
    switch outcome {
    case .success(let ending):
      log.note(.signedOut(ending.confirmation == .revoked ? .revoked : .notRevoked), name)
      if !ending.confirmation.foundNothing { broker.publish(of: name) { $0.signedOut(.user) } }
      var result = ending.confirmation.json(name)
      result["end_session_url"] = ending.logoutURL.map { .string($0) }
      batch.results.append(.object(result))
    case .failure(let error):
      log.note(.signedOut(.failed), name)
      batch.failure = batch.failure ?? Failure(error, account: name.text)
      broker.accounts[name]?.session.forgetToken()
      tokenFiles.renew(of: name)
    }
    guard batch.open.isEmpty else { return }
    if let failure = batch.failure {
      loop.send(.failure(failure), to: batch.ticket)
    } else {
      loop.send(.result(JSONObject([("accounts", .array(batch.results))])), to: batch.ticket)
    }
  }
}

extension SignOutOperation.Confirmation {
  /// Whether there was no session to end.
  var foundNothing: Bool { if case .nothingToRevoke = self { true } else { false } }

  /// `{"account","revoked","detail"}`.
  func json(_ account: AccountName) -> JSONObject {
    var result = JSONObject([("account", .string(account.text)), ("revoked", .bool(self == .revoked))])
    result["detail"] = detail.map { .string($0) }
    return result
  }

  /// Text for people about an unconfirmed revocation; nil if the server confirmed it.
  fileprivate var detail: String? {
    switch self {
    case .revoked: nil
    case .nothingToRevoke: "it was not signed in"
    case .local: "the server was not told and may still accept the tokens"
    case .notOffered(nil): "the server offers no revocation and may still accept the tokens"
    case .notOffered(.some(let page)):
      "the server offers no revocation and may still accept the tokens; end the session at \(page)"
    case .failed(let error):
      "the server may still accept the tokens: \(Failure(error, account: nil).message)"
    }
  }
}
