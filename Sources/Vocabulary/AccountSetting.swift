package import Encoding

/// One setting of an account: all that the settings file, requests, the command line, the vault and the manual must know
/// of it.
///
/// A class, since the rows are many and hold closures.
package final class AccountSetting: Sendable {
  /// Its name in the settings file and in requests.
  package let name: String
  package let kind: Kind
  package let option: Option?

  /// Its effect: a sentence without its full stop, for the help and the manual.
  package let summary: String
  /// Further text for the manual, in whole sentences.
  package let details: String
  /// The value that an account has which does not name the setting; nil for a flag, a list, and where the daemon decides.
  package let fallback: String?
  /// Whether the setting says where secrets go, or what those who get them are held to. The vault keeps it as it was at
  /// sign-in, and an account whose settings differ from it is signed out.
  package let isSealed: Bool
  /// Whether it has no effect before the next sign-in.
  package var countsAtSignIn: Bool { Self.countingAtSignIn.contains { $0 === self } }
  /// Whether it can be reset to its default by itself.
  package let canBeUnset: Bool

  private let read: @Sendable (AccountSettings) -> JSON?
  /// Nil resets it. Returns false for a word that is not one of the choices.
  private let write: @Sendable (inout AccountSettings, JSON?) -> Bool

  /// The shape of the value.
  package enum Kind: Sendable, Hashable {
    case text
    /// The absolute path of a file.
    case file
    case texts
    case flag
    /// One of these words.
    case choice([String])
  }

  /// The option of the command line.
  package struct Option: Sendable {
    package let name: String
    package let group: OptionGroup
    package let short: Character?
    /// The name of its argument in usage lines.
    package let metavar: String
    /// Whether one occurrence may hold several values separated by spaces.
    package let splitsAtSpaces: Bool
    /// Whether the option has another value than the setting, and is declared with the client's credentials.
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

  /// The most bytes of a text.
  package static let maximumTextBytes = 4096
  /// The most elements of a list.
  package static let maximumListCount = 64

  /// A value has the wrong type or size, or is not one of the choices.
  package struct Invalid: Error, Hashable {
    /// The setting's name.
    package let name: String
    package let expected: Expectation
  }

  /// The valid values of a setting.
  package enum Expectation: Sendable, Hashable {
    /// A text of at most so many bytes.
    case text(mostBytes: Int)
    case flag
    /// A list of at most so many texts.
    case list(mostTexts: Int)
    /// A list of texts of at most so many bytes each.
    case texts(mostBytes: Int)
    case choice([String])
  }

  private init(
    _ name: String, _ kind: Kind, _ option: Option?, _ summary: String, details: String, fallback: String?,
    isSealed: Bool, canBeUnset: Bool, read: @escaping @Sendable (AccountSettings) -> JSON?,
    write: @escaping @Sendable (inout AccountSettings, JSON?) -> Bool
  ) {
    self.name = name
    self.kind = kind
    self.option = option
    self.summary = summary
    self.details = details
    self.fallback = fallback
    self.isSealed = isSealed
    self.canBeUnset = canBeUnset
    self.read = read
    self.write = write
  }
}

// MARK: - Rows

extension AccountSetting {
  convenience init(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, String?> & Sendable, kind: Kind = .text,
    _ option: Option?,
    _ summary: String, details: String = "", isSealed: Bool = false, canBeUnset: Bool = true
  ) {
    self.init(
      name, kind, option, summary, details: details, fallback: nil, isSealed: isSealed, canBeUnset: canBeUnset,
      read: { $0[keyPath: path].map { .string($0) } },
      write: { settings, value in
        settings[keyPath: path] = value?.string
        return true
      })
  }

  convenience init(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, [String]> & Sendable, _ option: Option,
    _ summary: String,
    details: String = "", isSealed: Bool = false
  ) {
    self.init(
      name, .texts, option, summary, details: details, fallback: nil, isSealed: isSealed, canBeUnset: true,
      read: { $0[keyPath: path].isEmpty ? nil : .array($0[keyPath: path].map { .string($0) }) },
      write: { settings, value in
        settings[keyPath: path] = value?.array?.compactMap(\.string) ?? []
        return true
      })
  }

  convenience init(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, Bool> & Sendable, _ option: Option?, _ summary: String,
    details: String = "", isSealed: Bool = false
  ) {
    self.init(
      name, .flag, option, summary, details: details, fallback: nil, isSealed: isSealed, canBeUnset: true,
      read: { $0[keyPath: path] ? true : nil },
      write: { settings, value in
        settings[keyPath: path] = value?.bool ?? false
        return true
      })
  }

  convenience init<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<AccountSettings, Choice?> & Sendable,
    among choices: [Choice] = Array(Choice.allCases), _ option: Option, _ summary: String, details: String = "",
    fallback: Choice? = nil, isSealed: Bool = false, canBeUnset: Bool = true
  ) {
    self.init(
      name, .choice(choices.map(\.rawValue)), option, summary, details: details, fallback: fallback?.rawValue,
      isSealed: isSealed, canBeUnset: canBeUnset,
      read: { $0[keyPath: path].map { .string($0.rawValue) } },
      write: { settings, value in
        let word = value?.string
        let choice = word.flatMap { word in choices.first { $0.rawValue.utf8.elementsEqual(word.utf8) } }
        settings[keyPath: path] = choice
        return (choice == nil) == (word == nil)
      })
  }
}

// MARK: - Values

extension AccountSetting: Hashable {
  package static func == (left: AccountSetting, right: AccountSetting) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AccountSetting {
  /// The setting of exactly this name.
  package static func named(_ name: String) -> AccountSetting? { all.first { $0.name.utf8.elementsEqual(name.utf8) } }

  /// Its name for `--unset`: that of its option, where it has one.
  package var word: String { option?.name ?? String(name.map { $0 == "_" ? "-" : $0 }) }

  /// The value as a member of an object; nil if the settings do not name it.
  package func value(in settings: AccountSettings) -> JSON? { read(settings) }

  /// The value that counts: the one that is named, else its default.
  package func effectiveValue(in settings: AccountSettings) -> JSON? {
    read(settings) ?? fallback.map { .string($0) }
  }

  /// - Throws: ``Invalid`` for a value of another type, one that is too long, or a word that is none of the choices.
  package func set(_ value: JSON, in settings: inout AccountSettings) throws(Invalid) {
    if let expected = expectation(failedBy: value) { throw Invalid(name: name, expected: expected) }
    guard write(&settings, value) else {
      guard case .choice(let words) = kind else { return }
      throw Invalid(name: name, expected: .choice(words))
    }
  }

  /// Resets the setting to its default.
  package func unset(in settings: inout AccountSettings) { _ = write(&settings, nil) }

  private static func isText(_ value: JSON) -> Bool {
    value.string.map { $0.utf8.count <= maximumTextBytes && !$0.utf8.contains(0) } ?? false
  }

  /// The rule that the value breaks; nil if it has the right type and size.
  private func expectation(failedBy value: JSON) -> Expectation? {
    switch kind {
    case .text, .file, .choice: return Self.isText(value) ? nil : .text(mostBytes: Self.maximumTextBytes)
    case .flag: return value.bool == nil ? .flag : nil
    case .texts:
      guard let values = value.array, values.count <= Self.maximumListCount else {
        return .list(mostTexts: Self.maximumListCount)
      }
      return values.allSatisfy(Self.isText) ? nil : .texts(mostBytes: Self.maximumTextBytes)
    }
  }
}

extension AccountSettings {
  /// Reads the members that are settings.
  ///
  /// - Parameter member: The member of a name; nil if it is absent.
  package init(
    members member: (String) -> JSON?, among settings: [AccountSetting] = AccountSetting.all
  ) throws(AccountSetting.Invalid) {
    self.init()
    for setting in settings {
      guard let value = member(setting.name) else { continue }
      try setting.set(value, in: &self)
    }
  }

  /// The settings as members, with the defaults of those that are not named.
  package func json() -> JSONObject {
    JSONObject(AccountSetting.all.compactMap { setting in setting.effectiveValue(in: self).map { (setting.name, $0) } })
  }
}
