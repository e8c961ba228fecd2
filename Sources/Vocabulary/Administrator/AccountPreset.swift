internal import Encoding

/// An account that the administrator prepared; its settings are defaults.
package struct AccountPreset: Sendable {
  private static let maximumSetupCommands = 16
  private static let setup = "setup"

  package let name: String
  package let path: String
  package private(set) var settings = AccountSettings()
  /// Command lines to run, without the leading "agent setup".
  package private(set) var setupCommands: [String] = []

  /// `isProgram` accepts command lines of `agent setup`.
  init(
    _ object: FileObject, _ name: String, checking isProgram: (String) -> Bool
  ) throws(FileObject.Problem) {
    (self.name, path) = (name, object.path)
    guard (try? AccountName(name)) != nil else {
      throw object.problem(Phrase("the file's name is not a valid account name"))
    }
    for member in object.names {
      if member.hasSameBytes(as: Self.setup) {
        setupCommands = try object.texts(member)
        guard setupCommands.count <= Self.maximumSetupCommands else {
          throw object.wrongValue(member, Phrase(.list(maximumTexts: Self.maximumSetupCommands)))
        }
        guard setupCommands.allSatisfy(isProgram) else {
          throw object.wrongValue(member, Phrase("a list of arguments of \("agent setup")"))
        }
        continue
      }
      guard let setting = AccountSetting.named(member) else {
        throw object.unknownMember(member, among: AccountSetting.all.map(\.name) + [Self.setup])
      }
      do { try setting.set(object.value(member) ?? .null, in: &settings) } catch {
        throw object.wrongValue(member, Phrase(error.expected))
      }
    }
    guard settings.issuer != nil || settings.provider != nil else {
      throw object.problem(Phrase("expected the member \("issuer") or \("provider")"))
    }
  }

  /// The issuer, or else the provider's name.
  package var service: String { settings.issuer ?? settings.provider?.rawValue ?? "" }

  /// Splits the preset's settings by whether `shown`, an account's settings, has the same values.
  package func comparison(with shown: AccountSettings) -> (unchanged: [AccountSetting], changed: [AccountSetting]) {
    let own = AccountSetting.all.filter { $0.value(in: settings) != nil }
    let changed = own.filter { setting in
      guard setting === AccountSetting.table.origins else {
        return setting.effectiveValue(in: shown) != setting.value(in: settings)
      }
      // The daemon completes and adds origins.
      return settings.origins.contains { text in
        !shown.origins.contains { $0.hasSameBytes(as: text) || $0.hasSameBytes(as: "https://\(text)") }
      }
    }
    return (own.filter { !changed.contains($0) }, changed)
  }
}
