internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Keeps tokens in files, for programs that run longer than a token lives. A file gets a new token before the old one
/// expires, whatever the account's refresh policy is.
final class TokenFiles: AccountPart {
  private var tokenFiles: [Ticket: TokenFile] = [:]
  private var tokenFileStore: TokenFileStore?

  /// An ID Token with less time left is renewed before a file gets it.
  private static let shortestIDTokenSeconds = 60

  override init(_ context: DaemonContext, _ broker: TokenBroker) {
    super.init(context, broker)
    broker.onAdopted = { [unowned self] name in renew(of: name) }
    broker.onNetworkChanged = { [unowned self] spread in retry(within: spread) }
  }

  func tokenFile(_ request: TokenFileRequest, _ ticket: Ticket) throws(Failure) {
    let account = try broker.resolve(request.account)
    guard tokenFiles.count < TokenFile.most else {
      throw Failure(.tooBusy, "there are \(TokenFile.most) token files already", hint: "end a command that uses one")
    }
    let (name, lock) = try claim(request.name)
    let file = TokenFile(ticket: ticket, account: account.name, name: name, lock: lock, kind: request.kind)
    tokenFiles[ticket] = file
    requestToken(for: file, account)
  }

  private func claim(_ name: String?) throws(Failure) -> (name: String, lock: TokenFileLock) {
    do {
      let store = try openTokenFileStore()
      store.removeOrphans()
      return try store.claim(name)
    } catch let error as SystemError {
      if error.isAgain { throw Failure(.tooBusy, "another daemon writes that token file", hint: "try again") }
      throw Failure(.storage, Phrase("a token file could not be made: \(Phrase(stringLiteral: error.message))"))
    } catch let error as DirectoryError {
      throw Failure(.storage, Phrase("a token file could not be made: \(Phrase(error))"))
    } catch {
      throw Failure(.internalError, "a token file could not be made")
    }
  }

  private func openTokenFileStore() throws -> TokenFileStore {
    if let tokenFileStore { return tokenFileStore }
    let store = try TokenFileStore(runtimeDirectory)
    tokenFileStore = store
    return store
  }

  /// The directory of the socket; nil for a private daemon, which has none.
  private var runtimeDirectory: String? {
    context.facts.socketPath.flatMap { path in
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
    }
  }

  /// Removes the files of daemons that ended without doing so.
  func removeOrphans() {
    if runtimeDirectory != nil { _ = try? openTokenFileStore() }
    // A private daemon keeps its files in one of these, wherever another daemon's socket is.
    for path in UserDirectories.runtimeCandidates() { _ = try? TokenFileStore(existing: path) }
    // After a restart of the machine no daemon uses the earlier directories again, so their files are removed now.
    for path in UserDirectories.pastRuntimeDirectories() { _ = try? TokenFileStore(existing: path) }
  }

  // MARK: Getting tokens

  /// Requests a token for a file: a new one if the file already contains the cached one.
  private func requestToken(for file: TokenFile, _ account: LiveAccount) {
    guard !file.isWaiting else { return }
    file.isWaiting = true
    let need = TokenNeed(newerThan: file.passedOver ?? file.written)
    let waiter = LiveAccount.Waiter(ticket: file.ticket, need: need) { [self] slot, outcome in
      switch outcome {
      case .success(let grant): place(grant, in: file, slot)
      case .failure(let error): failed(file, Failure(error, account: slot.name.text))
      }
    }
    broker.obtainOrFail(for: waiter, account)
  }

  private func requestToken(for file: TokenFile) {
    do {
      requestToken(for: file, try broker.resolve(file.account.text))
    } catch {
      failed(file, error)
    }
  }

  /// Writes a token to its file.
  func place(_ grant: AccessGrant, in file: TokenFile, _ account: LiveAccount) {
    file.isWaiting = false
    guard tokenFiles[file.ticket] === file, let store = tokenFileStore else { return }
    file.hasFailed = false
    let content: Content
    do throws(Failure) {
      guard let found = try self.content(grant, for: file, account) else { return requestToken(for: file) }
      content = found
    } catch {
      return failed(file, error)
    }
    defer { scheduleRenewal(of: file, content) }
    guard file.written != account.session.generation else { return }
    do throws(Failure) {
      let token: SharedSecret
      do { token = try content.token.open() } catch { throw Failure(.memory, account: file.account.text) }
      do { try store.write(token, to: file.name) } catch {
        throw Failure(.storage, Phrase("the token file could not be written: \(Phrase(stringLiteral: error.message))"))
      }
    } catch {
      log.note(.tokenFile(.failed), file.account)
      end(file)
      return loop.send(.failure(error), to: file.ticket)
    }
    (file.written, file.passedOver, file.hasBegun) = (account.session.generation, nil, true)
    log.note(.tokenFile(.written), file.account)
    notifyClient(of: file, expiresAt: content.expiresAtUnixSeconds)
  }

  /// A token for a file, and when it ends.
  private struct Content {
    let token: SealedSecret
    /// Nil when the server named no lifetime.
    let expiresAt: Instant?
    let lifetimeSeconds: Int?
    let expiresAtUnixSeconds: Int?
  }

  /// The token of a grant that a file holds; nil if a refresh is to bring an ID Token that has more time left.
  private func content(
    _ grant: AccessGrant, for file: TokenFile, _ account: LiveAccount
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
    if seconds.left < Self.shortestIDTokenSeconds {
      guard seconds.atIssue >= Self.shortestIDTokenSeconds else { throw Failure.spentIDToken(of: file.account) }
      file.passedOver = account.session.generation
      return nil
    }
    return Content(
      token: token, expiresAt: now.advanced(by: .seconds(seconds.left)), lifetimeSeconds: seconds.atIssue,
      expiresAtUnixSeconds: expiry)
  }

  private func scheduleRenewal(of file: TokenFile, _ content: Content) {
    guard let expiry = content.expiresAt, let lifetime = content.lifetimeSeconds else { return file.renewal = nil }
    let now = services.time.now()
    schedule(
      file, at: RefreshPolicy.fileRenewal(of: expiry, lifetimeSeconds: lifetime, now: now, jitter: jitter()))
  }

  private func schedule(_ file: TokenFile, at due: Instant) {
    guard file.renewal != due else { return }
    file.renewal = due
    schedule(at: due) { [self] in tokenFileDue(file.ticket) }
  }

  private func tokenFileDue(_ ticket: Ticket) {
    guard let file = tokenFiles[ticket], let due = file.renewal, due <= services.time.now() else { return }
    file.renewal = nil
    requestToken(for: file)
  }

  /// Handles a failed token request for a file.
  func failed(_ file: TokenFile, _ failure: Failure) {
    file.isWaiting = false
    guard tokenFiles[file.ticket] === file else { return }
    guard file.hasBegun else {
      end(file)
      return loop.send(.failure(failure), to: file.ticket)
    }
    switch failure.code.exitStatus {
    // A sign-in or an unlock writes the file again.
    case .signInNeeded, .locked: remove(file, failure.code)
    case _ where failure.code == .missingValue: remove(file, failure.code)
    default:
      file.hasFailed = true
      let end = broker.accounts[file.account]?.session.grant?.expiresAt
      schedule(file, at: RefreshPolicy.fileRetry(tokenEnd: end, now: services.time.now(), jitter: jitter()))
    }
  }

  /// Retries failed token requests after a network change, spread over this time.
  ///
  /// - Returns: Whether any file needs a retry.
  func retry(within spread: Duration) -> Bool {
    var isWanted = false
    for file in tokenFiles.values where file.hasFailed {
      guard let due = file.renewal, let error = broker.accounts[file.account]?.session.lastFailure,
        error.isWorthWaiting,
        !error.reachedServer
      else { continue }
      isWanted = true
      schedule(file, at: min(due, loop.now.advanced(by: spread * jitter())))
    }
    return isWanted
  }

  // MARK: What happens to the session

  /// Updates the files after an event of a session or an account.
  func adapt(to entry: SessionEntry) {
    let own = tokenFiles.values.filter { file in
      entry.account.map { $0.utf8.elementsEqual(file.account.text.utf8) } ?? true
    }
    switch entry.event {
    case .signedIn, .refreshed:
      for file in own {
        guard let account = broker.accounts[file.account], let grant = account.session.grant else { continue }
        place(grant, in: file, account)
      }
    case .signedOut: for file in own { remove(file, .signedOut) }
    case .locked: for file in own where broker.accounts[file.account]?.session.grant == nil { remove(file, .locked) }
    case .unlocked: for file in own where file.hasBegun && file.written == nil { requestToken(for: file) }
    case .accountRenamed(let old):
      guard let name = entry.account.flatMap({ try? AccountName($0) }) else { return }
      for file in tokenFiles.values where file.account.text.utf8.elementsEqual(old.utf8) { file.account = name }
    default: break
    }
  }

  /// Requests new tokens for the files of an account whose token was forgotten.
  func renew(of account: AccountName) {
    for file in tokenFiles.values where file.account == account && file.hasBegun { requestToken(for: file) }
  }

  /// Removes the files of an account at sign-out.
  func remove(of account: AccountName) {
    for file in tokenFiles.values where file.account == account { remove(file, .signedOut) }
  }

  private func remove(_ file: TokenFile, _ code: FailureCode) {
    file.renewal = nil
    guard file.written != nil else { return }
    file.written = nil
    tokenFileStore?.remove(file.name)
    log.note(.tokenFile(.removed), file.account)
    notifyClient(of: file, removal: code)
  }

  private func notifyClient(of file: TokenFile, removal: FailureCode? = nil, expiresAt: Int? = nil) {
    guard let path = tokenFileStore?.path(of: file.name) else { return }
    let event = Event.TokenFile(account: file.account.text, path: path, removal: removal, expiresAt: expiresAt)
    loop.send(.event(.tokenFile(event)), to: file.ticket)
  }

  // MARK: The end

  /// Ends the upkeep of a file and removes it.
  func end(_ file: TokenFile) {
    tokenFiles[file.ticket] = nil
    for account in broker.accounts.values { account.waiters.removeAll { $0.ticket == file.ticket } }
    tokenFileStore?.release(file.name, file.lock)
  }

  func stop() {
    for file in tokenFiles.values {
      end(file)
      loop.send(.failure(.stopping), to: file.ticket)
    }
  }

  /// Ends the file of a request whose sender disconnected.
  func abandon(_ ticket: Ticket) {
    if let file = tokenFiles[ticket] { end(file) }
  }
}
