internal import Encoding
internal import Platform
internal import Wire

struct VaultUnlocker {
  private let client: DaemonClient
  private var passphrase: LevelSecret
  private var pin: LevelSecret

  private static let maximumAttempts = 3

  /// A nil timeout does not limit typing.
  init(_ invocation: Invocation, _ client: DaemonClient, timeout: Duration? = nil) throws(Failure) {
    self.client = client
    passphrase = try .passphrase(invocation)
    pin = try .pin(invocation)
    (passphrase.timeout, pin.timeout) = (timeout, timeout)
  }

  /// Unlocks and returns the locked levels that the account needs, or all if nil.
  func open(_ account: String?, over connection: inout DaemonConnection) throws(Failure) -> [Protection] {
    var opened: [Protection] = []
    while let (level, accounts) = try next(account, over: &connection) {
      // Avoids an endless loop if a level locks again at once.
      guard !opened.contains(level) else { throw Failure(.locked, "the vault was locked again in the meantime") }
      try open(level, for: accounts, over: &connection)
      opened.append(level)
    }
    return opened
  }

  /// Unlocks or creates a level for new data.
  func prepare(_ level: Protection, over connection: inout DaemonConnection) throws(Failure) {
    guard level != .device else { return }
    let status = try VaultStatus(over: &connection, client)
    if status.isLocked(.device) { try open(.device, over: &connection) }
    if !status.has(level) {
      if level == .tpm2, let problem = status.tpmProblem {
        throw Failure(.tpmUnavailable, problem, hint: Phrase.choices([Protection.passphrase.rawValue], of: "protect"))
      }
      let secret = try (level == .tpm2 ? pin : passphrase).open(isNew: true)
      _ = try client.ask(.vault(.create(level)), passing: [secret], over: &connection)
    } else if status.isLocked(level) {
      try open(level, for: status.accounts(at: level), over: &connection)
    } else if (level == .tpm2 ? pin : passphrase).isNamed {
      client.console.note(
        Phrase(
          "the level \(level.rawValue) is unlocked already, so the secret was not checked; to change it: \("agent vault change-passphrase --protection \(level.rawValue)")"
        ))
    }
  }

  var canGetSecret: Bool {
    if passphrase.isNamed || pin.isNamed { return true }
    return client.console.mayAsk && (try? Terminal.openControlling()) != nil
  }

  /// The next level to unlock, with the accounts for the prompt.
  private func next(
    _ account: String?, over connection: inout DaemonConnection
  ) throws(Failure) -> (Protection, accounts: [String])? {
    let status = try VaultStatus(over: &connection, client)
    // The accounts of other levels are unknown without the device key.
    if status.isLocked(.device) { return (.device, []) }
    if let problem = status.problem { throw problem }
    let level = Protection.allCases.first { status.isLocked($0) && status.protects(account, at: $0) }
    return level.map { ($0, account.map { [$0] } ?? status.accounts(at: $0)) }
  }

  private func open(
    _ level: Protection, for accounts: [String] = [], over connection: inout DaemonConnection
  ) throws(Failure) {
    // A PIN level may also have a passphrase, in case the PIN is lost.
    let isByPassphrase = level != .tpm2 || (passphrase.isNamed && !pin.isNamed)
    let secret = isByPassphrase ? passphrase : pin
    var attempts = secret.isNamed ? 1 : Self.maximumAttempts
    while true {
      attempts -= 1
      let file = try secret.open(for: level == .device ? .ofVault : .ofAccounts(accounts))
      do throws(Failure) {
        _ = try client.ask(.vault(.unlock(level)), passing: [file], over: &connection)
        return
      } catch {
        guard [.wrongPassphrase, .wrongPIN].contains(error.code), attempts > 0 else { throw error }
        client.console.note(
          error.code == .wrongPIN
            ? Phrase("\(error.text), try again; after too many wrong ones the TPM refuses every PIN for some time")
            : Phrase("\(error.text), try again"))
      }
    }
  }
}

struct VaultStatus {
  private let result: JSONObject

  init(over connection: inout DaemonConnection, _ client: DaemonClient) throws(Failure) {
    result = try client.ask(.vault(.status), over: &connection)
  }

  var problem: Failure? { result["problem"].flatMap { Failure(json: $0) } }

  /// Why the TPM is not used; nil if it is or could be.
  var tpmProblem: Phrase? { result["binding_problem"]?.string.map { Phrase(known: $0) } }

  func has(_ level: Protection) -> Bool { entry(level) != nil }

  func isLocked(_ level: Protection) -> Bool { entry(level)?["locked"]?.bool == true }

  /// Whether the level protects the account, or any account if nil.
  func protects(_ account: String?, at level: Protection) -> Bool {
    let names = accounts(at: level)
    guard let account else { return !names.isEmpty }
    return names.contains { $0.hasSameBytes(as: account) }
  }

  func accounts(at level: Protection) -> [String] { (entry(level)?["accounts"]?.array ?? []).compactMap(\.string) }

  /// The slots whose passphrase a key rotation needs.
  var slotsThatNeedSecrets: [Int] {
    (result["slots"]?.array ?? []).compactMap { $0["needs_secret"]?.bool == true ? $0["slot"]?.int : nil }
  }

  private func entry(_ level: Protection) -> JSON? {
    result["levels"]?.array?.first { $0["protection"]?.string?.hasSameBytes(as: level.rawValue) ?? false }
  }
}
