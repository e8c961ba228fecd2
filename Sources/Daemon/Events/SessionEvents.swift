internal import Sessions
internal import Wire

/// Publishes events to `agent events`, token files and event commands.
final class SessionEvents: AccountPart {
  let commands: EventCommands
  private let tokenFiles: TokenFiles
  private let leases: Leases
  private let lock: VaultLock
  private let mark: ChangeMark
  /// Whether a worker is writing the mark, and must write it again.
  private var isWritingMark = false, isMarkDue = false
  /// Replies to send after the mark is written.
  private var delayedReplies: [(reply: Reply, ticket: Ticket)] = []
  private var followers = Followers()
  private var publishedAccounts: PublishedAccounts?

  init(
    _ context: DaemonContext, _ broker: TokenBroker, _ commands: EventCommands, _ tokenFiles: TokenFiles,
    _ leases: Leases, _ lock: VaultLock
  ) {
    self.commands = commands
    self.tokenFiles = tokenFiles
    self.leases = leases
    self.lock = lock
    mark = ChangeMark(socketPath: context.status.socketPath)
    super.init(context, broker)
    updateMark()
  }

  func handle(_ request: EventsRequest, _ ticket: Ticket) throws(Failure) {
    let account = try broker.requestedName(request.account)
    guard request.follows else {
      return loop.send(.result(request.forLeases ? leases.eventsJSON : log.sessionJSON(of: account)), to: ticket)
    }
    guard followers.add(ticket, request.forLeases ? .leases : .sessions(of: account)) else {
      throw Failure(.tooBusy, "\(Followers.maximumCount) commands already follow the events", hint: "end one of them")
    }
    loop.send(.event(.following), to: ticket)
  }

  func publish(_ entry: SessionEntry) {
    if entry.event.changesTokens { updateMark() }
    tokenFiles.applyEvent(entry)
    leases.applyEvent(entry)
    for ticket in followers.tickets(for: entry) { loop.send(.event(.session(entry)), to: ticket) }
    commands.run(for: entry)
  }

  func publish(_ entry: LeaseEntry) {
    for ticket in followers.ticketsForLeases { loop.send(.event(.leaseEntry(entry)), to: ticket) }
  }

  /// Writes the change mark, which updates shell prompts.
  private func updateMark() {
    isMarkDue = true
    writeMark()
  }

  private func writeMark() {
    guard isMarkDue, !isWritingMark else { return }
    (isMarkDue, isWritingMark) = (false, true)
    jobs.run({ [mark] in mark.change() }) { [self] _ in
      isWritingMark = false
      writeMark()
      guard !isWritingMark else { return }
      let replies = delayedReplies
      delayedReplies = []
      for (reply, ticket) in replies { loop.send(reply, to: ticket) }
    }
  }

  /// Delays a reply while the change mark, which the next prompt reads, is being written. Returns false if the caller
  /// must send it.
  func postpone(_ reply: Reply, of ticket: Ticket) -> Bool {
    if isWritingMark { delayedReplies.append((reply, ticket)) }
    return isWritingMark
  }

  /// Ends all event streams.
  func stop() {
    for ticket in followers.removeAll() { loop.send(.failure(stopFailure), to: ticket) }
  }

  // MARK: Accounts

  struct PublishedAccounts {
    /// The settings file's revision.
    var revision: UInt64
    var names: [AccountName]
    var active: AccountName?
    var directories: AccountDirectories
  }

  /// Publishes changes since the last call. The active account may be ephemeral.
  func publishAccounts(_ settings: Settings, _ active: AccountName?) {
    guard publishedAccounts?.revision != settingsFile.revision || publishedAccounts?.active != active,
      broker.renames.isEmpty  // A rename must not appear as a removal and an addition.
    else { return }
    let before = publishedAccounts
    let names = settings.accounts.map(\.name)
    publishedAccounts = PublishedAccounts(
      revision: settingsFile.revision, names: names, active: active, directories: settings.directories)
    lock.applyIdleTime(settings)
    guard let before else { return }
    let (old, new) = (Set(before.names), Set(names))
    for name in before.names where !new.contains(name) {
      broker.removeDeletedAccount(name)
      log.publish(.accountRemoved, name)
    }
    for name in names where !old.contains(name) { log.publish(.accountAdded, name) }
    // Prompts show their directory's account.
    if before.directories != settings.directories { updateMark() }
    if before.active != active { log.publish(.activeChanged, active) }
  }

  /// A rename would otherwise appear as removal and addition.
  func publishRename(_ old: AccountName, to new: AccountName) {
    followers.rename(old, to: new)
    publishedAccounts?.names.removeAll { $0 == old }
    publishedAccounts?.names.append(new)
    log.publish(.accountRenamed(from: old.text), new)
    announceSettings()
  }

  /// Ends a request whose sender disconnected.
  func abandon(_ ticket: Ticket) { followers.remove(ticket) }
}
