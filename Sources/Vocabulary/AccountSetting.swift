package import Encoding

/// An account setting: its name, value, option and documentation.
package final class AccountSetting: Sendable, Hashable {
  /// In the settings file and requests.
  package let name: String
  package let kind: Kind
  package let option: Option?

  /// The effect, as a sentence without a full stop.
  package let summary: String
  /// Sentences that the manual adds to ``summary``.
  package let details: String
  /// Nil for flags, lists and values chosen by the daemon.
  package let defaultValue: String?
  /// Whether the setting determines which servers receive secrets, or what they must prove. The vault keeps its value;
  /// after a change, the account counts as signed out.
  package let isSealed: Bool
  /// Whether changes apply at the next sign-in. False for the protection level, which changes immediately.
  package let appliesAtSignIn: Bool
  package let canBeUnset: Bool

  private let read: @Sendable (AccountSettings) -> JSON?
  /// Sets the value, or resets it if nil. Returns false if it is not a choice.
  private let write: @Sendable (inout AccountSettings, JSON?) -> Bool

  /// The type of the value.
  package enum Kind: Sendable, Hashable {
    case text
    /// An absolute path.
    case file
    case texts
    case flag
    case choice([String])
  }

  package struct Option: Sendable {
    package let name: String
    package let group: OptionGroup
    package let short: Character?
    package let metavar: String
    package let splitsAtSpaces: Bool
    /// Whether the option also provides a client credential, and is therefore declared with those options.
    package let isShared: Bool

    init(
      _ name: String, in group: OptionGroup, short: Character? = nil, _ metavar: String = "",
      splitsAtSpaces: Bool = false, isShared: Bool = false
    ) {
      self.name = name
      self.group = group
      self.short = short
      self.metavar = metavar
      self.splitsAtSpaces = splitsAtSpaces
      self.isShared = isShared
    }
  }

  package static let maximumTextBytes = 4096
  package static let maximumListCount = 64

  /// A value of wrong type or size, or not a choice.
  package struct Invalid: Error, Hashable {
    package let name: String
    package let expected: Expectation
  }

  package enum Expectation: Sendable, Hashable {
    case text(maximumBytes: Int)
    case flag
    case list(maximumTexts: Int)
    /// The maximum of each string.
    case texts(maximumBytes: Int)
    case choice([String])
  }

  private init(
    _ name: String, _ kind: Kind, _ option: Option?, _ summary: String, details: String, defaultValue: String?,
    appliesAtSignIn: Bool, isSealed: Bool, canBeUnset: Bool, read: @escaping @Sendable (AccountSettings) -> JSON?,
    write: @escaping @Sendable (inout AccountSettings, JSON?) -> Bool
  ) {
    self.name = name
    self.kind = kind
    self.option = option
    self.summary = summary
    self.details = details
    self.defaultValue = defaultValue
    self.appliesAtSignIn = appliesAtSignIn
    self.isSealed = isSealed
    self.canBeUnset = canBeUnset
    self.read = read
    self.write = write
  }

  // MARK: - Rows

  convenience init(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, String?> & Sendable, kind: Kind = .text,
    _ option: Option?,
    _ summary: String, details: String = "", appliesAtSignIn: Bool = false, isSealed: Bool = false,
    canBeUnset: Bool = true
  ) {
    self.init(
      name, kind, option, summary, details: details, defaultValue: nil, appliesAtSignIn: appliesAtSignIn,
      isSealed: isSealed, canBeUnset: canBeUnset,
      read: { $0[keyPath: path].map { .string($0) } },
      write: { settings, value in
        settings[keyPath: path] = value?.string
        return true
      })
  }

  convenience init(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, [String]> & Sendable, _ option: Option?,
    _ summary: String,
    details: String = "", appliesAtSignIn: Bool = false, isSealed: Bool = false
  ) {
    self.init(
      name, .texts, option, summary, details: details, defaultValue: nil, appliesAtSignIn: appliesAtSignIn,
      isSealed: isSealed, canBeUnset: true,
      read: { $0[keyPath: path].isEmpty ? nil : .array($0[keyPath: path].map { .string($0) }) },
      write: { settings, value in
        settings[keyPath: path] = value?.array?.compactMap(\.string) ?? []
        return true
      })
  }

  convenience init(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, Bool> & Sendable, _ option: Option?, _ summary: String,
    details: String = "", appliesAtSignIn: Bool = false, isSealed: Bool = false
  ) {
    self.init(
      name, .flag, option, summary, details: details, defaultValue: nil, appliesAtSignIn: appliesAtSignIn,
      isSealed: isSealed, canBeUnset: true,
      read: { $0[keyPath: path] ? true : nil },
      write: { settings, value in
        settings[keyPath: path] = value?.bool ?? false
        return true
      })
  }

  /// Accepts one of `choices` or, if `isOpen`, any valid `Choice`.
  convenience init<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, Choice?> & Sendable,
    among choices: [Choice] = Array(Choice.allCases), isOpen: Bool = false, _ option: Option?, _ summary: String,
    details: String = "",
    defaultValue: Choice? = nil, appliesAtSignIn: Bool = false, isSealed: Bool = false, canBeUnset: Bool = true
  ) {
    self.init(
      name, .choice(choices.map(\.rawValue)), option, summary, details: details, defaultValue: defaultValue?.rawValue,
      appliesAtSignIn: appliesAtSignIn, isSealed: isSealed, canBeUnset: canBeUnset,
      read: { $0[keyPath: path].map { .string($0.rawValue) } },
      write: { settings, value in
        let word = value?.string
        let choice = word.flatMap { word in
          isOpen ? Choice(rawValue: word) : choices.first { $0.rawValue.hasSameBytes(as: word) }
        }
        settings[keyPath: path] = choice
        return (choice == nil) == (word == nil)
      })
  }

  // MARK: - Values

  package static func == (left: AccountSetting, right: AccountSetting) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  package static func named(_ name: String) -> AccountSetting? { all.first { $0.name.hasSameBytes(as: name) } }

  /// The option's name, or else the setting's with dashes, for `--unset`.
  package var optionName: String { option?.name ?? String(name.map { $0 == "_" ? "-" : $0 }) }

  /// Whether the option `name` sets a setting but `agent login` lacks it.
  package static func isOnlyAccountOption(_ name: String) -> Bool {
    all.contains { $0.option?.name == name && !withLoginOption.contains($0) }
  }

  /// The options in `words`, with their values: those that set settings, or all others if `areSettings` is false.
  static func options(in words: [String], areSettings: Bool = true) -> [String] {
    var (found, isWanted) = ([String](), false)
    for word in words {
      if word.hasPrefix("--") { isWanted = all.contains { "--\($0.optionName)" == word } == areSettings }
      if isWanted { found.append(word) }
    }
    return found
  }

  /// Nil if unspecified.
  package func value(in settings: AccountSettings) -> JSON? { read(settings) }

  /// The value or default.
  package func effectiveValue(in settings: AccountSettings) -> JSON? {
    read(settings) ?? defaultValue.map { .string($0) }
  }

  package func set(_ value: JSON, in settings: inout AccountSettings) throws(Invalid) {
    if let expected = expectation(failedBy: value) { throw Invalid(name: name, expected: expected) }
    guard write(&settings, value) else {
      guard case .choice(let words) = kind else { return }
      throw Invalid(name: name, expected: .choice(words))
    }
  }

  package func unset(in settings: inout AccountSettings) { _ = write(&settings, nil) }

  private static func isText(_ value: JSON) -> Bool {
    value.string.map { $0.utf8.count <= maximumTextBytes && !$0.utf8.contains(0) } ?? false
  }

  private func expectation(failedBy value: JSON) -> Expectation? {
    switch kind {
    case .text, .file, .choice: return Self.isText(value) ? nil : .text(maximumBytes: Self.maximumTextBytes)
    case .flag: return value.bool == nil ? .flag : nil
    case .texts:
      guard let values = value.array, values.count <= Self.maximumListCount else {
        return .list(maximumTexts: Self.maximumListCount)
      }
      return values.allSatisfy(Self.isText) ? nil : .texts(maximumBytes: Self.maximumTextBytes)
    }
  }
}

extension AccountSettings {
  /// Reads the values that `member` returns for the settings' names.
  package init(
    members member: (String) -> JSON?, among settings: [AccountSetting] = AccountSetting.all
  ) throws(AccountSetting.Invalid) {
    self.init()
    for setting in settings {
      guard let value = member(setting.name) else { continue }
      try setting.set(value, in: &self)
    }
  }

  /// The settings, including defaults.
  package func json() -> JSONObject {
    JSONObject(AccountSetting.all.compactMap { setting in setting.effectiveValue(in: self).map { (setting.name, $0) } })
  }
}
