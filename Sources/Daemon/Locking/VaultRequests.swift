internal import Crypto
internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Answers requests about the vault itself, as jobs: a key derivation or a TPM may take seconds.
final class VaultRequests: DaemonPart {
  let context: DaemonContext
  private let lock: VaultLock
  private let locking: Locking

  init(_ context: DaemonContext, _ lock: VaultLock, _ locking: Locking) {
    self.context = context
    self.lock = lock
    self.locking = locking
  }

  func vault(_ request: VaultRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    guard passed.count >= request.secretCount else {
      throw Failure(.invalidRequest, "the request must bring a descriptor for each secret that it needs")
    }
    let secrets = Array(passed.suffix(request.secretCount))
    switch request {
    case .status: try vaultStatus(ticket)
    case .check: checkVault(ticket)
    case .lock: locking.lock(.asked, for: ticket)
    case .unlock(let level): locking.whenNotLocking { [self] in unlock(level, secrets[0], ticket) }
    case .create(let level): locking.whenNotLocking { [self] in create(level, secrets[0], ticket) }
    case .set(let seconds): try setIdleTime(seconds, ticket)
    case .bind(let binding): bind(binding, ticket)
    case .addPassphrase(let level): addPassphrase(level, secrets[0], ticket)
    case .changePassphrase(let level): changePassphrase(level, secrets[0], secrets[1], ticket)
    case .removeSlot(let number): removeSlot(number, ticket)
    case .rotateKey(let slots): rotateKeys(Array(zip(slots, secrets)), ticket)
    case .rebind: rebind(secrets[0], ticket)
    }
  }

  // MARK: Telling

  private func vaultStatus(_ ticket: Ticket) throws(Failure) {
    let seconds = try settings().lockAfterSeconds
    jobs.run({ [services] in VaultReport(services, lockAfterSeconds: seconds) }) { [self] report in
      loop.send(.result(report.get().json), to: ticket)
    }
  }

  private func checkVault(_ ticket: Ticket) {
    onVault(ticket) { (vault) throws(SessionError) in
      try storing { () throws(VaultError) in try vault.check() }.map(\.json) ?? VaultCheck.nothing
    } then: {
    }
  }

  // MARK: Opening

  private func unlock(_ level: ProtectionLevel, _ source: SharedDescriptor, _ ticket: Ticket) {
    open(level, source, ticket, .unlocked(level)) { (vault, secret, locks) throws(VaultError) in
      try vault.unlock(Protection(level), secret: secret.bytes, since: locks)
    }
  }

  private func create(_ level: ProtectionLevel, _ source: SharedDescriptor, _ ticket: Ticket) {
    open(level, source, ticket, .vaultChanged(.created)) { (vault, secret, locks) throws(VaultError) in
      try vault.createProtection(Protection(level), secret: secret.bytes, since: locks)
    }
  }

  private func open(
    _ level: ProtectionLevel, _ source: SharedDescriptor, _ ticket: Ticket, _ event: LogEvent,
    _ body: @escaping @Sendable (Vault, SharedSecret, _ locks: Int) throws(VaultError) -> Void
  ) {
    // A key derivation takes time, and a lock that arrives meanwhile takes precedence.
    let locks = services.vault.lockCount
    jobs.run({ [services] () throws(SessionError) in
      let secret = try VaultSecret.read(source)
      let vault = services.vault
      try storing { () throws(VaultError) in try body(vault, secret, locks) }
      return ((try? vault.protections()) ?? []).filter { $0.protection == Protection(level) }.map(\.account)
    }) { [self] (outcome: Result<[AccountName], SessionError>) in
      switch outcome {
      case .failure(let error): loop.send(.failure(Failure(error, account: nil)), to: ticket)
      case .success(let accounts):
        locking.unlocked(event, accounts)
        loop.send(.result(JSONObject([("protection", .string(level.rawValue))])), to: ticket)
      }
    }
  }

  private func setIdleTime(_ seconds: Int, _ ticket: Ticket) throws(Failure) {
    do {
      lock.lookAtIdleTime(
        try settingsFile.change { (settings) throws(ConfigurationError) in settings.setLockAfter(seconds: seconds) })
    } catch {
      throw Failure(error)
    }
    log.note(.vaultChanged(.idleTime))
    loop.send(.result(JSONObject([("lock_after", .int(seconds))])), to: ticket)
  }

  // MARK: Slots

  private func bind(_ binding: VaultBinding?, _ ticket: Ticket) {
    changeVault(.bound, ticket) { (vault) throws(SessionError) in
      try storing { () throws(VaultError) in
        if let binding { return try vault.bind(AutomaticKind(binding)) }
        guard vault.summary().tpmProblem == nil else { return try vault.bind(.host) }
        // A TPM may be present but unusable.
        do throws(VaultError) {
          return try vault.bind(.tpm2)
        } catch {
          guard case .tpmUnavailable = error.code else { throw error }
          return try vault.bind(.host)
        }
      }.json
    }
  }

  private func addPassphrase(_ level: ProtectionLevel, _ source: SharedDescriptor, _ ticket: Ticket) {
    changeVault(.passphraseAdded, ticket) { (vault) throws(SessionError) in
      let secret = try VaultSecret.read(source)
      return try storing { () throws(VaultError) in
        try vault.addPassphrase(for: Protection(level), secret.bytes)
      }.json
    }
  }

  private func changePassphrase(
    _ level: ProtectionLevel, _ old: SharedDescriptor, _ new: SharedDescriptor, _ ticket: Ticket
  ) {
    changeVault(.passphraseChanged, ticket) { (vault) throws(SessionError) in
      let (old, new) = (try VaultSecret.read(old), try VaultSecret.read(new))
      try storing { () throws(VaultError) in
        try vault.changePassphrase(for: Protection(level), old: old.bytes, new: new.bytes)
      }
      return JSONObject([("protection", .string(level.rawValue))])
    }
  }

  private func removeSlot(_ number: Int, _ ticket: Ticket) {
    changeVault(.slotRemoved, ticket) { (vault) throws(SessionError) in
      try storing { () throws(VaultError) in try vault.removeSlot(number) }
      return JSONObject([("slot", .int(number))])
    }
  }

  private func rotateKeys(_ sources: [(slot: Int, source: SharedDescriptor)], _ ticket: Ticket) {
    changeVault(.keysRotated, ticket) { (vault) throws(SessionError) in
      var secrets: [Int: SharedSecret] = [:]
      for (slot, source) in sources { secrets[slot] = try VaultSecret.read(source) }
      let rotated = try storing { () throws(VaultError) in try vault.rotateKeys(secrets: secrets) }
      return JSONObject([("rotated", .array(rotated.map { .string($0.word) }))])
    }
  }

  private func rebind(_ source: SharedDescriptor, _ ticket: Ticket) {
    changeVault(.rebound, ticket) { (vault) throws(SessionError) in
      let secret = try VaultSecret.read(source)
      let slots = try storing { () throws(VaultError) in try vault.rebind(passphrase: secret.bytes) }
      return JSONObject([("slots", .array(slots.map { .object($0.json) }))])
    }
  }

  /// Changes the vault on a worker and logs the change.
  private func changeVault(
    _ change: LogEvent.VaultChange, _ ticket: Ticket,
    _ body: @escaping @Sendable (Vault) throws(SessionError) -> JSONObject
  ) {
    onVault(ticket, body) { [self] in
      log.note(.vaultChanged(change))
      lock.lookForLentKey()
    }
  }

  /// Runs `body` on a worker and answers with what it returns.
  private func onVault(
    _ ticket: Ticket, _ body: @escaping @Sendable (Vault) throws(SessionError) -> JSONObject,
    then finish: @escaping () -> Void
  ) {
    jobs.run({ [services] () throws(SessionError) in try body(services.vault) }) { [self] outcome in
      switch outcome {
      case .failure(let error): loop.send(.failure(Failure(error, account: nil)), to: ticket)
      case .success(let result):
        finish()
        loop.send(.result(result), to: ticket)
      }
    }
  }
}

/// Gives a vault error the shape of a session error.
private func storing<Value>(_ body: () throws(VaultError) -> Value) throws(SessionError) -> Value {
  do { return try body() } catch { throw .vault(error) }
}
