internal import Encoding
internal import Platform
internal import Wire

enum SettingsOptions {
  static func read(
    _ invocation: Invocation, among known: [AccountSetting] = AccountSetting.withOption
  ) throws(Failure) -> AccountSettings {
    var settings = AccountSettings()
    for setting in known {
      let option = setting.declaration
      guard invocation.has(option) else { continue }
      guard setting !== AccountSetting.table.proxy else {
        try setProxy(invocation.arguments(of: option).last ?? "", in: &settings)
        continue
      }
      let value = try value(of: setting, invocation.arguments(of: option), invocation)
      do { try setting.set(value, in: &settings) } catch {
        throw Failure(.invalidRequest, Phrase("\"--\(option.name)\" must be \(Phrase(error.expected))"))
      }
    }
    // Reject invalid variables now rather than at each use.
    _ = try TokenVariables(settings.variables)
    return settings
  }

  /// `text` is `none`, `environment` or a URL. In the settings, an empty URL means no proxy.
  private static func setProxy(_ text: String, in settings: inout AccountSettings) throws(Failure) {
    settings.proxySource = .option
    switch text {
    case "none": settings.proxy = ""
    case "environment":
      settings.proxySource = .environment
      let proxy = LoginOptions.proxy(from: Environment.value)
      (settings.proxy, settings.proxyExclusions) = (proxy.url ?? "", proxy.exclusions)
    default:
      guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: "@")) else {
        throw Failure(
          .invalidRequest, "\("--proxy") requires a URL without a user name and password",
          hint: "set them in the variable \("https_proxy"), and use \("--proxy environment")")
      }
      settings.proxy = text
    }
  }

  private static func value(
    of setting: AccountSetting, _ texts: [String], _ invocation: Invocation
  ) throws(Failure) -> JSON {
    let last = texts.last ?? ""
    return switch setting.kind {
    case .flag: true
    case .text where AccountSetting.jsonTexts.contains { $0 === setting }:
      .string(try json(last, within: invocation[.timeout]))
    case .text, .choice: .string(last)
    case .file: .string(try absolute(last))
    case .texts: .array(setting.values(of: texts).map { .string($0) })
    }
  }

  /// Reads the file of an argument `@FILE`, within `seconds` if not nil. Returns other arguments unchanged.
  static func json(_ text: String, within seconds: Int?) throws(Failure) -> String {
    guard text.utf8.first == UInt8(ascii: "@") else { return text }
    let path = String(text.dropFirst())
    let bytes = try NamedFile.read(path, limit: AccountSetting.maximumTextBytes + 1, within: seconds) {
      Failure(.invalidRequest, Phrase("cannot read the file \"\(path)\": \($0)"))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.invalidRequest, "the file \"\(path)\" is not text")
    }
    return text
  }

  /// Makes a path absolute, since the daemon's working directory differs.
  static func absolute(_ path: String) throws(Failure) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let directory = Machine.currentDirectory() else {
      throw Failure(.invalidRequest, "the file \"\(path)\" was not found", hint: "use an absolute path")
    }
    return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
  }
}
