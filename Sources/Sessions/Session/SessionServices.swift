package import Encoding
package import OAuth
package import Platform
package import Vault
@_exported public import Vocabulary

/// The vault, network, clock and caches for the sessions of all accounts. Thread-safe.
package struct SessionServices: Sendable {
  package let vault: Vault
  package private(set) var http: any HTTPClient
  package let time: any TimeSource
  package let documents: DocumentCache
  package let settingsDirectory: String
  /// The servers' nonces and clock offsets.
  let dpopMemory = DPoPMemory()
  package let gate = LockGate()
  let unwrittenRecords = AccountTable<UnwrittenRecord>()
  let unwrittenRevocations = AccountTable<UnwrittenRevocation>()
  let refreshesAwaitingKeys = AccountTable<RefreshAwaitingKeys>()
  /// By account, the latest origin reported as ``SessionObservation/endpointMoved``.
  let movedOrigins = Monitor<[AccountName: String]>([:])
  package let ephemeral = EphemeralAccounts()
  /// Whether these services are for an ephemeral account, existing or not.
  var isEphemeral = false
  private(set) var observer: SessionObserver?

  package init(
    vault: Vault, http: any HTTPClient, time: any TimeSource, documents: DocumentCache, settingsDirectory: String
  ) {
    self.vault = vault
    self.http = http
    self.time = time
    self.documents = documents
    self.settingsDirectory = settingsDirectory
  }

  package func observed(by observer: @escaping SessionObserver) -> SessionServices {
    var services = self
    services.observer = observer
    services.http = ObservedHTTPClient.wrapping(http, time: time, observer)
    return services
  }

  func mapVaultError<Result: ~Copyable>(
    _ body: @autoclosure () throws(VaultError) -> Result
  ) throws(SessionError) -> Result {
    do { return try body() } catch { throw .vault(error) }
  }

  /// The maximum wait for a lock, shorter than callers' default timeout, so that they get the lock's error.
  private static let lockWait = Duration.seconds(100)

  /// For work that is repeated later or must not delay locking the vault.
  static var briefLockWait: LockWait { LockWait(.seconds(10)) }

  /// The maximum duration of a sign-in with a browser.
  package static let browserSignInSeconds = 600

  /// The maximum wait for a lock during a sign-in.
  static let longestLockWait = Duration.seconds(browserSignInSeconds)

  /// A wait that ends when the operation is cancelled, or at ``longestLockWait`` if `isLong`.
  static func lockWait(_ cancellation: Cancellation? = nil, isLong: Bool = false) -> LockWait {
    LockWait(isLong ? longestLockWait : lockWait) { cancellation?.isCancelled ?? false }
  }

  private static let minimumReportedWaitMilliseconds = 20

  /// Runs `body` while no other process or thread can spend the account's tokens.
  func withAccountLock<Result>(
    _ account: AccountName, _ cancellation: Cancellation? = nil, _ body: () throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    try withAccountLock(account, at: nil, cancellation: cancellation) { (_) throws(SessionError) in try body() }
  }

  /// Combines ``withAccountLock(_:_:_:)`` and ``withUnlockedLevel(_:mustWrite:_:_:)``. `wanted` is the record's new
  /// protection level, if `body` changes it. `cancellation` also ends the wait; otherwise it and `mustWrite` are as in
  /// ``LockGate/enter(_:mustWrite:_:)``.
  func withAccountLock<Result>(
    _ account: AccountName, at wanted: Protection?, mustWrite: Bool = false, cancellation: Cancellation? = nil,
    _ body: (Protection) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    // Ephemeral accounts are unknown to other processes.
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
    if waited >= Self.minimumReportedWaitMilliseconds { observer?(.step(.waitedForAccount(milliseconds: waited))) }
    let result = try withUnlockedLevel(
      nextLevel(of: account, requested: wanted), mustWrite: mustWrite, cancellation, body)
    lock.release()
    return result
  }

  /// Runs `body`, delaying a lock of the level. Throws the vault error `locked` while the level is being locked.
  func withUnlockedLevel<Result>(
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

  package func record(of account: AccountName) throws(SessionError) -> AccountRecord? {
    try storedRecord(of: account)?.record
  }

  /// Throws `signedOut` if there is no session.
  func sessionRecord(of account: AccountName) throws(SessionError) -> StoredRecord {
    guard let stored = try storedRecord(of: account), !stored.record.isSignedOut else {
      throw .signedOut(account: account.text)
    }
    return stored
  }

  /// For reading several records. Nil without a vault.
  package func snapshot() throws(SessionError) -> VaultSnapshot? {
    try mapVaultError(vault.snapshot())
  }

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
    let sealed = try mapVaultError(snapshot.read(account))
    guard let sealed else { return nil }
    observer?(.step(.recordRead))
    var record = try AccountRecord(content: sealed.content, account: account)
    if let entry = unwrittenRecords[account], entry.replaces == sealed.generation {
      record.refreshedMembers = entry.refreshedMembers
    }
    return StoredRecord(record: record, generation: sealed.generation)
  }

  /// The record that a new one replaces, if any. Ignores vaults of other machines.
  func recordToReplace(of account: AccountName) throws(SessionError) -> AccountRecord? {
    do { return try record(of: account) } catch .vault(let error) where error.code == .otherMachinesOnly {
      return nil
    }
  }

  /// Writes the record durably. Returns its new generation. Throws `signedOut` if the generation is no longer
  /// `replaced`.
  ///
  /// - Parameters:
  ///   - protection: Nil to keep the level.
  ///   - replaced: The generation to replace, or nil to write even if the account was signed out meanwhile.
  ///   - wait: For the vault's lock; nil for the default.
  @discardableResult
  func write(
    _ record: AccountRecord, of account: AccountName, protection: Protection? = nil, replacing replaced: UInt64? = nil,
    wait: LockWait? = lockWait(), in writeReserve: WriteReserve? = nil
  ) throws(SessionError) -> UInt64 {
    if isEphemeral(account) {
      guard let generation = ephemeral.write(record, of: account, replacing: replaced) else {
        throw .signedOut(account: account.text)
      }
      return generation
    }
    writeReserve?.beginWrite()
    let content = try record.serialized(in: writeReserve?.arena)
    let generation: UInt64? =
      if let replaced {
        try mapVaultError(
          vault.write(
            account, content: content, label: record.label, protection: protection, replacing: replaced, wait: wait))
      } else {
        try mapVaultError(
          vault.write(
            account, content: content, label: record.label, protection: protection, wait: wait, in: writeReserve?.vault)
        )
      }
    guard let generation else { throw .signedOut(account: account.text) }
    unwrittenRecords[account] = nil
    observer?(.step(.recordWritten))
    return generation
  }

  /// The claims of the verified ID Token, if any. Works offline. Throws if tokens are withheld or, unless a token is
  /// cached (`holdsToken`), if the session has ended.
  package func verifiedClaims(
    of account: AccountName, _ configuration: AccountConfiguration, holdsToken: Bool = false
  ) throws(SessionError) -> JSONObject? {
    guard let record = try record(of: account), !record.isSignedOut else { throw .signedOut(account: account.text) }
    if !holdsToken, let ending = record.endError(account, now: time.wallSeconds()) { throw ending }
    if let problem = record.problem(with: configuration, account: account) { throw problem }
    if let block = record.identityBlock { throw block.error(account) }
    return record.claims
  }

  /// Whether `grant` belongs to the current record. Nil if the vault is temporarily unreadable.
  package func isCurrent(_ grant: AccessGrant, of account: AccountName) -> Bool? {
    if isEphemeral(account) { return ephemeral.record(of: account)?.generation == grant.recordGeneration }
    do throws(VaultError) {
      return try vault.read(account)?.generation == grant.recordGeneration
    } catch {
      return error.isTemporarilyUnreadable ? nil : false
    }
  }

  func metadataSource(_ parsed: ParsedConfiguration, _ cancellation: Cancellation?) -> IssuerMetadata {
    IssuerMetadata(documents: documents, observer: observer, parsed: parsed, cancellation: cancellation)
  }

  /// The server's metadata with the settings' endpoints, fetched again if `fresh`.
  func metadata(
    _ parsed: ParsedConfiguration, fresh: Bool, cancellation: Cancellation?
  ) throws(SessionError) -> AuthorizationServerMetadata {
    let source = metadataSource(parsed, cancellation)
    return try (fresh ? source.fetchFresh() : source.fetchUnlessCached()).document
  }

  /// The account's client credentials. Empty for a public client, or without a record of the configured client.
  package func credentials(
    of account: AccountName, _ configuration: AccountConfiguration
  ) throws(SessionError) -> ClientCredentials {
    guard !configuration.isPublicClient, let record = try record(of: account),
      record.authority.isSameClient(as: configuration)
    else { return ClientCredentials() }
    return record.credentials
  }
}

func mapOAuthError<Result>(_ body: @autoclosure () throws(OAuthError) -> Result) throws(SessionError) -> Result {
  do { return try body() } catch { throw .oauth(error) }
}
