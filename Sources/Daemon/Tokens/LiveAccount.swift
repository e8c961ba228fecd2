internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// One account as the loop sees it: its session, and who waits for it. Beside it stand the tokens with
/// other targets, each with a session of its own.
final class LiveAccount {
  /// Tokens of one account beside its own; one more drops the one that was not used for the longest time.
  private static let mostOthers = 32

  let name: AccountName
  /// What the session's token is good for; nil for the account's own.
  let target: TokenTarget?
  private(set) var others: [TokenTarget: LiveAccount] = [:]
  private var uses: UInt64 = 0
  private var lastUse: UInt64 = 0
  var configuration: AccountConfiguration {
    didSet {
      usualLine = nil
      settingsRevision = nil
      session.policy = configuration.refreshPolicy
    }
  }

  /// The settings file's revision whose settings these are.
  var settingsRevision: UInt64?

  /// With the token, whatever was made of it goes too, and when there is something else to say of it.
  var session = Session() {
    didSet {
      if usualLine?.grant !== session.grant || oldValue.isOffline != session.isOffline { usualLine = nil }
    }
  }
  var waiters: [Waiter] = []

  /// The vault file that the token at hand was last held against.
  var validatedStamp: FileStamp?

  /// What the file changes were at when that was still the vault file.
  var validatedRevision: UInt64?

  /// The answer to those who want the token at hand and nothing else: most callers do, so it is kept.
  private var usualLine: TokenLine?

  /// Longer answers are made anew each time, to spare the secure heap.
  private static let mostKeptBytes = 16 << 10

  /// The origins that refused the tokens of this target.
  var refusals = OriginRefusals()

  /// When the timer goes off that is set for what the session does by itself.
  var attentionScheduled: Instant?

  /// Held while a renewal that nobody waits for is under way.
  var renewalPlace: Renewals.Place?

  /// What was told of it; kept by its own token alone.
  var news = AccountNews()

  /// When the attempt in flight began.
  var attemptStartedAt: Instant?

  /// Ends the refresh in flight.
  private var refreshCancellation: Cancellation?
  /// Of what is asked of the server about the session.
  private(set) var questions = Cancellation()

  /// A request that waits for a token.
  struct Waiter {
    /// Whose end takes the waiter away.
    let ticket: Ticket
    let need: TokenNeed
    /// What the token is to be good for; nil for the account's own.
    let target: TokenTarget?
    /// Until when it waits for a server that cannot be reached; nil when it does not.
    var waitsUntil: Instant?
    /// A resource or the server has refused the token that was there.
    let isAfterRefusal: Bool
    /// Called once, with the token's account and the token, or with why there is none.
    let finish: (LiveAccount, Result<AccessGrant, SessionError>) -> Void

    init(
      ticket: Ticket, need: TokenNeed, target: TokenTarget? = nil, waitsUntil: Instant? = nil,
      isAfterRefusal: Bool = false, finish: @escaping (LiveAccount, Result<AccessGrant, SessionError>) -> Void
    ) {
      self.ticket = ticket
      self.need = need
      self.target = target
      self.waitsUntil = waitsUntil
      self.isAfterRefusal = isAfterRefusal
      self.finish = finish
    }
  }

  init(name: AccountName, configuration: AccountConfiguration, target: TokenTarget? = nil) {
    self.name = name
    self.target = target
    self.configuration = configuration
    session.policy = configuration.refreshPolicy
  }

  /// All of its tokens, its own first.
  var all: [LiveAccount] { [self] + others.values }

  /// The one with this target, made when it is new.
  func with(_ target: TokenTarget?) -> LiveAccount {
    guard let target, target != self.target else { return self }
    uses += 1
    if let other = others[target] {
      other.lastUse = uses
      return other
    }
    let idle = others.filter { $0.value.waiters.isEmpty && $0.value.session.refresh == nil }
    if others.count >= Self.mostOthers, let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      others[oldest.key] = nil
    }
    let other = LiveAccount(name: name, configuration: configuration, target: target)
    other.lastUse = uses
    others[target] = other
    return other
  }

  /// Drops the tokens with other targets, because the session that they came from is over.
  ///
  /// - Returns: Who waited for one.
  func dropOthers(cancelling: Bool = true) -> [Waiter] {
    let waiters = others.values.flatMap(\.waiters)
    if cancelling { for other in others.values { other.cancelRefresh() } }
    others = [:]
    return waiters
  }

  /// Ends what is asked of the server about the session, which holds its secrets.
  func cancelQuestions() {
    questions.cancel()
    questions = Cancellation()
  }

  func newRefreshCancellation() -> Cancellation {
    let cancellation = Cancellation()
    refreshCancellation = cancellation
    return cancellation
  }

  func cancelRefresh() {
    refreshCancellation?.cancel()
    refreshCancellation = nil
  }

  /// The answer line to a request for a token.
  func line(for grant: AccessGrant, _ extras: TokenRequest.Extras) throws(Failure) -> SharedSecret {
    let isUsual = extras == TokenRequest.Extras() && grant === session.grant
    if isUsual, let usualLine { return usualLine.line }
    let made = try TokenLine(describe(grant), grant, extras)
    if isUsual, made.line.bytes.count <= Self.mostKeptBytes { usualLine = made }
    return made.line
  }

  func describe(_ grant: AccessGrant) -> TokenDescription {
    TokenDescription(
      account: name.text, issuer: configuration.issuer, subject: grant.subject, tokenType: grant.tokenType,
      scope: grant.scope, expiresAt: grant.expiresAtUnixSeconds, isOffline: session.isOffline)
  }

  /// `{"account","issuer","subject","scope","expires_at"}`.
  func signInResult(_ grant: AccessGrant) -> JSONObject {
    let description = describe(grant)
    var result = JSONObject([("account", .string(description.account)), ("issuer", .string(description.issuer))])
    result["subject"] = description.subject.map { .string($0) }
    result["scope"] = description.scope.map { .string($0) }
    result["expires_at"] = description.expiresAt.map { .int($0) }
    return result
  }
}

extension Result<AccessGrant, SessionError> {
  /// The token, or the failure in the words of the wire.
  func get(of account: LiveAccount) throws(Wire.Failure) -> AccessGrant {
    switch self {
    case .success(let grant): return grant
    case .failure(let error): throw Wire.Failure(error, account: account.name.text)
    }
  }
}
