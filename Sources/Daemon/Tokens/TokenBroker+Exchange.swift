internal import OAuth
internal import Sessions
internal import Wire

/// Tokens obtained by token exchange (RFC 8693), which needs a valid token of the account first.
extension TokenBroker {
  /// Gets the account's own token for an attempt.
  func beginExchange(_ target: TokenTarget, _ refresh: Session.Refresh, _ other: LiveAccount) {
    guard let account = accounts[other.name] else { return }
    let waiter = LiveAccount.Waiter(ticket: .nobody, need: TokenNeed()) { [self] own, outcome in
      switch outcome {
      case .success(let grant): exchange(grant, for: target, refresh, own)
      case .failure(let error): refreshEnded(own.name, target, refresh, .failure(error))
      }
    }
    obtainOrFail(for: waiter, account)
  }

  /// Exchanges the account's own token.
  func exchange(_ grant: AccessGrant, for target: TokenTarget, _ refresh: Session.Refresh, _ account: LiveAccount) {
    guard let other = account.others.first(where: { $0.target == target }) else { return }
    let operation = ExchangeOperation(
      account: account.name, configuration: account.configuration, subject: grant, target: target,
      services: services(for: account.name), cancellation: other.newRefreshCancellation())
    jobs.wait(
      as: .exchanges(account.name), at: account.configuration.server, operation.cancellation
    ) { () throws(SessionError) in
      try operation.run()
    } then: { [self] outcome in
      refreshEnded(operation.account, operation.target, refresh, outcome)
    }
  }
}
