internal import Encoding
internal import Platform
internal import Wire

/// A program that `setup` can configure to get tokens from this one.
struct SetupClient: Sendable, Hashable {
  /// The name in command lines and receipts.
  let name: String
  /// The executable's possible names, best first; nil for just ``name``.
  var executables: [String]?
  /// The kind of servers that get the tokens.
  var originKind = OriginKind.web
  /// Whether one setting applies to all origins.
  var hasSingleSetting = false
  var choices: Choices = .account
  /// Returns the name by which the client calls this program, given this program's name; nil if the client's settings
  /// contain its path.
  var link: @Sendable (_ own: String) -> String? = { _ in nil }
  /// The first supported version; nil if all are supported.
  var minimumVersion: ClientVersion?
  /// Environment variables that override the settings.
  var overridingVariables: [String] = []
  /// Variables that override the settings of one registry or index: the text before and after its name.
  var overridingVariableAffixes: [(prefix: String, suffix: String)] = []
  /// The files that may contain the settings, if `setup` only prints them; nil if `setup` writes them.
  var printedSettingsFiles: (@Sendable (UserFiles) throws(Failure) -> [SetupFile])?
  /// Returns the change to make. Throws `invalid_request` if an option is missing, `invalid_configuration` if setup is
  /// impossible.
  let plan: @Sendable (SetupContext) throws(Failure) -> SetupPlan
  /// Returns a test of the settings. Throws `invalid_configuration` if the program would not find a helper.
  let trial: @Sendable (SetupContext) throws(Failure) -> SetupTrial

  /// The kind of server; `mail` is incoming and outgoing.
  enum OriginKind: Sendable {
    case web, mail, incomingMail, outgoingMail
  }

  /// Options that affect a program's settings.
  struct Choices: OptionSet, Sendable {
    let rawValue: Int

    static let account = Choices(rawValue: 1)
    static let name = Choices(rawValue: 2)
    static let user = Choices(rawValue: 4)
    /// `--role-arn`.
    static let role = Choices(rawValue: 8)
  }

  // The last five are only printed: kubectl would drop comments, and mail programs need further settings.
  static let all: [SetupClient] = [
    git, docker, aws, cargo, go, pip, uv, mcp, kubectl, msmtp, mbsync, neomutt, aerc,
  ]

  static let names = all.map(\.name)

  static func named(_ name: String) -> SetupClient? { all.first { $0.name.hasSameBytes(as: name) } }

  /// The executable's path, if it is on the `PATH`.
  var path: String? { (executables ?? [name]).lazy.compactMap { InstalledProgram($0)?.path }.first }

  var isPrintedOnly: Bool { printedSettingsFiles != nil }

  var isMail: Bool { originKind != .web }

  func supports(_ origin: OriginEntry) -> Bool {
    let isIncoming = OriginEntry.uri(origin.origin)?.hasScheme("imaps") ?? false
    return switch originKind {
    case .web: !origin.isMail
    case .mail: origin.isMail
    case .incomingMail: isIncoming
    case .outgoingMail: origin.isMail && !isIncoming
    }
  }

  /// Whether the settings make the client call this program.
  func isSetUp(_ context: SetupContext) throws(Failure) -> Bool {
    let plan = try plan(context)
    if let isAsked = plan.isAsked { return isAsked() }
    for file in try printedSettingsFiles?(context.files) ?? [plan.file].compactMap({ $0 }) {
      if let bytes = try file.read(), try plan.isIn(bytes, of: file.path) { return true }
    }
    return false
  }

  static func notFound(_ name: String) -> Failure {
    Failure(.invalidConfiguration, "\(name) is not in PATH, so its file cannot be checked")
  }

  /// The failure if `variable` disables a program's settings file.
  static func disabledFileFailure(_ name: String, _ variable: String, _ value: String) -> Failure {
    Failure(.invalidConfiguration, "\(name) reads no settings file: \(variable) is \(value)")
  }

  static func == (one: SetupClient, other: SetupClient) -> Bool { one.name.hasSameBytes(as: other.name) }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

struct ClientVersion: Sendable {
  /// The arguments that print the version.
  let arguments: [String]
  /// The text before the version in the output.
  let outputPrefix: String
  let major: Int
  let minor: Int
  /// Returns the drawback of an older version, for users.
  let consequence: @Sendable () -> Phrase
}
