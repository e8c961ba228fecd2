internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// Makes an account's settings of a command line.
enum SettingsOptions {
  /// The settings that the options name. The proxy is not an option: see ``LoginOptions/proxy(from:)``.
  static func read(
    _ invocation: Invocation, among known: [AccountSetting] = AccountSetting.withOption
  ) throws(Failure) -> AccountSettings {
    var settings = AccountSettings()
    for setting in known {
      let option = setting.declaration
      guard invocation.has(option) else { continue }
      let value = try value(of: setting, invocation.texts(option))
      do { try setting.set(value, in: &settings) } catch {
        throw Failure(.invalidRequest, "\"--\(option.name)\" must be \(error.expected)")
      }
    }
    return settings
  }

  private static func value(of setting: AccountSetting, _ texts: [String]) throws(Failure) -> JSON {
    switch setting.kind {
    case .flag: true
    case .text, .choice: .string(texts.last ?? "")
    case .file: .string(try absolute(texts.last ?? ""))
    case .texts: .array(setting.values(of: texts).map { .string($0) })
    }
  }

  /// The absolute path of a file: the daemon has another current directory.
  static func absolute(_ path: String) throws(Failure) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let directory = Machine.currentDirectory() else {
      throw Failure(.invalidRequest, "the file \"\(path)\" was not found", hint: "give it as an absolute path")
    }
    return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
  }
}
