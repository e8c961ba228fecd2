internal import Crypto
internal import OAuth
internal import Sessions
internal import Vocabulary
internal import Wire

/// Assertions for accounts that renew by assertion: from variables of their callers, or by ID Tokens of other accounts.
extension TokenBroker {
  /// Removes the waiters who have handed over what a refresh has failed for want of, since they came after it began.
  func takeWaitersWithVariables(_ account: LiveAccount, after error: SessionError) -> [LiveAccount.Waiter] {
    guard case .assertionVariables(_, let source) = error else { return [] }
    let hasAll = { [handed] (waiter: LiveAccount.Waiter) in
      !handed.values(source.variables, of: [waiter.ticket]).isEmpty
    }
    let found = account.waiters.filter(hasAll)
    account.waiters.removeAll(where: hasAll)
    return found
  }

  /// Gets an assertion by the ID Token of another account, which is renewed first where it is past its end.
  ///
  /// - Parameters:
  ///   - name: The account of the user.
  ///   - configuration: Of the account that signs in by the assertion.
  ///   - isRenewed: The ID Token was just renewed.
  func identityAssertion(
    of name: String, for configuration: AccountConfiguration, isRenewed: Bool = false,
    then finish: @escaping (Result<SharedSecret, SessionError>) -> Void
  ) {
    let fail = { (error: SessionError) in finish(.failure(.assertionSource(.account(name), because: error))) }
    let known = try? settings()
    guard let other = try? AccountName(name), let settings = known?[other] else {
      return fail(.noAccount(name: name, known: known?.accounts.map(\.name.text) ?? []))
    }
    // It has no user; and two that need each other would wait for ever.
    guard settings.assertionSource == nil else { return fail(.idTokenNeeded(account: name, isExpired: false)) }
    let waiter = LiveAccount.Waiter(ticket: .nobody, need: TokenNeed(forceRefresh: isRenewed)) { [self] own, outcome in
      let grant: AccessGrant
      do throws(SessionError) { grant = try outcome.get() } catch { return fail(error) }
      let operation = IdentityAssertionOperation(question(own, grant), for: configuration)
      jobs.wait(
        as: .exchanges(own.name), at: own.configuration.server, operation.question.cancellation
      ) { () throws(SessionError) in
        try operation.run()
      } then: { [self] outcome in
        switch outcome {
        case .success: finish(outcome)
        case .failure(.idTokenNeeded(_, isExpired: true)) where !isRenewed:
          identityAssertion(of: name, for: configuration, isRenewed: true, then: finish)
        case .failure(let error): fail(error)
        }
      }
    }
    obtainOrFail(for: waiter, account(other, settings))
  }
}
