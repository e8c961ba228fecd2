internal import Encoding

/// The content of the settings file, including unknown members. Accounts are in order of addition.
package struct Settings: Sendable, Hashable {
  package static let version = 2
  package static let maximumAccounts = 1000
  package static let maximumBytes = 4 << 20

  private(set) var object: JSONObject
  package private(set) var accounts: [(name: AccountName, configuration: AccountConfiguration)] = []

  /// The account for commands without a name.
  package private(set) var active: AccountName?

  /// The previously active account.
  package private(set) var previous: AccountName?

  /// Keeps directories of accounts deleted by hand, so that they use no other account.
  package private(set) var directories = AccountDirectories()

  /// The ephemeral accounts among ``accounts``.
  package private(set) var ephemeral: Set<AccountName> = []

  /// The idle time before the vault locks, in seconds. 0 for never.
  package private(set) var lockAfterSeconds = Self.defaultLockAfterSeconds
  package static let defaultLockAfterSeconds = 15 * 60
  static let maximumLockAfterSeconds = 30 * 86_400
  package private(set) var commands: [EventCommand] = []

  package init() {
    object = JSONObject([("version", .int(Self.version))])
  }

  package static func == (left: Settings, right: Settings) -> Bool { left.object == right.object }
  package func hash(into hasher: inout Hasher) { object.hash(into: &hasher) }

  static let limits = JSONLimits(bytes: maximumBytes, members: maximumAccounts)
  static let members = ["version", "accounts", "active", "previous", "lock_after", "on", "directories"]

  /// The path in errors about the entire file.
  package static let wholeFile = "the file"

  package init(parsing bytes: [UInt8]) throws(ConfigurationError) {
    guard let parsed = try? JSON(parsing: bytes, limits: Self.limits), let object = parsed.object else {
      throw ConfigurationError(.invalid, Self.wholeFile)
    }
    self.object = object
    guard let version = object["version"]?.int else { throw ConfigurationError(.invalid, "version") }
    guard version == Self.version else { throw ConfigurationError(.unsupportedVersion, "version") }
    if let value = object["accounts"] {
      guard let named = value.object else { throw ConfigurationError(.invalid, "accounts") }
      for (name, value) in zip(named.names, named.values) {
        let path = "accounts.\(name)"
        guard let account = try? AccountName(name), let settings = value.object else {
          throw ConfigurationError(.invalid, path)
        }
        accounts.append((account, try AccountConfiguration(settings, path: path)))
      }
    }
    if let value = object["lock_after"] {
      guard let seconds = value.int, (0...Self.maximumLockAfterSeconds).contains(seconds) else {
        throw ConfigurationError(.invalid, "lock_after")
      }
      lockAfterSeconds = seconds
    }
    if let value = object["on"] { commands = try EventCommand.list(value) }
    if let value = object["directories"] { directories = try AccountDirectories(value) }
    active = try account("active")
    previous = try account("previous")
  }

  private func account(_ member: String) throws(ConfigurationError) -> AccountName? {
    guard let value = object[member] else { return nil }
    guard let name = value.string.flatMap({ try? AccountName($0) }) else { throw ConfigurationError(.invalid, member) }
    return self[name] == nil ? nil : name
  }

  /// Adds ephemeral accounts. `chosen`, if among them, becomes active; otherwise the first one, unless the active
  /// account was ever signed in. `left`, if among them, becomes the previous account.
  package func adding(
    _ ephemeral: [(name: AccountName, configuration: AccountConfiguration)], active chosen: AccountName? = nil,
    previous left: AccountName? = nil
  ) -> Settings {
    guard !ephemeral.isEmpty else { return self }
    var settings = self
    for account in ephemeral where self[account.name] == nil {
      settings.accounts.append(account)
      settings.ephemeral.insert(account.name)
    }
    if let left, settings.ephemeral.contains(left) { settings.previous = left }
    if let chosen, settings.ephemeral.contains(chosen) {
      settings.active = chosen
      if left == nil { settings.previous = active }
    } else if active.map(isNeverSignedIn) ?? true {
      settings.active = ephemeral.first { settings.ephemeral.contains($0.name) }?.name ?? settings.accounts.first?.name
    }
    return settings
  }

  package subscript(_ name: AccountName) -> AccountConfiguration? {
    accounts.first { $0.name == name }?.configuration
  }

  /// Adds or replaces an account. The first one becomes active.
  package mutating func set(_ configuration: AccountConfiguration, for name: AccountName) throws(ConfigurationError) {
    if let index = accounts.firstIndex(where: { $0.name == name }) {
      accounts[index].configuration = configuration
    } else {
      guard accounts.count < Self.maximumAccounts else { throw ConfigurationError(.tooManyAccounts, "accounts") }
      accounts.append((name, configuration))
    }
    named[name.text] = .object(configuration.json(over: named[name.text]?.object ?? JSONObject()))
    if active == nil { activate(name) }
  }

  private var named: JSONObject {
    get { object["accounts"]?.object ?? JSONObject() }
    set { object["accounts"] = .object(newValue) }
  }

  /// Marks an account that was added but never signed in.
  static let neverSignedIn = "never_signed_in"

  func isNeverSignedIn(_ name: AccountName) -> Bool {
    named[name.text]?[Self.neverSignedIn]?.bool == true
  }

  private mutating func markNeverSignedIn(_ name: AccountName, _ isMarked: Bool) {
    guard var settings = named[name.text]?.object else { return }
    settings[Self.neverSignedIn] = isMarked ? true : nil
    named[name.text] = .object(settings)
  }

  /// Adds an account without a sign-in. The first one becomes active.
  package mutating func add(_ configuration: AccountConfiguration, as name: AccountName) throws(ConfigurationError) {
    try set(configuration, for: name)
    markNeverSignedIn(name, true)
  }

  /// Adds or replaces an account at its sign-in. Activates it if the active account, if any, was never signed in.
  package mutating func signIn(
    _ configuration: AccountConfiguration, to name: AccountName
  ) throws(ConfigurationError) {
    try set(configuration, for: name)
    markNeverSignedIn(name, false)
    if active.map(isNeverSignedIn) ?? true { activate(name) }
  }

  /// Makes the account active, if it exists.
  package mutating func activate(_ name: AccountName) {
    if self[name] != nil, active != name { setActive(name, previous: active ?? previous) }
  }

  private mutating func setActive(_ name: AccountName?, previous other: AccountName?) {
    (active, previous) = (name, other)
    object["active"] = name.map { .string($0.text) }
    object["previous"] = other.map { .string($0.text) }
  }

  /// Removes the directory's entry if `account` is nil.
  package mutating func setDirectoryAccount(_ account: AccountName?, in path: DirectoryPath) throws(ConfigurationError)
  {
    if let account, self[account] == nil { throw ConfigurationError(.accountChanged, account.text) }
    changeDirectories { $0.set(account, for: path) }
  }

  private mutating func changeDirectories(_ edit: (inout AccountDirectories) -> Void) {
    var changed = directories
    edit(&changed)
    guard changed != directories else { return }
    directories = changed
    object["directories"] = changed.isEmpty ? nil : changed.json
  }

  /// Adds the event command that shows desktop notices, or removes it if nil. `program` is an absolute path.
  package mutating func setDesktopNotifier(_ program: String?) throws(ConfigurationError) {
    var list = (object["on"]?.array ?? []).filter { $0["run"]?.array?.last != Self.noticeWord }
    if let program {
      list.append(
        .object([
          "events": .array([SessionEventName.signedOut, .expired].map { .string($0.rawValue) }),
          "run": [.string(program), Self.noticeWord],
        ]))
    }
    commands = try EventCommand.list(.array(list))
    object["on"] = list.isEmpty ? nil : .array(list)
  }

  /// The subcommand that reads an event and shows the notice.
  private static let noticeWord: JSON = "__notify"

  /// At most 30 days, or 0 for never.
  package mutating func setLockAfter(seconds: Int) {
    lockAfterSeconds = seconds
    object["lock_after"] = .int(seconds)
  }

  /// The account keeps its position.
  package mutating func rename(_ old: AccountName, to new: AccountName) {
    guard let index = accounts.firstIndex(where: { $0.name == old }) else { return }
    named = JSONObject(
      named.names.map { name in (name.hasSameBytes(as: old.text) ? new.text : name, named[name] ?? .null) })
    accounts[index].name = new
    changeDirectories { $0.rename(old, to: new) }
    if active == old || previous == old {
      setActive(active == old ? new : active, previous: previous == old ? new : previous)
    }
  }

  /// Removes an account and its directories. If active, the nearest account after it, or else before it, becomes
  /// active, preferably one that was signed in.
  package mutating func remove(_ name: AccountName) {
    guard let index = accounts.firstIndex(where: { $0.name == name }) else { return }
    named[name.text] = nil
    accounts.remove(at: index)
    changeDirectories { $0.remove(name) }
    guard active == name || previous == name else { return }
    let order = (accounts[index...] + accounts[..<index].reversed()).map(\.name)
    let next = active == name ? order.first { !isNeverSignedIn($0) } ?? order.first : active
    setActive(next, previous: previous == name || previous == next ? nil : previous)
  }

  package func serialized() -> [UInt8] { JSON.object(object).serialized() + [UInt8(ascii: "\n")] }
}
