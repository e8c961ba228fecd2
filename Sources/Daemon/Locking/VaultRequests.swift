internal import Crypto
internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

final class VaultRequests: DaemonPart {
  private let lock: VaultLock
  private let locker: VaultLocker

  init(_ context: DaemonContext, _ lock: VaultLock, _ locker: VaultLocker) {
    self.lock = lock
    self.locker = locker
    super.init(context)
  }

  /// Handles a request. The last descriptors in `passed` contain its secrets.
  func handle(_ request: VaultRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    guard passed.count >= request.secretCount else {
      throw Failure(.invalidRequest, "the request must pass a descriptor for each secret that it needs")
    }
    let secrets = Array(passed.suffix(request.secretCount))
    switch request {
    case .status: try sendStatus(ticket)
    case .check:
      runOnVault([], ticket) { (vault, _) throws(VaultError) in
        try vault.check().map(\.json) ?? VaultCheck.resultWithoutVault
      } then: {
        $0
      }
    case .lock: locker.lock(.userRequest, for: ticket)
    case .unlock(let level):
      unlockOrCreate(level, secrets, ticket, .unlocked(level)) { (vault, secret, locks) throws(VaultError) in
        try vault.unlock(level, secret: secret.bytes, since: locks)
      }
    case .create(let level):
      unlockOrCreate(level, secrets, ticket, .vaultChanged(.created)) { (vault, secret, locks) throws(VaultError) in
        try vault.createProtection(level, secret: secret.bytes, since: locks)
      }
    case .set(let seconds): setIdleTime(seconds, ticket)
    case .bind(let binding):
      change(.bound, [], ticket) { (vault, _) throws(VaultError) in try Self.bind(vault, binding).json }
    case .addPassphrase(let level):
      change(.passphraseAdded, secrets, ticket) { (vault, secrets) throws(VaultError) in
        try vault.addPassphrase(for: level, secrets[0].bytes).json
      }
    case .changePassphrase(let level):
      change(.passphraseChanged, secrets, ticket) { (vault, secrets) throws(VaultError) in
        try vault.changePassphrase(for: level, old: secrets[0].bytes, new: secrets[1].bytes)
        return ["protection": .string(level.rawValue)]
      }
    case .removeSlot(let number):
      change(.slotRemoved, [], ticket) { (vault, _) throws(VaultError) in
        try vault.removeSlot(number)
        return ["slot": .int(number)]
      }
    case .rotateKey(let slots):
      change(.keysRotated, secrets, ticket) { (vault, secrets) throws(VaultError) in
        let secrets = Dictionary(zip(slots, secrets)) { _, last in last }
        return ["rotated": .array(try vault.rotateKeys(secrets: secrets).map { .string($0.rawValue) })]
      }
    case .setAside:
      change(.setAside, [], ticket) { (vault, _) throws(VaultError) in
        ["paths": .array(try vault.setAside().map { .string($0) })]
      }
    case .rebind:
      change(.rebound, secrets, ticket) { (vault, secrets) throws(VaultError) in
        ["slots": .array(try vault.rebind(passphrase: secrets[0].bytes).map { .object($0.json) })]
      }
    }
  }

  private func sendStatus(_ ticket: Ticket) throws(Failure) {
    let seconds = try settings().lockAfterSeconds
    jobs.run({ [services] in VaultReport(services, lockAfterSeconds: seconds) }) { [self] report in
      loop.send(.result(report.get().json), to: ticket)
    }
  }

  private func setIdleTime(_ seconds: Int, _ ticket: Ticket) {
    context.changeSettings(for: ticket) {
      $0.setLockAfter(seconds: seconds)
    } then: { [self] outcome in
      send(outcome, nil, ticket) { settings in
        lock.applyIdleTime(settings)
        log.note(.vaultChanged(.idleTime))
        return JSONObject([("lock_after", .int(seconds))])
      }
    }
  }

  /// Without `binding`, binds to the TPM if usable, or else to the host.
  private static func bind(_ vault: Vault, _ binding: VaultBinding?) throws(VaultError) -> SlotSummary {
    if let binding { return try vault.bind(binding) }
    guard vault.summary().tpmProblem == nil else { return try vault.bind(.host) }
    // The TPM may fail only now.
    do throws(VaultError) {
      return try vault.bind(.tpm2)
    } catch {
      guard case .tpmUnavailable = error.code else { throw error }
      return try vault.bind(.host)
    }
  }

  /// Unlocks or creates a level once no lock is in progress. Calls `body` on a worker with the present
  /// ``Vault/wipeCount``, which reveals a later lock.
  private func unlockOrCreate(
    _ level: Protection, _ sources: [SharedDescriptor], _ ticket: Ticket, _ event: LogEvent,
    _ body: @escaping @Sendable (Vault, SharedSecret, _ locks: Int) throws(VaultError) -> Void
  ) {
    locker.whenNotLocking { [self] in
      // A lock that arrives during the key derivation takes precedence.
      let locks = services.vault.wipeCount
      runOnVault(sources, ticket) { (vault, secrets) throws(VaultError) in
        try body(vault, secrets[0], locks)
        return ((try? vault.protections()) ?? []).filter { $0.protection == level }.map(\.account)
      } then: { [self] accounts in
        locker.publishUnlock(event, accounts)
        return ["protection": .string(level.rawValue)]
      }
    }
  }

  private func change(
    _ change: LogEvent.VaultChange, _ sources: [SharedDescriptor], _ ticket: Ticket,
    _ body: @escaping @Sendable (Vault, [SharedSecret]) throws(VaultError) -> JSONObject
  ) {
    runOnVault(sources, ticket, body) { [self] result in
      log.note(.vaultChanged(change))
      lock.updateDeviceKeySource()
      return result
    }
  }

  /// Responds with the result of `finish`.
  private func runOnVault<Value: Sendable>(
    _ sources: [SharedDescriptor], _ ticket: Ticket,
    _ body: @escaping @Sendable (Vault, [SharedSecret]) throws(VaultError) -> Value,
    then finish: @escaping (Value) -> JSONObject
  ) {
    let cancellation = context.cancellation(of: ticket)
    jobs.runWaiting(as: WaitShare(ticket), cancellation) { () throws(SessionError) in
      try sources.map { (source) throws(SessionError) in try VaultSecret.read(source, cancellation) }
    } then: { [self] read in
      guard case .success(let secrets) = read else { return send(read, nil, ticket) { _ in JSONObject() } }
      jobs.runWaiting(as: .vault, cancellation) { [services] () throws(SessionError) in
        do throws(VaultError) { return try body(services.vault, secrets) } catch { throw .vault(error) }
      } then: { [self] outcome in
        send(outcome, nil, ticket, finish)
      }
    }
  }
}
