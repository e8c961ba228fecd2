internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// One account's state on the loop: its session and the requests that wait for it. Tokens with other targets each
/// have a session of their own.
final class LiveAccount {
  /// Limit of tokens with other targets for one account. Another one replaces the least recently used.
  private static let mostOthers = 32
  /// An account's share of memory for access tokens, in bytes.
  static let mostBytes = 1 << 20

  let name: AccountName
  /// Scope, resource and audience of the session's token; nil for the account's own token.
  let target: TokenTarget?
  /// The tokens with other targets, the least recently used first.
  private(set) var others: [LiveAccount] = []
  var configuration: AccountConfiguration {
    didSet {
      settingsRevision = nil
      session.policy = configuration.renewal
    }
  }

  /// Revision of the settings file that the configuration comes from.
  var settingsRevision: UInt64?

  var session = Session()
  var waiters: [Waiter] = []

  /// The last time that the cached token was held against the vault: the vault file's stamp and the revision of the
  /// watched files then, and whether a worker does it now.
  var validation: (stamp: FileStamp?, revision: UInt64?, isRunning: Bool) = (nil, nil, false)

  /// The origins that refused the tokens of this target.
  var refusals = OriginRefusals()

  /// Credentials of roles that the account's token was traded for.
  var roles = RoleCache()

  /// Time of the scheduled timer for the session's own actions: renewal and notices of expiry.
  var actionScheduled: Instant?

  /// Held while a renewal without waiting requests is in flight.
  var renewalPlace: Renewals.Place?

  /// The last published state; only used for the account's own token.
  var published = PublishedState()

  /// Start of the refresh attempt in flight.
  var attemptStartedAt: Instant?

  /// Cancels the refresh in flight.
  private var refreshCancellation: Cancellation?
  /// Cancels the server requests about the session, such as introspection.
  private(set) var questions = Cancellation()

  /// A request that waits for a token.
  struct Waiter {
    /// The request. Its end removes the waiter.
    let ticket: Ticket
    let need: TokenNeed
    /// Scope, resource and audience of the token; nil for the account's own token.
    let target: TokenTarget?
    /// Time until which the request waits for an unreachable server; nil if it does not wait.
    var waitsUntil: Instant?
    /// Whether a resource or the server has rejected the cached token.
    let isAfterRefusal: Bool
    /// Whether the request waits only until the cached token was held against the vault.
    var awaitsValidation = false
    /// Called once with the account and the token or the error.
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
    session.policy = configuration.renewal
  }

  /// The account's own token and those with other targets, its own first.
  var all: [LiveAccount] { [self] + others }

  /// Returns the slot for this target. Creates it if it does not exist.
  func with(_ target: TokenTarget?) -> LiveAccount {
    guard let target, target != self.target else { return self }
    if let index = others.firstIndex(where: { $0.target == target }) {
      others.append(others.remove(at: index))
    } else {
      let isFull = others.count >= Self.mostOthers
      if isFull, let idle = others.firstIndex(where: \.isIdle) {
        others.remove(at: idle)
      }
      others.append(LiveAccount(name: name, configuration: configuration, target: target))
    }
    return others[others.count - 1]
  }

  /// Drops the tokens with other targets, because the session they were issued from has ended.
  ///
  /// - Returns: The waiters of the dropped tokens.
  func dropOthers() -> [Waiter] {
    let waiters = others.flatMap(\.waiters)
    for other in others { other.cancelRefresh() }
    others = []
    roles = RoleCache()
    return waiters
  }

  /// Applies the vault's data to the session. A locked record changes nothing.
  func learn(_ summary: AccountSummary) {
    if summary.problem?.isLocked == true { return }
    session.learn(isGranted: summary.isGranted, isExpired: summary.isExpired, refreshedAt: summary.refreshedAt)
  }

  /// Cancels the server requests about the session, because they hold its secrets.
  func cancelQuestions() {
    questions.cancel()
    questions = Cancellation()
  }

  func newRefreshCancellation() -> Cancellation {
    let cancellation = Cancellation()
    refreshCancellation = cancellation
    return cancellation
  }

  /// Cancels the refresh in flight, unless its refresh token was sent: the answer may contain the only valid one.
  func cancelRefresh() {
    refreshCancellation?.cancelUnlessSpending()
    refreshCancellation = nil
  }

  /// Drops the tokens of the least recently used targets while the account has more than its share of memory.
  func keepToShare() {
    var bytes = all.reduce(0) { $0 + ($1.session.grant?.accessToken.count ?? 0) }
    for other in others.dropLast() where bytes > Self.mostBytes && other.isIdle {
      bytes -= other.session.grant?.accessToken.count ?? 0
      others.removeAll { $0 === other }
    }
  }

  /// Whether no request waits here, and none is on its way to the server.
  private var isIdle: Bool { waiters.isEmpty && session.refresh == nil }

  /// Adds what the variables of the settings need, if they are requested.
  func completed(_ extras: TokenRequest.Extras) -> TokenRequest.Extras {
    guard extras.variables else { return extras }
    var extras = extras
    let fields = configuration.settings.variables.map { $0.drop { $0 != "=" }.dropFirst() }
    extras.idToken = extras.idToken || fields.contains("id_token")
    extras.claims = extras.claims || fields.contains { $0.hasPrefix("claim:") }
    return extras
  }

  /// The answer line to a request for a token.
  ///
  /// - Parameter extras: From ``completed(_:)``.
  /// - Parameter isIDTokenExpired: The ID Token is left out, if it is requested.
  func line(
    for grant: AccessGrant, _ extras: TokenRequest.Extras, isIDTokenExpired: Bool = false
  ) throws(Failure) -> SharedSecret {
    var (description, extras) = (describe(grant), extras)
    if extras.variables { description.variables = configuration.settings.variables }
    description.isIDTokenExpired = extras.idToken && isIDTokenExpired
    extras.idToken = extras.idToken && !isIDTokenExpired
    return try TokenLine(description, grant, extras).line
  }

  func describe(_ grant: AccessGrant) -> TokenDescription {
    TokenDescription(
      account: name.text, issuer: configuration.issuer, subject: grant.subject, tokenType: grant.tokenType,
      scope: grant.scope, expiresAt: grant.expiresAtUnixSeconds, isOffline: session.isOffline,
      signInBy: published.signInBy)
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
  /// Returns the token, or throws the error as a failure of the wire protocol.
  func get(of account: LiveAccount) throws(Wire.Failure) -> AccessGrant {
    switch self {
    case .success(let grant): return grant
    case .failure(.expired)
    where account.session.holdsLast(at: .now) && account.session.grant?.isAlive(at: .now) == true:
      throw Wire.Failure(
        .sessionExpired, "\(account.name.text) has no refresh token, so only a sign-in gets a new token",
        hint: .command("agent login \(account.name.text)"))
    case .failure(let error): throw Wire.Failure(error, account: account.name.text)
    }
  }
}
