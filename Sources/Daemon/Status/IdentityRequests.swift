internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Answers `whoami` from the verified ID Token's claims, else from UserInfo.
final class IdentityRequests: AccountPart {

  func whoami(_ name: String?, _ ticket: Ticket) throws(Failure) {
    try broker.obtain(for: waiter(TokenNeed(), ticket), broker.resolve(name))
  }

  private func waiter(_ need: TokenNeed, _ ticket: Ticket) -> LiveAccount.Waiter {
    LiveAccount.Waiter(ticket: ticket, need: need, isAfterRefusal: need.forceRefresh) { [self] slot, outcome in
      switch outcome {
      case .success(let grant): identify(slot, grant, ticket, mayRefresh: !need.forceRefresh)
      case .failure(let error): loop.send(.failure(Failure(error, account: slot.name.text)), to: ticket)
      }
    }
  }

  /// - Parameter mayRefresh: Whether a token that the server rejects is renewed; one request renews it at most once
  ///   (RFC 6750, section 3.1).
  func identify(_ account: LiveAccount, _ grant: AccessGrant, _ ticket: Ticket, mayRefresh: Bool) {
    if !grant.claims.isEmpty {
      step(.identityKnown, account.name)
      return sendIdentity(account, grant.claims, subject: grant.subject, ticket)
    }
    let operation = UserInfoOperation(broker.question(account, grant))
    jobs.wait(as: .questions(account.name), operation.question.cancellation) { () throws(SessionError) in
      try operation.run()
    } then: { [self] outcome in
      userInfoEnded(operation.question.account, ticket, mayRefresh: mayRefresh, outcome)
    }
  }

  func userInfoEnded(
    _ name: AccountName, _ ticket: Ticket, mayRefresh: Bool, _ outcome: Result<JSONObject?, SessionError>
  ) {
    guard let account = broker.accounts[name] else { return }
    switch outcome {
    case .failure(.oauth(let error)) where error.code == .invalidToken && mayRefresh:
      do { try broker.obtain(for: waiter(TokenNeed(forceRefresh: true), ticket), account) } catch {
        loop.send(.failure(error), to: ticket)
      }
    case .success(let claims):
      sendIdentity(account, claims ?? JSONObject(), subject: account.session.grant?.subject, ticket)
    case .failure(let error): loop.send(.failure(Failure(error, account: name.text)), to: ticket)
    }
  }

  private func sendIdentity(_ account: LiveAccount, _ claims: JSONObject, subject: String?, _ ticket: Ticket) {
    var result = JSONObject([
      ("account", .string(account.name.text)), ("issuer", .string(account.configuration.issuer)),
    ])
    result["subject"] = subject.map { .string($0) } ?? claims["sub"]
    result["claims"] = .object(claims)
    loop.send(.result(result), to: ticket)
  }
}
