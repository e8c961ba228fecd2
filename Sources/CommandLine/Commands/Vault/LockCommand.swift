internal import Encoding
internal import Wire

enum LockCommand {
  static let lock = Command(
    .lock,
    summary: "Lock what a passphrase or a PIN protects",
    answer: VaultRequest.lock.manualEntry.result,
    refusing: [Option.noDaemon.declaration],
    makeAction: lock)

  static let unlock = Command(
    .unlock,
    summary: "Unlock accounts by their passphrase or PIN",
    options: Options.levelSecrets,
    operands: .account,
    examples: [
      Example(
        "Unlock in a script, with a passphrase that another program keeps",
        "pass show agent | agent unlock --passphrase-file -"),
      Example(
        "Start over if the passphrase is forgotten",
        "agent logout --local work; agent vault remove-slot 2; agent account set work --protect device;"
          + " agent login work"),
      Example("Unlock the level of one account", "agent unlock work"),
    ],
    refusing: [Option.noDaemon.declaration],
    makeAction: unlock)

  static func lock(_ invocation: Invocation) -> Action {
    let client = DaemonClient(invocation)
    return .doing { () throws(Failure) in
      // Without a daemon nothing is unlocked.
      var result = JSONObject([("locked", .array([]))])
      var accounts: [JSON]? = []
      if var connection = try DaemonLauncher.connect(client.console) {
        result = try client.ask(.vault(.lock), over: &connection)
        if !client.console.usesJSON, !client.console.isQuiet {
          // The accounts are locked even if reading the settings hangs.
          let list = try? client.withTimeout(seconds: 2).ask(.state(.list), over: &connection)
          accounts = list?["accounts"]?.array
        }
      }
      try client.console.confirm(result) { _ in confirmation(accounts) }
    }
  }

  /// Confirms `agent lock`. `accounts` is nil if unknown.
  static func confirmation(_ accounts: [JSON]?) -> Phrase {
    guard let accounts else { return Phrase("locked") }
    func names(_ states: SessionState...) -> String {
      accounts.filter { states.map(\.rawValue).contains($0[.state]?.string) }.compactMap { $0[.name]?.string }
        .joined(separator: ", ")
    }
    let (locked, usable) = (names(.locked), names(.active, .stale, .refreshing, .offline))
    let text = locked.isEmpty ? Phrase("nothing to lock") : Phrase("locked: \(locked)")
    return usable.isEmpty ? text : Phrase("\(text); still usable without a passphrase or PIN: \(usable)")
  }

  static func unlock(_ invocation: Invocation) throws(Failure) -> Action {
    let client = DaemonClient(invocation)
    let account = try invocation.namedAccount()
    let unlocker = try VaultUnlocker(invocation, client)
    return .doing { () throws(Failure) in
      let opened = try client.converse { (connection) throws(Failure) in
        if let account { _ = try client.ask(.state(.status(account: account)), over: &connection) }
        return try unlocker.open(account, over: &connection)
      }
      let result = JSONObject([("unlocked", .array(opened.map { .string($0.rawValue) }))])
      try client.console.confirm(result) { _ in opened.isEmpty ? Phrase("nothing is locked") : Phrase("unlocked") }
    }
  }
}
