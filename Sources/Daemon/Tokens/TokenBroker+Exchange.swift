internal import OAuth
internal import Sessions
internal import Wire

/// Tokens that are got by trading the account's own (RFC 8693), which must be good first.
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

  /// The account's own token is there: trades it.
  func exchange(_ grant: AccessGrant, for target: TokenTarget, _ refresh: Session.Refresh, _ account: LiveAccount) {
    guard let other = account.others[target] else { return }
    let operation = ExchangeOperation(
      account: account.name, configuration: account.configuration, subject: grant, target: target,
      services: services(for: account.name), cancellation: other.newRefreshCancellation())
    jobs.run({ () throws(SessionError) in try operation.run() }) { [self] outcome in
      refreshEnded(operation.account, operation.target, refresh, outcome)
    }
  }
}
