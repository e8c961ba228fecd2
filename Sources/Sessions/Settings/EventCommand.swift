internal import Encoding

/// A command to run on events of a session or account.
package struct EventCommand: Sendable, Hashable {
  package static let maximumCount = 32
  /// In seconds.
  package static let timeoutRange = 1...300
  private static let defaultTimeoutSeconds = 30
  private static let maximumArguments = 32

  /// Empty for all events.
  package var events: Set<SessionEventName> = []
  /// Nil for all accounts.
  package var account: AccountName?
  /// The program's absolute path and its arguments, run without a shell.
  package var arguments: [String]
  package var timeoutSeconds: Int

  /// Parses an element of the list `on`, at `path`.
  init(_ object: JSONObject, path: String) throws(ConfigurationError) {
    let members = ["events", "account", "run", "timeout"]
    for name in object.names where !members.contains(name) {
      throw ConfigurationError(.unknownMember(known: members), "\(path).\(name)")
    }
    for name in try Self.texts(object, "events", path) {
      guard let event = SessionEventName(rawValue: name) else { throw ConfigurationError(.invalid, "\(path).events") }
      events.insert(event)
    }
    // An empty list would mean all events.
    if object["events"] != nil, events.isEmpty { throw ConfigurationError(.invalid, "\(path).events") }
    if let value = object["account"] {
      account = value.string.flatMap { try? AccountName($0) }
      if account == nil { throw ConfigurationError(.invalid, "\(path).account") }
    }
    arguments = try Self.texts(object, "run", path)
    guard let program = arguments.first, program.utf8.first == UInt8(ascii: "/"),
      arguments.count <= Self.maximumArguments
    else { throw ConfigurationError(.invalid, "\(path).run") }
    timeoutSeconds = Self.defaultTimeoutSeconds
    guard let value = object["timeout"] else { return }
    guard let seconds = value.int, Self.timeoutRange.contains(seconds) else {
      throw ConfigurationError(.invalid, "\(path).timeout")
    }
    timeoutSeconds = seconds
  }

  private static func texts(
    _ object: JSONObject, _ name: String, _ path: String
  ) throws(ConfigurationError) -> [String] {
    let array = object[name] == nil ? [] : object[name]?.array
    let texts = array?.compactMap(\.string) ?? []
    guard let array, array.count == texts.count, array.count <= AccountSetting.maximumListCount,
      texts.allSatisfy({ $0.utf8.count <= AccountSetting.maximumTextBytes && !$0.utf8.contains(0) })
    else { throw ConfigurationError(.invalid, "\(path).\(name)") }
    return texts
  }

  /// Parses the member `on` of the settings.
  static func list(_ value: JSON) throws(ConfigurationError) -> [EventCommand] {
    guard let array = value.array, array.count <= maximumCount else { throw ConfigurationError(.invalid, "on") }
    var commands: [EventCommand] = []
    for (index, element) in array.enumerated() {
      guard let object = element.object else { throw ConfigurationError(.invalid, "on[\(index)]") }
      commands.append(try EventCommand(object, path: "on[\(index)]"))
    }
    return commands
  }

  /// An event without an account matches, whatever account the command is for.
  package func matches(_ event: SessionEventName, of account: String?) -> Bool {
    guard events.isEmpty || events.contains(event) else { return false }
    guard let wanted = self.account else { return true }
    return account.map { $0.hasSameBytes(as: wanted.text) } ?? true
  }
}
