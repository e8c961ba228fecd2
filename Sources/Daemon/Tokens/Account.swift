internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions

/// An account in memory, with a slot for its own token and one for each other target.
final class Account {
  private static let maximumOtherSlots = 32
  /// The limit for cached access tokens.
  static let maximumBytes = 1 << 20

  let shared: SharedAccountState
  /// The slot of the account's own token.
  let ownSlot: TokenSlot
  /// Slots of other targets, least recently used first.
  private(set) var otherSlots: [TokenSlot] = []

  /// The settings file's revision with this configuration. Nil after a change in memory.
  var settingsRevision: UInt64?

  var roles = RoleCache()

  /// Cancels requests about the session, such as introspection.
  private(set) var questionCancellation = Cancellation()

  init(name: AccountName, configuration: AccountConfiguration) {
    shared = SharedAccountState(name, configuration)
    ownSlot = TokenSlot(shared)
  }

  var name: AccountName { shared.name }

  var configuration: AccountConfiguration {
    get { shared.configuration }
    set {
      shared.configuration = newValue
      settingsRevision = nil
      for slot in slots { slot.session.policy = newValue.renewal }
    }
  }

  /// ``ownSlot`` first.
  var slots: [TokenSlot] { [ownSlot] + otherSlots }

  func liveGrants(at now: Instant) -> [AccessGrant] {
    slots.compactMap(\.session.grant).filter { $0.isAlive(at: now) }
  }

  func existingSlot(_ target: TokenTarget?) -> TokenSlot? {
    target == nil ? ownSlot : otherSlots.first { $0.target == target }
  }

  /// Creates the slot if needed.
  func slot(for target: TokenTarget?) -> TokenSlot {
    guard let target else { return ownSlot }
    if let index = otherSlots.firstIndex(where: { $0.target == target }) {
      otherSlots.append(otherSlots.remove(at: index))
    } else {
      if otherSlots.count >= Self.maximumOtherSlots, let idle = otherSlots.firstIndex(where: \.isIdle) {
        otherSlots.remove(at: idle)
      }
      otherSlots.append(TokenSlot(shared, target))
    }
    return otherSlots[otherSlots.count - 1]
  }

  /// Removes and returns an ended session's waiters. Abandons all runs, and drops cached roles and all slots but
  /// ``ownSlot``.
  func takeWaiters() -> [Waiter] {
    let waiters = slots.flatMap(\.waiters)
    ownSlot.waiters = []
    for slot in slots { slot.abandonRun() }
    otherSlots = []
    roles = RoleCache()
    return waiters
  }

  func rename(to name: AccountName) {
    shared.name = name
    settingsRevision = nil
    for slot in slots { slot.abandonRun() }
  }

  /// Applies the vault record to the session, unless the vault is locked or unreadable.
  func applySummary(_ summary: AccountSummary) {
    if case .vault = summary.problem { return }
    if summary.isSignedIn { shared.isGuest = summary.unattended == .clientCredentials }
    ownSlot.session.applyRecord(
      isGranted: summary.isSignedIn, ending: summary.endReason, refreshedAt: summary.refreshedAt)
  }

  /// Cancels requests about the session, which contain its secrets.
  func cancelQuestions() {
    questionCancellation.cancel()
    questionCancellation = Cancellation()
  }

  /// Drops the least recently used tokens beyond ``maximumBytes``.
  func enforceMemoryLimit() {
    var bytes = slots.reduce(0) { $0 + ($1.session.grant?.accessToken.count ?? 0) }
    for other in otherSlots.dropLast() where bytes > Self.maximumBytes && other.isIdle {
      bytes -= other.session.grant?.accessToken.count ?? 0
      otherSlots.removeAll { $0 === other }
    }
  }
}

/// An account's data, shared by all slots.
final class SharedAccountState {
  fileprivate(set) var name: AccountName
  fileprivate(set) var configuration: AccountConfiguration
  /// The published state of the account's own token.
  var published = PublishedState()
  /// Whether the latest known session is a guest's: the client signed in as itself, which `agent login` cannot repeat.
  var isGuest = false

  /// The command that signs in again.
  var signIn: SignInCommand { SignInCommand(name.text, isGuest ? [SignInCommand.workload] : []) }

  fileprivate init(_ name: AccountName, _ configuration: AccountConfiguration) {
    self.name = name
    self.configuration = configuration
  }
}
