internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Keeps tokens in files and renews them before expiry.
final class TokenFiles: AccountPart {
  private var tokenFiles: [Ticket: TokenFile] = [:]
  /// The runtime directory's store. Nil until used.
  private var tokenFileStore: TokenFileStore?
  private var ticketsClaimingNames: Set<Ticket> = []
  private lazy var work = JobQueue(jobs)
  /// False until the daemon has started.
  private var mayKeepStandingFiles = false
  private var standing: [StandingEntry] = []
  /// The serial of the latest standing file's ticket.
  private var lastStanding: UInt64 = 0
  /// The settings file's revision when ``standing`` was read.
  private var standingRevision: UInt64?
  /// Run once an account's standing files are written or have failed, or at `until`.
  private var actionsAwaitingFiles: [(account: AccountName, until: Instant, action: () -> Void)] = []

  func handle(_ request: TokenFileRequest, _ ticket: Ticket) throws(Failure) {
    let account = try broker.resolve(request.account).name
    let tickets = Array(tokenFiles.keys) + ticketsClaimingNames
    guard tickets.count(where: { !$0.isInternal }) < TokenFile.maximumCount else {
      throw Failure(
        .tooBusy, "there are already \(TokenFile.maximumCount) token files", hint: "end a command that uses one")
    }
    ticketsClaimingNames.insert(ticket)
    work.run({ [store = tokenFileStore, directory = runtimeDirectory] () throws(Failure) in
      try Self.convertErrors {
        let store = try store ?? TokenFileStore(directory)
        store.removeOrphans()
        let (name, lock) = try store.claim(request.name)
        return ClaimedName(store: store, name: name, lock: lock)
      }
    }) { [self] outcome in
      if case .success(let claim) = outcome { tokenFileStore = claim.store }
      handleClaim(outcome, request.kind, account, ticket)
    }
  }

  private struct ClaimedName: Sendable {
    let store: TokenFileStore
    let name: String
    let lock: TokenFileLock
  }

  private static func convertErrors(_ claim: () throws -> ClaimedName) throws(Failure) -> ClaimedName {
    do { return try claim() } catch let error as SystemError {
      if error.wouldBlock { throw Failure(.tooBusy, "another daemon is writing that token file", hint: "try again") }
      throw Failure(.storage, Phrase("cannot create a token file: \(Phrase(stringLiteral: error.message))"))
    } catch let error as DirectoryError {
      throw Failure(
        .storage, "cannot create a token file: \(Phrase(error))", hint: error.remedy.map { Phrase(verbatim: $0) })
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure(.internalError, "cannot create a token file")
    }
  }

  private func handleClaim(
    _ outcome: Result<ClaimedName, Failure>, _ kind: TokenKind, _ account: AccountName, _ ticket: Ticket
  ) {
    let isWanted = ticketsClaimingNames.remove(ticket) != nil
    let account = standing.first { $0.ticket == ticket }?.account ?? account
    defer { runReadyActions() }
    switch outcome {
    case .failure(let failure):
      if isWanted { loop.send(.failure(failure), to: ticket) }
      if isWanted, ticket.isInternal { log.note(.tokenFile(.failed), account) }
    case .success(let claim):
      guard isWanted else { return release(claim.store, claim.name, claim.lock) }
      let file = TokenFile(
        ticket: ticket, account: account, store: claim.store, name: claim.name, lock: claim.lock, kind: kind,
        isStanding: ticket.isInternal)
      tokenFiles[ticket] = file
      requestToken(for: file)
    }
  }

  private func release(
    _ store: TokenFileStore, _ name: String, _ lock: TokenFileLock, then: @escaping () -> Void = {}
  ) {
    work.run({ store.release(name, lock) }) { _ in then() }
  }

  /// The socket's directory. Nil for a private daemon.
  private var runtimeDirectory: String? {
    context.status.socketPath.flatMap { path in
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
    }
  }

  /// Removes earlier daemons' files on a worker.
  func removeOrphans() {
    work.run({ [directory = runtimeDirectory] in
      let store = directory.flatMap { try? TokenFileStore($0) }
      // A private daemon keeps its files in one of these.
      for path in UserDirectories.runtimeCandidates() { _ = try? TokenFileStore(existing: path) }
      for path in UserDirectories.pastRuntimeDirectories() { _ = try? TokenFileStore(existing: path) }
      return store
    }) { [self] store in tokenFileStore = tokenFileStore ?? store.get() }
  }

  // MARK: Tokens

  /// `isNew` requires a token newer than that in the file.
  private func requestToken(for file: TokenFile, _ account: Account, isNew: Bool) {
    guard !file.awaitsToken else { return }
    file.awaitsToken = true
    let need = TokenNeed(
      newerThan: isNew ? file.skippedGeneration ?? file.writingGeneration ?? file.writtenGeneration : nil)
    let waiter = Waiter(ticket: file.ticket, need: need) { [self] slot, outcome in
      switch outcome {
      case .success(let grant): store(grant, in: file, slot)
      case .failure(let error): handleTokenFailure(file, Failure(error, of: slot.shared))
      }
    }
    broker.obtain(for: waiter, account)
  }

  private func requestToken(for file: TokenFile, isNew: Bool = true) {
    do {
      requestToken(for: file, try broker.resolve(file.account.text), isNew: isNew)
    } catch {
      handleTokenFailure(file, error)
    }
  }

  /// Writes a token unless already written, and schedules its renewal.
  func store(_ grant: AccessGrant, in file: TokenFile, _ slot: TokenSlot) {
    file.awaitsToken = false
    defer { runReadyActions() }
    guard tokenFiles[file.ticket] === file else { return }
    file.hasFailed = false
    let content: Content
    do throws(Failure) {
      guard let found = try self.content(grant, for: file, slot) else { return requestToken(for: file) }
      content = found
    } catch {
      return handleTokenFailure(file, error)
    }
    defer { scheduleRenewal(of: file, content) }
    let generation = slot.session.generation
    guard file.writtenGeneration != generation, file.writingGeneration != generation else { return }
    let token: SharedSecret
    do { token = try content.token.open() } catch {
      return handleWriteFailure(file, Failure(.memory, account: file.account.text))
    }
    file.writingGeneration = generation
    work.run({ [store = file.store, name = file.name, lock = file.lock] () throws(SystemError) in
      try store.write(token, to: name, lock)
    }) {
      [self] outcome in
      handleWriteResult(file, outcome, generation, expiresAt: content.expiresAtUnixSeconds)
    }
  }

  private func handleWriteResult(
    _ file: TokenFile, _ outcome: Result<Void, SystemError>, _ generation: UInt64, expiresAt: Int?
  ) {
    defer { runReadyActions() }
    guard tokenFiles[file.ticket] === file, file.writingGeneration == generation else { return }
    file.writingGeneration = nil
    if case .failure(let error) = outcome {
      let problem = Phrase("cannot write the token file: \(Phrase(stringLiteral: error.message))")
      return handleWriteFailure(file, Failure(.storage, problem))
    }
    (file.writtenGeneration, file.skippedGeneration, file.survivesFailure) = (generation, nil, true)
    log.note(.tokenFile(.written), file.account)
    notifyClient(of: file, expiresAt: expiresAt)
  }

  private func handleWriteFailure(_ file: TokenFile, _ failure: Failure) {
    log.note(.tokenFile(.failed), file.account)
    stopKeeping(file)
    loop.send(.failure(failure), to: file.ticket)
  }

  private struct Content {
    let token: SealedSecret
    /// Nil if the server reported no lifetime.
    let expiresAt: Instant?
    let lifetimeSeconds: Int?
    let expiresAtUnixSeconds: Int?
  }

  /// The token to write. Nil if an ID Token must be renewed first.
  private func content(
    _ grant: AccessGrant, for file: TokenFile, _ slot: TokenSlot
  ) throws(Failure) -> Content? {
    guard file.kind == .idToken else {
      return Content(
        token: grant.accessToken, expiresAt: grant.expiresAt, lifetimeSeconds: grant.lifetimeSeconds,
        expiresAtUnixSeconds: grant.expiresAtUnixSeconds)
    }
    guard let token = grant.idToken, let expiry = grant.idTokenExpiry else {
      throw Failure.missingIDToken(of: file.account.text)
    }
    let now = services.time.now()
    let seconds = grant.idTokenSeconds(until: expiry, wallSeconds: services.time.wallSeconds(), now: now)
    let use = grant.idTokenUse(
      minimum: AccessGrant.shortestIDTokenSeconds, wallSeconds: services.time.wallSeconds(), now: now)
    if use != .sufficient {
      guard use == .refreshNeeded, slot.session.isRenewable else {
        throw Failure.expiringIDToken(of: file.account.text)
      }
      file.skippedGeneration = slot.session.generation
      return nil
    }
    return Content(
      token: token, expiresAt: now.advanced(by: .seconds(seconds.left)), lifetimeSeconds: seconds.atIssue,
      expiresAtUnixSeconds: expiry)
  }

  private func scheduleRenewal(of file: TokenFile, _ content: Content) {
    guard let expiry = content.expiresAt, let lifetime = content.lifetimeSeconds else { return file.renewalDue = nil }
    let now = services.time.now()
    schedule(
      file, at: RefreshPolicy.fileRenewal(of: expiry, lifetimeSeconds: lifetime, now: now, jitter: jitter()))
  }

  private func schedule(_ file: TokenFile, at due: Instant) {
    guard file.renewalDue != due else { return }
    file.renewalDue = due
    schedule(at: due) { [self] in requestTokenIfDue(file.ticket) }
  }

  private func requestTokenIfDue(_ ticket: Ticket) {
    guard let file = tokenFiles[ticket], let due = file.renewalDue, due <= services.time.now() else { return }
    file.renewalDue = nil
    requestToken(for: file)
  }

  func handleTokenFailure(_ file: TokenFile, _ failure: Failure) {
    file.awaitsToken = false
    defer { runReadyActions() }
    guard tokenFiles[file.ticket] === file else { return }
    guard file.survivesFailure else {
      stopKeeping(file)
      return loop.send(.failure(failure), to: file.ticket)
    }
    switch failure.code.exitStatus {
    case .signInNeeded, .locked: remove(file, failure.code)
    case _ where failure.code == .missingValue: remove(file, failure.code)
    default:
      file.hasFailed = true
      let end = broker.accounts[file.account]?.ownSlot.session.grant?.expiresAt
      schedule(file, at: RefreshPolicy.fileRetry(tokenEnd: end, now: services.time.now(), jitter: jitter()))
    }
  }

  /// Retries failed requests at random times within `spread`. Returns whether a file needs a retry.
  func retry(within spread: Duration) -> Bool {
    var isWanted = false
    for file in tokenFiles.values where file.hasFailed {
      guard let due = file.renewalDue, let error = broker.accounts[file.account]?.ownSlot.session.lastFailure,
        error.isSafeToRetry,
        !error.reachedServer
      else { continue }
      isWanted = true
      schedule(file, at: min(due, loop.now.advanced(by: spread * jitter())))
    }
    return isWanted
  }

  // MARK: Events

  func applyEvent(_ entry: SessionEntry) {
    let own = tokenFiles.values.filter { file in
      entry.account.map { $0.hasSameBytes(as: file.account.text) } ?? true
    }
    switch entry.event.name {
    case .signedIn, .refreshed:
      for file in own {
        guard let account = broker.accounts[file.account], let grant = account.ownSlot.session.grant else { continue }
        store(grant, in: file, account.ownSlot)
      }
    case .signedOut: for file in own { remove(file, .signedOut) }
    case .locked:
      for file in own where broker.accounts[file.account]?.ownSlot.session.grant == nil { remove(file, .locked) }
    case .unlocked:
      for file in own where file.survivesFailure && file.writtenGeneration == nil { requestToken(for: file) }
    case .accountRenamed:
      guard let old = entry.event.formerName, let name = entry.account.flatMap({ try? AccountName($0) }) else { return }
      for file in tokenFiles.values where file.account.text.hasSameBytes(as: old) { file.account = name }
      for index in standing.indices where standing[index].account.text.hasSameBytes(as: old) {
        standing[index].account = name
      }
    default: break
    }
  }

  func requestNewTokens(for account: AccountName) {
    for file in tokenFiles.values where file.account == account && file.survivesFailure { requestToken(for: file) }
  }

  func removeFiles(of account: AccountName) {
    for file in tokenFiles.values where file.account == account { remove(file, .signedOut) }
  }

  /// Removes a file, but keeps its name for the next token.
  private func remove(_ file: TokenFile, _ code: FailureCode) {
    file.renewalDue = nil
    guard file.writtenGeneration != nil || file.writingGeneration != nil else { return }
    (file.writtenGeneration, file.writingGeneration) = (nil, nil)
    runReadyActions()
    work.run({ [store = file.store, name = file.name, lock = file.lock] in store.remove(name, lock) }) { [self] _ in
      guard tokenFiles[file.ticket] === file else { return }
      log.note(.tokenFile(.removed), file.account)
      notifyClient(of: file, removal: code)
    }
  }

  /// `removal` is why the file was removed, or nil if written. `expiresAt` is in unix seconds.
  private func notifyClient(of file: TokenFile, removal: FailureCode? = nil, expiresAt: Int? = nil) {
    let event = Event.TokenFile(
      account: file.account.text, path: file.store.path(of: file.name), removal: removal, expiresAt: expiresAt)
    loop.send(.event(.tokenFile(event)), to: file.ticket)
  }

  // MARK: Removal

  /// Stops updating a file and removes it, then calls `then`.
  func stopKeeping(_ file: TokenFile, then: @escaping () -> Void = {}) {
    tokenFiles[file.ticket] = nil
    for slot in broker.slots { slot.waiters.removeAll { $0.ticket == file.ticket } }
    release(file.store, file.name, file.lock, then: then)
  }

  /// Removes all files.
  func stop() {
    (mayKeepStandingFiles, standing) = (false, [])
    let unnamed = ticketsClaimingNames
    ticketsClaimingNames = []
    for ticket in unnamed { loop.send(.failure(stopFailure), to: ticket) }
    for file in tokenFiles.values {
      // Readers are notified once, so the file must be removed by then.
      stopKeeping(file) { [self] in loop.send(.failure(stopFailure), to: file.ticket) }
    }
  }

  /// Removes the file of a request whose sender disconnected.
  func abandon(_ ticket: Ticket) {
    ticketsClaimingNames.remove(ticket)
    if let file = tokenFiles[ticket] { stopKeeping(file) }
  }

  // MARK: - Standing files

  /// A standing file of the settings, with its ``TokenFile``'s ticket.
  fileprivate struct StandingEntry {
    var account: AccountName
    let file: TokenFileSetting
    let ticket: Ticket
  }

  /// A private daemon keeps no standing files.
  func start(isPrivate: Bool) {
    mayKeepStandingFiles = !isPrivate
    announceSettings()
  }

  func updateStandingFiles(from settings: Settings) {
    guard mayKeepStandingFiles, standingRevision != settingsFile.revision else { return }
    standingRevision = settingsFile.revision
    var wanted: [(AccountName, TokenFileSetting)] = []
    for account in settings.accounts {
      for file in account.configuration.tokenFiles.compactMap({ TokenFileSetting($0) })
      where !wanted.contains(where: { $0.1.path.hasSameBytes(as: file.path) }) {
        wanted.append((account.name, file))
      }
    }
    for former in standing where !wanted.contains(where: { $0 == (former.account, former.file) }) {
      ticketsClaimingNames.remove(former.ticket)
      if let file = tokenFiles[former.ticket] { stopKeeping(file) }
    }
    standing.removeAll { former in !wanted.contains { $0 == (former.account, former.file) } }
    for (account, file) in wanted where standing.count < TokenFile.maximumCount {
      guard !standing.contains(where: { ($0.account, $0.file) == (account, file) }) else { continue }
      lastStanding += 1
      let new = StandingEntry(account: account, file: file, ticket: Ticket(connection: 0, serial: lastStanding))
      standing.append(new)
      claimName(of: new)
    }
    runReadyActions()
  }

  var keepsStandingFiles: Bool { !standing.isEmpty }

  /// Retries failed standing files and detects sessions ended by other processes, once a minute.
  func housekeep() {
    for kept in standing {
      if let file = tokenFiles[kept.ticket] {
        if file.writtenGeneration != nil { requestToken(for: file, isNew: false) }
      } else if !ticketsClaimingNames.contains(kept.ticket) {
        claimName(of: kept)
      }
    }
  }

  private func claimName(of file: StandingEntry) {
    ticketsClaimingNames.insert(file.ticket)
    work.run({ [file = file.file, runtime = runtimeDirectory] () throws(Failure) in
      try Self.convertErrors {
        let store = try TokenFileStore(standing: file.directory, runtime: runtime)
        guard let lock = try store.claimStanding(file.name) else {
          throw Failure(.storage, "another program's file is there")
        }
        return ClaimedName(store: store, name: file.name, lock: lock)
      }
    }) { [self] outcome in
      handleClaim(outcome, file.file.kind, file.account, file.ticket)
    }
  }

  /// How long a settings change waits for its files.
  private static let fileTimeout = Duration.seconds(10)

  /// Calls `action` once the standing files are written or have failed, or after ``fileTimeout``.
  func whenFilesAreWritten(_ account: AccountName, _ action: @escaping () -> Void) {
    actionsAwaitingFiles.append((account, loop.now.advanced(by: Self.fileTimeout), action))
    runReadyActions()
    guard !actionsAwaitingFiles.isEmpty else { return }
    schedule(at: loop.now.advanced(by: Self.fileTimeout)) { [self] in runReadyActions() }
  }

  fileprivate func runReadyActions() {
    let unsettled = standing.filter { file in
      ticketsClaimingNames.contains(file.ticket)
        || tokenFiles[file.ticket].map { $0.awaitsToken || $0.writingGeneration != nil } ?? false
    }
    let now = loop.now
    let later = actionsAwaitingFiles.filter { waiting in
      waiting.until > now && unsettled.contains { $0.account == waiting.account }
    }
    let ready = actionsAwaitingFiles.filter { waiting in
      waiting.until <= now || !unsettled.contains { $0.account == waiting.account }
    }
    actionsAwaitingFiles = later
    for waiting in ready { waiting.action() }
  }
}
