internal import AgentSocket
internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// An account prepared by the administrator for all users: a JSON file in `/etc/agent/accounts.d`, named after the
/// account.
///
/// Its settings are defaults for a new account. Users may override and change them.
struct AccountPreset {
  static let directory = "/etc/agent/accounts.d"
  private static let suffix = ".json"
  /// The limits of files, and of bytes per file.
  private static let mostBytes = 1 << 16, most = 100
  private static let mostPrograms = 16

  let name: String
  let path: String
  let settings: AccountSettings
  /// Command lines of `agent setup`, without these words.
  let programs: [String]

  /// - Parameters:
  ///   - directory: Must belong to `owner`, like its files, and not be writable by others.
  ///   - owner: The administrator's user ID.
  /// - Returns: Nil if the preset does not exist.
  /// - Throws: `invalid_configuration` or `storage`, with the file's path.
  static func named(
    _ name: String, in directory: String = directory, owner: UInt32 = 0
  ) throws(Failure) -> AccountPreset? {
    guard WireProtocol.isAccountName(name) else { return nil }
    let path = "\(directory)/\(name)\(suffix)"
    let bytes: [UInt8]?
    do throws(DirectoryError) {
      bytes = try PrivateDirectory.readFile(at: path, changedOnlyBy: owner, limit: mostBytes)
    } catch {
      throw Failure(error)
    }
    return try bytes.map { (bytes) throws(Failure) in try AccountPreset(name, path, bytes) }
  }

  /// All presets by name, and the problems of invalid files.
  static func all(in directory: String = directory, owner: UInt32 = 0) -> (
    presets: [AccountPreset], problems: [Failure]
  ) {
    let names: [String]
    do throws(DirectoryError) {
      names = try PrivateDirectory.names(in: directory, changedOnlyBy: owner, limit: most) ?? []
    } catch {
      return ([], [Failure(error)])
    }
    var (presets, problems): ([AccountPreset], [Failure]) = ([], [])
    for file in names.sorted() where file.hasSuffix(suffix) {
      let name = String(file.dropLast(suffix.count))
      guard WireProtocol.isAccountName(name) else {
        problems.append(
          problem("\(directory)/\(TerminalText.clean(file))", Phrase("its name is not a valid account name")))
        continue
      }
      do throws(Failure) {
        if let preset = try named(name, in: directory, owner: owner) { presets.append(preset) }
      } catch {
        problems.append(error)
      }
    }
    return (presets, problems)
  }

  private init(_ name: String, _ path: String, _ bytes: [UInt8]) throws(Failure) {
    guard let object = (try? JSON(parsing: bytes))?.object else {
      throw Self.problem(path, Phrase("not a JSON object"))
    }
    var settings = AccountSettings()
    var programs: [String] = []
    for member in object.names {
      let value = object[member] ?? .null
      if member == "setup" {
        guard let lines = value.array?.map(\.string), lines.count <= Self.mostPrograms else {
          throw Self.problem(path, Phrase("setup must be a list of at most \(Self.mostPrograms) texts"))
        }
        programs = try lines.map { (line) throws(Failure) in
          guard let line, let words = ShellWord.words(line), SetupClient.named(words.first ?? "") != nil,
            (try? Parser.parse(["setup"] + words, by: CommandTable { _ in SetupCommand.setup })) != nil
          else {
            throw Self.problem(path, Phrase("setup must contain arguments of \("agent setup")"))
          }
          return line
        }
        continue
      }
      guard let setting = AccountSetting.named(member) else {
        throw Self.problem(path, Phrase("unknown member \(TerminalText.clean(member, limit: 64))"))
      }
      do { try setting.set(value, in: &settings) } catch {
        throw Self.problem(path, Phrase("\(member) must be \(Phrase(error.expected))"))
      }
    }
    guard settings.issuer != nil || settings.provider != nil else {
      throw Self.problem(path, Phrase("no issuer and no provider"))
    }
    (self.name, self.path, self.settings, self.programs) = (name, path, settings, programs)
  }

  private static func problem(_ path: String, _ reason: Phrase) -> Failure {
    Failure(.invalidConfiguration, "\(path) is ignored: \(reason)")
  }

  /// The preset settings that an account has changed.
  ///
  /// - Parameter shown: The account's settings in the daemon's response.
  func changed(in shown: JSONObject) -> [AccountSetting] {
    AccountSetting.all.filter { setting in
      guard let value = setting.value(in: settings) else { return false }
      guard setting === AccountSetting.origins else { return shown[setting.name] != value }
      // The daemon completes and adds origins.
      let known = (shown[setting.name]?.array ?? []).compactMap(\.string)
      return settings.origins.contains { text in
        !known.contains { $0.hasSameBytes(as: text) || $0.hasSameBytes(as: "https://\(text)") }
      }
    }
  }

  /// The issuer, or the provider if it determines the issuer.
  var service: String { settings.issuer ?? settings.provider?.rawValue ?? "" }
}
