internal import Encoding
internal import Vault
package import Vocabulary

/// A command of the settings that is run when something happens to a session or an account.
package struct EventCommand: Sendable, Hashable {
  package static let most = 32
  package static let timeoutRange = 1...300
  private static let defaultTimeoutSeconds = 30
  private static let mostArguments = 32

  /// The events that run the command; empty for all.
  package var events: Set<SessionEventName> = []
  /// The account it is about; nil for all.
  package var account: AccountName?
  /// The program by its absolute path, and its arguments: no shell reads them.
  package var arguments: [String]
  /// How long it may run.
  package var timeoutSeconds: Int

  /// Reads an object of the list `on`; `place` names it in errors.
  init(_ object: JSONObject, place: String) throws(ConfigurationError) {
    let reader = SettingsReader(object: object, place: place)
    let members = ["events", "account", "run", "timeout"]
    for name in object.names where !members.contains(name) {
      throw ConfigurationError(.unknownMember(known: members), "\(place).\(name)")
    }
    for name in try reader.texts("events") {
      guard let event = SessionEventName(rawValue: name) else { throw ConfigurationError(.invalid, "\(place).events") }
      events.insert(event)
    }
    // A list without an element would be taken for all of them.
    if object["events"] != nil, events.isEmpty { throw ConfigurationError(.invalid, "\(place).events") }
    if let name = try reader.text("account") {
      guard let account = try? AccountName(name) else { throw ConfigurationError(.invalid, "\(place).account") }
      self.account = account
    }
    arguments = try reader.texts("run")
    guard let program = arguments.first, program.utf8.first == UInt8(ascii: "/"),
      arguments.count <= Self.mostArguments
    else { throw ConfigurationError(.invalid, "\(place).run") }
    timeoutSeconds = Self.defaultTimeoutSeconds
    guard let value = object["timeout"] else { return }
    guard let seconds = value.int, Self.timeoutRange.contains(seconds) else {
      throw ConfigurationError(.invalid, "\(place).timeout")
    }
    timeoutSeconds = seconds
  }

  /// Reads the member `on` of the settings.
  static func list(_ value: JSON) throws(ConfigurationError) -> [EventCommand] {
    guard let array = value.array, array.count <= most else { throw ConfigurationError(.invalid, "on") }
    var commands: [EventCommand] = []
    for (index, element) in array.enumerated() {
      guard let object = element.object else { throw ConfigurationError(.invalid, "on[\(index)]") }
      commands.append(try EventCommand(object, place: "on[\(index)]"))
    }
    return commands
  }

  /// Whether it is run for what happened to this account, or to none.
  package func isFor(_ event: SessionEventName, of account: String?) -> Bool {
    guard events.isEmpty || events.contains(event) else { return false }
    guard let wanted = self.account else { return true }
    return account.map { $0.utf8.elementsEqual(wanted.text.utf8) } ?? true
  }
}
