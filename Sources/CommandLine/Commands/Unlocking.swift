internal import Encoding
internal import Platform
internal import Wire

/// Opens levels of the vault over a connection to the daemon, asking for what opens them.
struct Unlocking {
  let invocation: Invocation
  let client: DaemonClient

  /// How often somebody may mistype a passphrase. A wrong PIN is counted by the TPM, so it is asked for once.
  private static let mostAttempts = 3

  /// Opens what is locked: all that accounts are behind, or what the named one needs.
  ///
  /// - Returns: The levels that were opened.
  func open(_ account: String?, over connection: inout DaemonConnection) throws(Failure) -> [ProtectionLevel] {
    var opened: [ProtectionLevel] = []
    while let level = try next(account, over: &connection) {
      // A daemon that says again what was opened just now would never be done.
      guard !opened.contains(level) else { throw Failure(.locked, "the vault was locked again meanwhile") }
      try open(level, over: &connection)
      opened.append(level)
    }
    return opened
  }

  /// Sees to it that something can be kept at a level: makes its key if it has none, and opens it if it is locked.
  func prepare(_ level: ProtectionLevel, over connection: inout DaemonConnection) throws(Failure) {
    guard level != .device else { return }
    let status = try VaultStatus(over: &connection, client)
    if status.isLocked(.device) { try open(.device, over: &connection) }
    if !status.has(level) {
      let secret = try LevelSecret.first(level).open(invocation)
      _ = try client.ask(.vault(.create(level)), passing: [secret], over: &connection)
    } else if status.isLocked(level) {
      try open(level, over: &connection)
    }
  }

  /// Whether a person can be asked, or the command line names what opens.
  var canAsk: Bool {
    if LevelSecret.passphrase.isNamed(invocation) || LevelSecret.pin.isNamed(invocation) { return true }
    return !invocation.has(.noInput) && (try? Terminal.openControlling()) != nil
  }

  private func next(
    _ account: String?, over connection: inout DaemonConnection
  ) throws(Failure) -> ProtectionLevel? {
    let status = try VaultStatus(over: &connection, client)
    // Without the device's key nobody knows what is behind the others.
    if status.isLocked(.device) { return .device }
    if let problem = status.problem { throw problem }
    return ProtectionLevel.allCases.first { status.isLocked($0) && status.guards(account, at: $0) }
  }

  private func open(_ level: ProtectionLevel, over connection: inout DaemonConnection) throws(Failure) {
    // A level with a PIN may have a passphrase too, for the day when the PIN is forgotten.
    let isByPassphrase = LevelSecret.passphrase.isNamed(invocation) && !LevelSecret.pin.isNamed(invocation)
    let secret = isByPassphrase ? LevelSecret.passphrase : LevelSecret.current(level)
    var attempts = secret.isNamed(invocation) || level == .tpm2 ? 1 : Self.mostAttempts
    while true {
      attempts -= 1
      let file = try secret.open(invocation, for: level == .device ? " of the vault" : "")
      do throws(Failure) {
        _ = try client.ask(.vault(.unlock(level)), passing: [file], over: &connection)
        return
      } catch {
        guard error.code == .wrongPassphrase, attempts > 0 else { throw error }
        client.console.note("\(error.message), try again")
      }
    }
  }
}
