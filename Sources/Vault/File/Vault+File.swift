package import Platform

extension Vault {
  func location() throws(VaultError) -> VaultLocation {
    try VaultLocation(directory: stateDirectory, machineIdentity: bindings.host.machineIdentity)
  }

  /// Runs `body` on the current vault and writes the result atomically. Meanwhile, the vault has the generation of the
  /// next write, and other writers are locked out.
  ///
  /// - Parameters:
  ///   - isShared: Whether other changes may be written together with this one.
  ///   - locks: The ``wipeCount`` at the request (default: the current one). If it differs after the change, no keys
  ///     are kept.
  /// - Returns: The result of `body`. If nil, or without a vault, nothing is written.
  /// - Throws: `busy` if another process kept the lock.
  func modify<Result>(
    orCreating: Bool = false, isShared: Bool = false, since locks: Int? = nil, wait: LockWait? = nil,
    in reserved: ReservedFile? = nil,
    _ body: (inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Result?
  ) throws(VaultError) -> Result? {
    var result: Result?
    let apply = { (vault: inout OpenVault, directory: borrowing PrivateDirectory) throws(VaultError) -> Bool in
      result = try body(&vault, directory)
      return result != nil
    }
    try withoutActuallyEscaping(apply) { (apply) throws(VaultError) in
      try run(
        ChangeQueue.Change(
          work: .change(apply), isShared: isShared, creates: orCreating, reserved: reserved, locks: locks), wait: wait)
    }
    return result
  }

  /// Runs `body` while nothing else modifies the vault; does nothing without a state directory.
  func withExclusiveAccess(_ body: (borrowing PrivateDirectory) throws(VaultError) -> Void) throws(VaultError) {
    try withoutActuallyEscaping(body) { (body) throws(VaultError) in
      try run(ChangeQueue.Change(work: .exclusive(body)), wait: nil)
    }
  }

  private func run(_ change: ChangeQueue.Change, wait: LockWait?) throws(VaultError) {
    let location = try location()
    try changes.run(change, wait ?? LockWait(lockWait), at: location.lockPath) { (take) throws(VaultError) in
      try descriptors.withReleased { () throws(VaultError) in
        guard let directory = try change.creates ? location.openOrCreate() : location.open() else {
          return take().map { _ in .success(()) }
        }
        guard let lock = try location.tryLock(directory) else { return nil }
        defer { extendLifetime(lock) }
        return make(take(), at: location, in: directory)
      }
    }
  }

  /// Makes changes and writes them together; a failed write fails them all. Returns the outcomes, in order.
  private func make(
    _ changes: [ChangeQueue.Change], at location: VaultLocation, in directory: borrowing PrivateDirectory
  ) -> [ChangeQueue.Outcome] {
    var outcomes = changes.map { _ in ChangeQueue.Outcome.success(()) }
    var rehearsals: [Int] = []
    var others: [(index: Int, apply: (inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Bool)] = []
    for (index, change) in changes.enumerated() {
      switch change.work {
      case .rehearsal: rehearsals.append(index)
      case .change(let apply): others.append((index, apply))
      case .exclusive(let body):
        do { try body(directory) } catch { outcomes[index] = .failure(error) }
      }
    }
    if !rehearsals.isEmpty {
      do { try location.rehearse(rehearsals.count, in: directory) } catch {
        for index in rehearsals { outcomes[index] = .failure(error) }
      }
    }
    guard !others.isEmpty else { return outcomes }
    let seen = memory.withLock { $0 }
    var written: [Int] = []
    do throws(VaultError) {
      var vault = try current(seen, at: location, in: directory)
      for (index, apply) in others {
        do throws(VaultError) {
          guard var next = try next(vault, creates: changes[index].creates, seen, in: directory) else { continue }
          guard try apply(&next, directory) else { continue }
          vault = next
          written.append(index)
        } catch {
          outcomes[index] = .failure(error.located(at: location.path))
        }
      }
      guard let vault, !written.isEmpty else { return outcomes }
      let locks = written.map { changes[$0].locks ?? seen.wipeCount }.min() ?? seen.wipeCount
      let reserved = written.lazy.compactMap { changes[$0].reserved }.first
      try store(vault, at: location, in: directory, since: locks, using: reserved)
    } catch {
      let failed = written.isEmpty ? others.map(\.index) : written
      for index in failed { outcomes[index] = .failure(error.located(at: location.path)) }
    }
    return outcomes
  }

  /// Prepares the next write: advances the generation or, without a vault, creates one if `creates`.
  private func next(
    _ vault: OpenVault?, creates: Bool, _ seen: VaultMemory, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> OpenVault? {
    let newest = seen.newest?.generation ?? 0
    guard var vault else { return creates ? try create(in: directory, above: newest) : nil }
    try vault.file.advance(above: newest)
    return vault
  }

  /// Returns the vault before the next write. Also removes leftovers of killed writers.
  private func current(
    _ seen: VaultMemory, at location: VaultLocation, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> OpenVault? {
    let known = seen.vault(at: location)
    if known == nil || !seen.isWriter { location.removeLeftovers(in: directory) }
    if let known { return known }
    return try load(location, in: directory)
  }

  /// Creates an empty vault in memory, with a generation above `floor`, and its device secret on disk.
  private func create(
    in directory: borrowing PrivateDirectory, above floor: UInt64
  ) throws(VaultError) -> OpenVault {
    var vault = try OpenVault.new(above: floor)
    vault.file.addSlot(try bindings.makeBestSlot(for: vault.deviceKey, in: vault.file, directory))
    return vault
  }

  /// Reads the vault for ``snapshot()``, with its errors.
  func loadForReading() throws(VaultError) -> OpenVault? {
    let location = try location()
    if let vault = memory.withLock({ $0 }).vault(at: location) { return vault }
    return try withDescriptors { () throws(VaultError) in
      guard let directory = try location.open() else { return nil }
      if let vault = try load(location, in: directory) { return vault }
      try requireNoOtherMachine(location, in: directory)
      return nil
    }
  }

  /// If no descriptors are available, releases those reserved for writes and retries.
  func withDescriptors<Result: ~Copyable>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
    do { return try body() } catch {
      guard case .storage(let cause) = error.code, cause.isOutOfDescriptors else { throw error }
      return try descriptors.withReleased(body)
    }
  }

  /// Throws `otherMachinesOnly` if another machine has a vault here.
  func requireNoOtherMachine(_ location: VaultLocation, in directory: borrowing PrivateDirectory) throws(VaultError) {
    guard try location.otherMachinesFiles(in: directory).isEmpty else {
      throw VaultError(.otherMachinesOnly, path: directory.path)
    }
  }

  /// Returns the vault in memory if the file is unchanged. Otherwise reads and verifies it.
  func load(_ location: VaultLocation, in directory: borrowing PrivateDirectory) throws(VaultError) -> OpenVault? {
    let seen = memory.withLock { $0 }
    if let vault = seen.vault(at: location) { return vault }
    guard let (bytes, file) = try location.read(from: directory) else { return nil }
    let vault = try addingPath(location.path) { () throws(VaultError) in
      let unverified = try UnverifiedVaultFile(parsing: bytes)
      return try verify(unverified, with: try deviceKey(of: unverified, seen: seen, in: directory), seen: seen)
    }
    memory.withLock { _ = $0.remember(vault, since: seen.wipeCount, as: file) }
    return vault
  }

  /// Nil if the file does not exist.
  func parse(
    _ location: VaultLocation, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> UnverifiedVaultFile? {
    guard let (bytes, _) = try location.read(from: directory) else { return nil }
    return try addingPath(location.path) { () throws(VaultError) in try UnverifiedVaultFile(parsing: bytes) }
  }

  /// The file's device key from memory, or from one of its slots.
  func deviceKey(
    of file: UnverifiedVaultFile, seen: VaultMemory, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> DataKey {
    if let key = seen.key(of: .device, header: file.header, epoch: file.epochs[.device]) { return key }
    do { return try file.unlock(with: bindings, in: directory) } catch {
      var failure = error
      failure.opensByPassphrase = file.slots.contains { $0.kind == .passphrase && $0.protection == .device }
      throw failure
    }
  }

  /// Authenticates the vault, and opens it with `key` and the other keys in `seen`. Throws `damaged` if the
  /// authentication fails, `rolledBack` if a newer vault was read or written.
  func verify(
    _ unverified: UnverifiedVaultFile, with key: DataKey, seen: VaultMemory
  ) throws(VaultError) -> OpenVault {
    let file = try unverified.verified(with: key)
    guard file.generation >= seen.floor(for: file.header) else { throw VaultError(.rolledBack) }
    return OpenVault(file: file, deviceKey: key, otherKeys: seen.otherKeys(of: file))
  }

  /// Replaces the file atomically. Remembers its generation and, unless keys were wiped since `wipeCount`, its keys.
  /// `isFromPassphrase`: whether a passphrase or PIN unlocked the device key; nil if unchanged.
  func store(
    _ vault: OpenVault, at location: VaultLocation, in directory: borrowing PrivateDirectory, since wipeCount: Int,
    isFromPassphrase: Bool? = nil, using reserved: ReservedFile? = nil
  ) throws(VaultError) {
    let bytes = try addingPath(location.path) { () throws(VaultError) in try vault.encoded() }
    let file = try location.replace(in: directory, with: bytes, using: reserved)
    memory.withLock {
      _ = $0.remember(vault, since: wipeCount, isFromPassphrase: isFromPassphrase, as: file, isWritten: true)
    }
  }

  /// Throws the error of a write that would fail for lack of space, permissions or locks. Call it before a step whose
  /// result must be stored (invariant: reserve first).
  package func rehearseWrite(wait: LockWait? = nil) throws(VaultError) {
    try run(ChangeQueue.Change(work: .rehearsal, isShared: true, creates: true), wait: wait)
  }

  /// Creates the file of a later write, which then needs no disk space. Also creates a vault if no machine has one
  /// here.
  package func reserveWrite(wait: LockWait? = nil) throws(VaultError) -> ReservedFile {
    let location = try location()
    if let file = try reserve(at: location, evenIfMissing: false, wait) { return file }
    _ = try modify(orCreating: true, isShared: true, wait: wait) { (_, _) throws(VaultError) in () }
    guard let file = try reserve(at: location, evenIfMissing: true, wait) else {
      preconditionFailure("the directory is created if there is none")
    }
    return file
  }

  /// Nil without a vault here, unless `evenIfMissing`.
  private func reserve(
    at location: VaultLocation, evenIfMissing: Bool, _ wait: LockWait?
  ) throws(VaultError) -> ReservedFile? {
    var file: ReservedFile?
    let reserve = { (directory: borrowing PrivateDirectory) throws(VaultError) in
      // Other machines' vaults have the device secret.
      let hasOthers = try !location.otherMachinesFiles(in: directory).isEmpty
      if evenIfMissing || hasOthers || directory.exists(location.fileName) {
        file = try location.reserve(in: directory)
      }
    }
    try withoutActuallyEscaping(reserve) { (reserve) throws(VaultError) in
      try run(ChangeQueue.Change(work: .exclusive(reserve), isShared: true, creates: true), wait: wait)
    }
    return file
  }
}

extension VaultLocation {
  /// The maximum growth in one write, in bytes.
  private static let growth = 64 << 10

  fileprivate func reserve(in directory: borrowing PrivateDirectory) throws(VaultError) -> ReservedFile {
    do { return try directory.reserveReplacement(of: fileName, growth: Self.growth) } catch {
      throw VaultError(error, path: path)
    }
  }

  fileprivate func rehearse(_ count: Int, in directory: borrowing PrivateDirectory) throws(VaultError) {
    do {
      try directory.rehearseReplacing(fileName, growth: Self.growth * count)
    } catch {
      throw VaultError(error, path: path)
    }
  }
}
