internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Wire

/// Who is signed in: the verified ID Token's claims, else what UserInfo says.
extension Hub {
  /// - Parameter mayRefresh: Whether a token that the server refuses is renewed, which is done once
  ///   (RFC 6750, section 3.1).
  func identify(_ account: Account, _ grant: AccessGrant, _ ticket: Ticket, mayRefresh: Bool) {
    if !grant.claims.isEmpty {
      step(.identityKnown, account.name)
      return sendIdentity(account, grant.claims, subject: grant.subject, ticket)
    }
    let operation = UserInfoOperation(question(account, grant))
    jobs.run({ () throws(SessionError) in try operation.run() }) { [self] outcome in
      userInfoEnded(operation.question.account, ticket, mayRefresh: mayRefresh, outcome)
    }
  }

  func userInfoEnded(
    _ name: AccountName, _ ticket: Ticket, mayRefresh: Bool, _ outcome: Result<JSONObject?, SessionError>
  ) {
    guard let account = accounts[name] else { return }
    switch outcome {
    case .failure(.oauth(let error)) where error.code == .invalidToken && mayRefresh:
      let waiter = Account.Waiter(ticket: ticket, need: TokenNeed(forceRefresh: true), purpose: .whoami)
      do { try obtain(for: waiter, account) } catch { loop.send(.failure(error), to: ticket) }
    case .success(let claims):
      sendIdentity(account, claims ?? JSONObject(), subject: account.session.grant?.subject, ticket)
    case .failure(let error): loop.send(.failure(Failure(error, account: name.text)), to: ticket)
    }
  }

  private func sendIdentity(_ account: Account, _ claims: JSONObject, subject: String?, _ ticket: Ticket) {
    var result = JSONObject([
      ("account", .string(account.name.text)), ("issuer", .string(account.configuration.issuer)),
    ])
    result["subject"] = subject.map { .string($0) } ?? claims["sub"]
    result["claims"] = .object(claims)
    loop.send(.result(result), to: ticket)
  }
}
