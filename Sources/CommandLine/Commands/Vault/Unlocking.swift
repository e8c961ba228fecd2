internal import AgentSocket
internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// Opens levels of the vault over a connection to the daemon, asking for what opens them.
struct Unlocking {
  private let client: DaemonClient
  private let passphrase: LevelSecret
  private let pin: LevelSecret

  /// How many passphrases a person may try. A wrong PIN is counted by the TPM, so it is asked for once.
  private static let mostAttempts = 3

  init(_ invocation: Invocation, _ client: DaemonClient) throws(Failure) {
    self.client = client
    passphrase = try .passphrase(invocation)
    pin = try .pin(invocation)
  }

  /// Opens what is locked: all that accounts are behind, or what the named one needs.
  ///
  /// - Returns: The levels that were opened.
  func open(_ account: String?, over connection: inout DaemonConnection) throws(Failure) -> [Protection] {
    var opened: [Protection] = []
    while let level = try next(account, over: &connection) {
      // A daemon that says again what was opened just now would never be done.
      guard !opened.contains(level) else { throw Failure(.locked, "the vault was locked again meanwhile") }
      try open(level, over: &connection)
      opened.append(level)
    }
    return opened
  }

  /// Sees to it that something can be kept at a level: makes its key if it has none, and opens it if it is locked.
  func prepare(_ level: Protection, over connection: inout DaemonConnection) throws(Failure) {
    guard level != .device else { return }
    let status = try VaultStatus(over: &connection, client)
    if status.isLocked(.device) { try open(.device, over: &connection) }
    if !status.has(level) {
      let secret = try (level == .tpm2 ? pin : passphrase).open(isNew: true)
      _ = try client.ask(.vault(.create(level)), passing: [secret], over: &connection)
    } else if status.isLocked(level) {
      try open(level, over: &connection)
    }
  }

  /// Whether a person can be asked, or the command line names what opens.
  var canAsk: Bool {
    if passphrase.isNamed || pin.isNamed { return true }
    return client.console.mayAsk && (try? Terminal.openControlling()) != nil
  }

  private func next(
    _ account: String?, over connection: inout DaemonConnection
  ) throws(Failure) -> Protection? {
    let status = try VaultStatus(over: &connection, client)
    // Without the device's key it is unknown which accounts the others protect.
    if status.isLocked(.device) { return .device }
    if let problem = status.problem { throw problem }
    return Protection.allCases.first { status.isLocked($0) && status.guards(account, at: $0) }
  }

  private func open(_ level: Protection, over connection: inout DaemonConnection) throws(Failure) {
    // A level with a PIN may have a passphrase too, for the day when the PIN is forgotten.
    let isByPassphrase = level != .tpm2 || (passphrase.isNamed && !pin.isNamed)
    let secret = isByPassphrase ? passphrase : pin
    var attempts = secret.isNamed || level == .tpm2 ? 1 : Self.mostAttempts
    while true {
      attempts -= 1
      let file = try secret.open(for: level == .device ? .ofVault : .plain)
      do throws(Failure) {
        _ = try client.ask(.vault(.unlock(level)), passing: [file], over: &connection)
        return
      } catch {
        guard error.code == .wrongPassphrase, attempts > 0 else { throw error }
        client.console.note("\(error.text), try again")
      }
    }
  }
}

/// The daemon's status of the vault, as far as commands need it.
struct VaultStatus {
  private let result: JSONObject

  init(over connection: inout DaemonConnection, _ client: DaemonClient) throws(Failure) {
    result = try client.ask(.vault(.status), over: &connection)
  }

  /// Why the vault cannot be used; nil when it can.
  var problem: Failure? { result["problem"].flatMap { Failure(json: $0) } }

  /// Whether something opens the level.
  func has(_ level: Protection) -> Bool { entry(level) != nil }

  func isLocked(_ level: Protection) -> Bool { entry(level)?["locked"]?.bool == true }

  /// Whether the account, or any when none is named, is kept at the level.
  func guards(_ account: String?, at level: Protection) -> Bool {
    let names = (entry(level)?["accounts"]?.array ?? []).compactMap(\.string)
    guard let account else { return !names.isEmpty }
    return names.contains { $0.utf8.elementsEqual(account.utf8) }
  }

  /// The slots whose passphrase is needed to seal everything anew, by their numbers.
  var slotsThatNeedSecrets: [Int] {
    (result["slots"]?.array ?? []).compactMap { $0["needs_secret"]?.bool == true ? $0["slot"]?.int : nil }
  }

  private func entry(_ level: Protection) -> JSON? {
    result["levels"]?.array?.first { $0["protection"]?.string?.utf8.elementsEqual(level.rawValue.utf8) ?? false }
  }
}
