package import Encoding
package import OAuth
package import Platform
package import Vault
internal import Crypto
package import Vocabulary

/// The services that the blocking operations of a session use. Shared by all accounts; thread-safe.
package struct SessionServices: Sendable {
  package let vault: Vault
  package private(set) var http: any HTTPClient
  package let time: any TimeSource
  package let documents: DocumentCache
  /// The nonces and clocks of servers for proofs of possession.
  let proofs = DPoPMemory()
  /// Makes a lock of the vault wait for pending writes.
  package let gate = LockGate()
  let unstored = UnstoredRecords()
  /// The accounts that wait for keys of their issuer.
  let awaitedKeys = Monitor<[AccountName: AwaitedKeys]>([:])
  /// The origin of an endpoint, by account, that was not there at sign-in and was reported.
  let movedOrigins = Monitor<[AccountName: String]>([:])
  /// The accounts that are in no file.
  package let ephemeral = EphemeralAccounts()
  /// The account that these services are for is one of them, or becomes one.
  var isEphemeral = false
  /// The observer of the operation's steps.
  private(set) var observer: SessionObserver?

  package init(vault: Vault, http: any HTTPClient, time: any TimeSource, documents: DocumentCache) {
    self.vault = vault
    self.http = http
    self.time = time
    self.documents = documents
  }

  /// The same services for an operation that reports its steps.
  package func observed(by observer: @escaping SessionObserver) -> SessionServices {
    var services = self
    services.observer = observer
    services.http = ObservedHTTPClient.wrapping(http, time: time, observer)
    return services
  }

  /// Runs `body` and gives its vault error the shape of a session error.
  func storing<Result: ~Copyable>(
    _ body: (Vault) throws(VaultError) -> Result
  ) throws(SessionError) -> Result {
    do { return try body(vault) } catch { throw .vault(error) }
  }

  /// The longest wait for a lock: shorter than callers wait by default, so that they get the reason.
  private static let lockWait = Duration.seconds(100)

  /// The same for a sign-in that the user has begun: as long as the user may take.
  static let longestLockWait = Duration.seconds(SignIn.Waiting.Browser.patience)

  /// The wait for a lock of an operation that ends when it is cancelled.
  static func lockWait(_ cancellation: Cancellation? = nil, isLong: Bool = false) -> LockWait {
    LockWait(isLong ? longestLockWait : lockWait) { cancellation?.isCancelled ?? false }
  }

  /// A wait for the account's lock that is worth a word.
  private static let noticedWaitMilliseconds = 20

  /// Runs `body` while no other process or thread may spend the account's tokens.
  func holding<Result>(
    _ account: AccountName, _ cancellation: Cancellation? = nil, _ body: () throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    try holding(account, at: nil, cancellation: cancellation) { (_) throws(SessionError) in try body() }
  }

  /// The same, and tells `body` which level the account's record is at; the vault is not locked before it ends.
  ///
  /// - Parameters:
  ///   - wanted: The level that `body` moves the record to.
  ///   - mustWrite: `body` has data that cannot be fetched again, so it may start as long as there are keys.
  ///   - cancellation: Ends the wait for the account. A lock of the vault cancels it unless it is spending something.
  /// - Throws: a vault error `locked` while the level is being locked.
  func holding<Result>(
    _ account: AccountName, at wanted: Protection?, mustWrite: Bool = false, cancellation: Cancellation? = nil,
    _ body: (Protection) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    // No other process knows the account.
    if isEphemeral(account) {
      if let cancellation, cancellation.isCancelled { throw .cancelled }
      return try body(.device)
    }
    let begin = time.now()
    let lock: AccountLock
    do throws(VaultError) {
      lock = try vault.lockAccount(account, Self.lockWait(cancellation, isLong: mustWrite))
    } catch {
      throw cancellation?.isCancelled == true ? .cancelled : .vault(error)
    }
    if !mustWrite, let cancellation, cancellation.isCancelled { throw .cancelled }
    let waited = begin.duration(to: time.now()).wholeMilliseconds
    if waited >= Self.noticedWaitMilliseconds { observer?(.step(.waitedForAccount(milliseconds: waited))) }
    let result = try keepingUnlocked(level(of: account, or: wanted), mustWrite: mustWrite, cancellation, body)
    lock.release()
    return result
  }

  /// Runs `body`, before whose end the level is not locked.
  ///
  /// - Throws: a vault error `locked` while the level is being locked.
  func keepingUnlocked<Result>(
    _ level: Protection, mustWrite: Bool = false, _ cancellation: Cancellation? = nil,
    _ body: (Protection) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    guard gate.enter(level, mustWrite: mustWrite, cancellation) else { throw .vault(VaultError(.locked(level))) }
    defer { gate.leave(level, cancellation) }
    do {
      return try body(level)
    } catch {
      if error.isCancellation, gate.isClosed(level) { throw .vault(VaultError(.locked(level))) }
      throw error
    }
  }

  /// The account's record, nil when there is none.
  package func record(of account: AccountName) throws(SessionError) -> AccountRecord? {
    try storedRecord(of: account)?.record
  }

  /// The record of an account's session.
  ///
  /// - Throws: `signedOut` when there is none.
  func sessionRecord(of account: AccountName) throws(SessionError) -> StoredRecord {
    guard let stored = try storedRecord(of: account), !stored.record.isSignedOut else {
      throw .signedOut(account: account.text)
    }
    return stored
  }

  /// The vault as it is now, for many records; nil when there is none.
  package func snapshot() throws(SessionError) -> VaultSnapshot? {
    try storing { (vault) throws(VaultError) in try vault.snapshot() }
  }

  /// The account's record in a copy of the vault, nil when there is none.
  package func record(of account: AccountName, in snapshot: VaultSnapshot) throws(SessionError) -> AccountRecord? {
    try storedRecord(of: account, in: snapshot)?.record
  }

  func storedRecord(of account: AccountName) throws(SessionError) -> StoredRecord? {
    if isEphemeral(account) { return ephemeral.record(of: account) }
    guard let snapshot = try snapshot() else { return nil }
    return try storedRecord(of: account, in: snapshot)
  }

  private func storedRecord(
    of account: AccountName, in snapshot: VaultSnapshot
  ) throws(SessionError) -> StoredRecord? {
    let sealed = try storing { (_) throws(VaultError) in try snapshot.read(account) }
    guard let sealed else { return nil }
    observer?(.step(.recordRead))
    var record = try AccountRecord(content: sealed.content, account: account)
    if let entry = unstored[account], entry.replaces == sealed.generation { record.renewal = entry.renewal }
    return StoredRecord(record: record, generation: sealed.generation)
  }

  /// The record to build a new one on: a home with vaults of other machines only has none.
  func recordToReplace(of account: AccountName) throws(SessionError) -> AccountRecord? {
    do { return try record(of: account) } catch .vault(let error) where error.code == .otherMachinesOnly {
      return nil
    }
  }

  /// Writes the record; it is on disk when this returns.
  ///
  /// - Parameters:
  ///   - protection: The level that it is written at; nil keeps the one it has.
  ///   - replaced: The number of the record whose place it takes; nil for any. A sign-out waits for no process that
  ///     holds the account, so only this shows that the session has ended meanwhile.
  ///   - wait: The wait for another process that has the vault's lock; nil means the vault's own.
  ///   - room: As ``rehearseWrite(wait:_:)`` returns it.
  /// - Returns: The record's generation.
  /// - Throws: `signedOut` when the record is not the one of that number.
  @discardableResult
  func write(
    _ record: AccountRecord, of account: AccountName, protection: Protection? = nil, replacing replaced: UInt64? = nil,
    wait: LockWait? = lockWait(), in room: WriteReserve? = nil
  ) throws(SessionError) -> UInt64 {
    if isEphemeral(account) {
      guard let generation = ephemeral.write(record, of: account, replacing: replaced) else {
        throw .signedOut(account: account.text)
      }
      return generation
    }
    let content = try record.sealedContent(in: room?.room)
    let generation = try storing { (vault) throws(VaultError) -> UInt64? in
      if let replaced {
        return try vault.write(
          account, content: content, label: record.label, protection: protection, replacing: replaced, wait: wait)
      }
      guard let protection else { return try vault.write(account, content: content, label: record.label, wait: wait) }
      return try vault.write(account, content: content, label: record.label, protection: protection, wait: wait)
    }
    guard let generation else { throw .signedOut(account: account.text) }
    unstored[account] = nil
    observer?(.step(.recordWritten))
    return generation
  }

  /// The person who is signed in, by the verified ID Token in the account's record, which needs no network; nil
  /// when there is none.
  ///
  /// - Parameter holdsToken: There is a token, though nothing that could renew it.
  /// - Throws: Why the account hands out nothing.
  package func verifiedClaims(
    of account: AccountName, _ configuration: AccountConfiguration, holdsToken: Bool = false
  ) throws(SessionError) -> JSONObject? {
    guard let record = try record(of: account), !record.isSignedOut else { throw .signedOut(account: account.text) }
    if record.isExpired, !holdsToken { throw .expired(account: account.text, reason: record.expiryReason) }
    if let problem = record.problem(with: configuration, account: account) { throw problem }
    if let hold = record.identityHold { throw hold.error(account) }
    return record.claims
  }

  /// Whether `grant` belongs to the record that the vault holds now: another process may have signed
  /// the account out or in again. Nil if the vault cannot be read now, which says nothing about the session.
  package func isCurrent(_ grant: AccessGrant, of account: AccountName) -> Bool? {
    if isEphemeral(account) { return ephemeral.record(of: account)?.generation == grant.recordGeneration }
    do throws(VaultError) {
      return try vault.read(account)?.generation == grant.recordGeneration
    } catch {
      return error.isUnread ? nil : false
    }
  }

  /// Reads the metadata of an account's issuer.
  func metadataSource(_ access: AccountAccess, _ cancellation: Cancellation?) -> IssuerMetadata {
    IssuerMetadata(documents: documents, observer: observer, access: access, cancellation: cancellation)
  }

  /// The server's metadata with the endpoints that the settings name. A server that publishes none is
  /// known by those alone, when its token endpoint is among them.
  func metadata(
    _ access: AccountAccess, fresh: Bool, cancellation: Cancellation?
  ) throws(SessionError) -> AuthorizationServerMetadata {
    let source = metadataSource(access, cancellation)
    return try (fresh ? source.fresh() : source.atHand()).document
  }
}

/// Gives an OAuth error the shape of a session error.
func oauth<Result>(_ body: () throws(OAuthError) -> Result) throws(SessionError) -> Result {
  do { return try body() } catch { throw .oauth(error) }
}
