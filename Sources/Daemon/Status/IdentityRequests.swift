internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

/// Handles `whoami`: sends claims of the verified ID Token or of UserInfo.
final class IdentityRequests: AccountPart {
  private enum Source: String { case idToken = "id_token", userInfo = "userinfo" }

  /// If `isVerified`, sends only verified claims.
  func whoami(_ name: String?, isVerified: Bool, _ ticket: Ticket) throws(Failure) {
    let account = try broker.resolve(name)
    if let refusal = broker.lock.refusalAfterIdleCheck(for: account.name) {
      throw Failure(refusal, account: account.name.text)
    }
    let (services, name, configuration) = (services(for: account.name), account.name, account.configuration)
    let holdsToken = account.ownSlot.session.grant != nil
    jobs.run({ () throws(SessionError) in
      try services.verifiedClaims(of: name, configuration, holdsToken: holdsToken)
    }) { [self] outcome in
      switch outcome {
      case .success(let claims?):
        logStep(.identityKnown, name)
        sendIdentity(account, claims, .idToken, ticket)
      case .success(nil) where isVerified: sendIdentity(account, JSONObject(), nil, ticket)
      case .success(nil): requestUserInfo(account, TokenNeed(), ticket)
      case .failure(let error): loop.send(.failure(Failure(error, account: name.text)), to: ticket)
      }
    }
  }

  /// Renews a rejected token once.
  private func requestUserInfo(_ account: Account, _ need: TokenNeed, _ ticket: Ticket) {
    broker.obtain(need, for: ticket, account, isAfterRefusal: need.forceRefresh) { [self] slot, grant in
      let (question, generation) = (broker.question(account, grant), slot.session.generation)
      jobs.runWaiting(
        as: .questions(slot.name), at: slot.configuration.serverIdentifier, question.cancellation
      ) { () throws(SessionError) in
        try question.userInfo()
      } then: { [self] outcome in
        handleUserInfoResult(account, generation, ticket, mayRefresh: !need.forceRefresh, outcome)
      }
    }
  }

  /// `generation` is the session's when the request was sent. If `mayRefresh`, a rejected token is renewed.
  private func handleUserInfoResult(
    _ account: Account, _ generation: UInt64, _ ticket: Ticket, mayRefresh: Bool,
    _ outcome: Result<JSONObject?, SessionError>
  ) {
    let name = account.name.text
    guard broker.accounts[account.name] === account else {
      return loop.send(.failure(Failure(.noAccount(name: name), account: name)), to: ticket)
    }
    // The response belongs to an earlier session, perhaps of another user.
    guard account.ownSlot.session.generation == generation else { return requestUserInfo(account, TokenNeed(), ticket) }
    switch outcome {
    case .failure(.oauth(let error)) where error.code == .invalidToken && mayRefresh:
      requestUserInfo(account, TokenNeed(forceRefresh: true), ticket)
    case .success(let claims): sendIdentity(account, claims ?? JSONObject(), claims.map { _ in .userInfo }, ticket)
    case .failure(let error): loop.send(.failure(Failure(error, of: account.shared)), to: ticket)
    }
  }

  /// `source` is nil if there are no claims.
  private func sendIdentity(_ account: Account, _ claims: JSONObject, _ source: Source?, _ ticket: Ticket) {
    var result = JSONObject([
      ("account", .string(account.name.text)), ("issuer", .string(account.configuration.issuer)),
    ])
    result["subject"] = claims["sub"] ?? account.ownSlot.session.grant?.subject.map { .string($0) }
    result["claims"] = .object(claims)
    result["source"] = source.map { .string($0.rawValue) }
    loop.send(.result(result), to: ticket)
  }
}
