internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// An account's token for one target: session, waiting requests and current run.
final class TokenSlot {
  let shared: SharedAccountState
  /// Scope, resource and audience of the token. Nil for the account's own token.
  let target: TokenTarget?

  var session = Session()
  var waiters: [Waiter] = []
  /// Results of other runs are ignored (invariant: late answers have an owner).
  private(set) var run: RefreshRun?

  /// The vault file's stamp and watch revision at the latest validation, and whether one is running.
  var validation: (stamp: FileStamp?, revision: UInt64?, isRunning: Bool) = (nil, nil, false)

  var refusals = OriginRefusals()

  /// When the timer for the next renewal or notice fires.
  var timerDue: Instant?

  init(_ shared: SharedAccountState, _ target: TokenTarget? = nil) {
    self.shared = shared
    self.target = target
    session.policy = shared.configuration.renewal
  }

  var name: AccountName { shared.name }
  var configuration: AccountConfiguration { shared.configuration }

  func begin(_ refresh: Session.Refresh, _ permit: RenewalLimiter.Permit?) -> RefreshRun {
    let run = RefreshRun(self, refresh, permit)
    self.run = run
    return run
  }

  func endRun() { run = nil }

  /// Detaches the run. Cancels it unless it must still store a new refresh token.
  func abandonRun() {
    guard let run = run.take() else { return }
    run.cancellation.cancel()
    session.abandonRefresh()
  }

  func takeWaiters() -> [Waiter] {
    defer { waiters = [] }
    return waiters
  }

  /// Whether no request waits and no refresh is in progress.
  var isIdle: Bool { waiters.isEmpty && session.refresh == nil }

  /// Adds the ID Token and claims if the requested variables need them.
  func addingVariableFields(_ extras: TokenRequest.Extras) -> TokenRequest.Extras {
    guard extras.wantsVariables else { return extras }
    var extras = extras
    let fields = configuration.settings.variables.map { $0.drop { $0 != "=" }.dropFirst() }
    extras.wantsIDToken = extras.wantsIDToken || fields.contains("id_token")
    extras.wantsClaims = extras.wantsClaims || fields.contains { $0.hasPrefix("claim:") }
    return extras
  }

  /// The response line to a token request. Omits an expired ID Token. Requires `extras` from
  /// ``addingVariableFields(_:)``.
  func line(
    for grant: AccessGrant, _ extras: TokenRequest.Extras, isIDTokenExpired: Bool = false
  ) throws(Failure) -> SharedSecret {
    var (description, extras) = (describe(grant), extras)
    if extras.wantsVariables { description.variables = configuration.settings.variables }
    description.isIDTokenExpired = extras.wantsIDToken && isIDTokenExpired
    extras.wantsIDToken = extras.wantsIDToken && !isIDTokenExpired
    return try TokenLine(description, grant, extras).line
  }

  func describe(_ grant: AccessGrant) -> TokenDescription {
    TokenDescription(
      account: name.text, issuer: configuration.issuer, subject: grant.subject, tokenType: grant.tokenType,
      scope: grant.scope, expiresAt: grant.expiresAtUnixSeconds, isOffline: session.isOffline,
      signInBy: shared.published.signInBy)
  }

  /// The result of a sign-in: `{"account","issuer","subject","scope","expires_at","renews"}`.
  func signInResult(_ grant: AccessGrant) -> JSONObject {
    let description = describe(grant)
    var result = JSONObject([("account", .string(description.account)), ("issuer", .string(description.issuer))])
    result["subject"] = description.subject.map { .string($0) }
    result["scope"] = description.scope.map { .string($0) }
    result["expires_at"] = description.expiresAt.map { .int($0) }
    if session.isRenewable { result["renews"] = true }
    return result
  }
}

/// The attempts to get one token, with the settings at their start.
final class RefreshRun {
  let account: AccountName
  let target: TokenTarget?
  let configuration: AccountConfiguration
  /// The current or next attempt.
  var refresh: Session.Refresh
  let cancellation = Cancellation()
  var attemptStartedAt: Instant
  private let permit: RenewalLimiter.Permit?

  fileprivate init(_ slot: TokenSlot, _ refresh: Session.Refresh, _ permit: RenewalLimiter.Permit?) {
    account = slot.name
    target = slot.target
    configuration = slot.configuration
    self.refresh = refresh
    attemptStartedAt = refresh.startedAt
    self.permit = permit
  }
}

/// A request that waits for a token (invariant: each ticket is answered once).
final class Waiter {
  /// The request. Its end removes the waiter.
  let ticket: Ticket
  let need: TokenNeed
  /// Nil for the account's own token.
  let target: TokenTarget?
  /// When to stop waiting for an unreachable server. Nil if the request does not wait.
  let waitsUntil: Instant?
  /// Whether a resource or the server has rejected the cached token.
  let isAfterRefusal: Bool
  /// Whether the request waits only for the validation of the cached token.
  var awaitsValidation = false
  private var answer: ((TokenSlot, Result<AccessGrant, SessionError>) -> Void)?

  init(
    ticket: Ticket, need: TokenNeed, target: TokenTarget? = nil, waitsUntil: Instant? = nil,
    isAfterRefusal: Bool = false, answer: @escaping (TokenSlot, Result<AccessGrant, SessionError>) -> Void
  ) {
    self.ticket = ticket
    self.need = need
    self.target = target
    self.waitsUntil = waitsUntil
    self.isAfterRefusal = isAfterRefusal
    self.answer = answer
  }

  /// Answers the request, unless already answered.
  func finish(_ slot: TokenSlot, _ outcome: Result<AccessGrant, SessionError>) { answer.take()?(slot, outcome) }
}

extension Result<AccessGrant, SessionError> {
  /// Throws a failure that names the slot's account.
  func grantOrFailure(of slot: TokenSlot) throws(Wire.Failure) -> AccessGrant {
    switch self {
    case .success(let grant): return grant
    case .failure(.expired)
    where slot.session.hasIrreplaceableToken(at: .now) && slot.session.grant?.isAlive(at: .now) == true:
      throw Wire.Failure(
        .sessionExpired, "\(slot.name.text) has no refresh token: sign in to get a new token",
        hint: .command(slot.shared.signIn.again(slot.name.text)))
    case .failure(let error): throw Wire.Failure(error, of: slot.shared)
    }
  }
}
