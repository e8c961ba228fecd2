internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Exchanges tokens for role credentials at AWS's Security Token Service.
final class AssumedRoles: DaemonPart {
  private let urlTokens: URLTokens
  private var waiting: [Exchange: [(request: AssumeRoleRequest, ticket: Ticket)]] = [:]

  private struct Exchange: Hashable {
    let account: AccountName
    /// The session's generation.
    let generation: UInt64
    let key: RoleCache.Key
  }

  init(_ context: DaemonContext, _ urlTokens: URLTokens) {
    self.urlTokens = urlTokens
    super.init(context)
  }

  func assume(_ request: AssumeRoleRequest, _ ticket: Ticket) throws(Failure) {
    guard
      let role = WebIdentityRole(
        arn: request.roleARN, sessionName: request.sessionName, seconds: request.durationSeconds)
    else { throw Failure(.invalidRequest, "invalid role or role session name") }
    let endpoint: Endpoint
    // Plain http is checked later.
    do { endpoint = try Endpoint(request.url, allowHTTPLoopback: true) } catch {
      throw .httpsRequired
    }
    var token = TokenRequest(account: request.account, minimumValiditySeconds: 60)
    token.destination = TokenRequest.Destination(url: request.url, kind: .idToken)
    let key = RoleCache.Key(endpoint: endpoint, role: role)
    try urlTokens.obtain(token, ticket) { [self] slot, grant, use throws(Failure) in
      guard let account = urlTokens.broker.accounts[slot.name] else {
        throw Failure(.noAccount(name: slot.name.text), account: slot.name.text)
      }
      try assume(key, account, grant, use.kind, request, ticket)
    }
  }

  /// Answers from the cache, joins an exchange in progress or starts one.
  private func assume(
    _ key: RoleCache.Key, _ account: Account, _ grant: AccessGrant, _ kind: TokenKind, _ request: AssumeRoleRequest,
    _ ticket: Ticket
  ) throws(Failure) {
    if let credentials = account.roles.freshCredentials(for: key, now: services.time.wallSeconds()) {
      return loop.send(try line(credentials, account.name), to: ticket)
    }
    let exchange = Exchange(account: account.name, generation: account.ownSlot.session.generation, key: key)
    if waiting[exchange] != nil { return waiting[exchange, default: []].append((request, ticket)) }
    guard kind == .idToken || grant.dpopKey == nil else {
      throw Failure(
        .tokenNotBound,
        "the access token of \(account.name.text) needs a proof with each request, which the service does not support",
        hint: "agent account set \(account.name.text) --host \(ShellWord.quoted("\(key.endpoint.text) token=id_token"))"
      )
    }
    guard let token = kind == .idToken ? grant.idToken : grant.accessToken else {
      throw .missingIDToken(of: account.name.text)
    }
    waiting[exchange] = [(request, ticket)]
    let question = urlTokens.broker.question(account, grant)
    jobs.runWaiting(as: .roles(account.name, key.endpoint), question.cancellation) { () throws(SessionError) in
      try question.assume(key.role, with: token, at: key.endpoint)
    } then: { [self] outcome in
      let isLate = account.questionCancellation !== question.cancellation
      handleExchangeResult(exchange, account, isLate: isLate, outcome)
    }
  }

  /// Answers the waiting requests. If `isLate`, the session or settings have changed, and the requests start again.
  private func handleExchangeResult(
    _ exchange: Exchange, _ account: Account, isLate: Bool, _ outcome: Result<WebIdentityRole.Credentials, SessionError>
  ) {
    let name = exchange.account
    for (request, ticket) in waiting.removeValue(forKey: exchange) ?? [] {
      sendFailure(to: ticket) { () throws(Failure) in
        if isLate { return try assume(request, ticket) }
        loop.send(try line(try outcome.valueOrFailure(account: name.text), name), to: ticket)
      }
    }
    guard !isLate, account.ownSlot.session.generation == exchange.generation, case .success(let credentials) = outcome
    else {
      return
    }
    account.roles.store(credentials, for: exchange.key, now: services.time.wallSeconds())
  }

  /// The response line, in secret memory.
  private func line(_ credentials: WebIdentityRole.Credentials, _ account: AccountName) throws(Failure) -> SharedSecret
  {
    do throws(CryptoError) {
      let secret = try credentials.secretAccessKey.open()
      let session = try credentials.sessionToken.open()
      var line = SecretBuffer(capacity: secret.bytes.count + session.bytes.count + 512)
      secret.bytes.withBytes { secret in
        session.bytes.withBytes {
          RoleAnswer.append(
            account: account.text, accessKeyID: credentials.accessKeyID, secretAccessKey: secret, sessionToken: $0,
            expiresAt: credentials.expiresAt, to: &line)
        }
      }
      return SharedSecret(try line.finish())
    } catch {
      throw Failure(.memory, account: account.text)
    }
  }
}
