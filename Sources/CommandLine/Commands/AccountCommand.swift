internal import Encoding
internal import Wire

/// `agent account …`, but for `import`.
enum AccountCommand {
  @Sendable static func add(_ invocation: Invocation) throws(Failure) -> Int32 {
    let account = try named(invocation)
    let settings = try SettingsOptions.read(invocation)
    return try ask(.add(account: account, settings), invocation, preparing: settings.protection) { _ in
      "added \(account); to sign in: agent login \(account)"
    }
  }

  @Sendable static func show(_ invocation: Invocation) throws(Failure) -> Int32 {
    let result = try DaemonClient(invocation).ask(.account(.show(account: try invocation.account())))
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      try Console.answer(text(result))
    }
    return 0
  }

  @Sendable static func set(_ invocation: Invocation) throws(Failure) -> Int32 {
    let account = try named(invocation)
    let settings = try SettingsOptions.read(invocation)
    let unset = SettingsOptions.unset(invocation)
    guard settings != AccountSettings() || !unset.isEmpty else {
      throw Failure(.invalidRequest, "no setting to change is named", hint: "agent help account set")
    }
    let request = AccountRequest.set(account: account, settings, unset: unset)
    return try ask(request, invocation, preparing: settings.protection) { changed(account, $0) }
  }

  @Sendable static func rename(_ invocation: Invocation) throws(Failure) -> Int32 {
    let account = try named(invocation)
    let newName = invocation.operands[1]
    return try ask(.rename(account: account, to: newName), invocation) { _ in "\(account) is called \(newName) now" }
  }

  @Sendable static func remove(_ invocation: Invocation) throws(Failure) -> Int32 {
    let account = try named(invocation)
    let local = invocation.has(.local)
    return try ask(.remove(account: account, local: local), invocation) { removed(account, $0) }
  }

  static func named(_ invocation: Invocation) throws(Failure) -> String {
    guard let account = try invocation.namedAccount() else {
      throw Failure(.invalidRequest, "no account is named")
    }
    return account
  }

  private static func ask(
    _ request: AccountRequest, _ invocation: Invocation, preparing level: ProtectionLevel? = nil,
    _ note: (JSONObject) -> String
  ) throws(Failure) -> Int32 {
    let client = DaemonClient(invocation)
    let result = try client.ask(.account(request), passing: [], preparing: level)
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      client.console.note(note(result))
    }
    return 0
  }

  /// A line for each setting, under the names that the options have.
  static func text(_ result: JSONObject) -> String {
    var listing = Listing()
    let mark = result["active"]?.bool == true ? " (active account)" : ""
    listing.add(["account", (result["account"]?.string ?? "?") + mark])
    if let level = result["protection"]?.string { listing.add(["protection", level]) }
    let settings = result["settings"]?.object ?? JSONObject()
    for name in settings.names {
      let word = AccountSetting(rawValue: name).map { SettingsOptions.word(for: $0) }
      let title = word ?? String(name.map { $0 == "_" ? "-" : $0 })
      listing.add([title, value(settings[name])])
    }
    return listing.text
  }

  private static func value(_ value: JSON?) -> String {
    if let texts = value?.array { return texts.compactMap(\.string).joined(separator: " ") }
    return value?.string ?? (value?.bool == true ? "yes" : "?")
  }

  /// What a change means for the session.
  static func changed(_ account: String, _ result: JSONObject) -> String {
    guard result["signed_out"]?.bool == true else { return "changed \(account)" }
    let setting = result["setting"]?.string ?? "a setting"
    return "changed \(account); it is signed out until the next sign-in, since \(setting) is not what was signed in"
      + " with: agent login \(account)"
  }

  static func removed(_ account: String, _ result: JSONObject) -> String {
    var line = "removed \(account)"
    if result["revoked"]?.bool == true {
      line += ", tokens revoked"
    } else if let detail = result["detail"]?.string {
      line += "; tokens not revoked: \(detail)"
    }
    if result["client_deleted"]?.bool == true {
      line += "; its client was deleted at the server"
    } else if let detail = result["client_detail"]?.string {
      line += "; its client stays registered: \(detail)"
    }
    if let active = result["active_account"]?.string { line += "; \(active) is the active account now" }
    return line
  }
}
