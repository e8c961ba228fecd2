internal import Encoding
internal import Platform
internal import Wire

/// A program that `setup` can configure.
struct SetupClient: Sendable, Hashable {
  /// In command lines and receipts.
  let name: String
  /// The executable's possible names, best first; nil for just ``name``.
  var executables: [String]?
  var originKind = OriginKind.web
  /// Whether one setting applies to all origins.
  var hasSingleSetting = false
  var choices: Choices = .account
  /// Returns the name by which the client calls this program, named `own`; nil if the client's settings contain its
  /// path.
  var link: @Sendable (_ own: String) -> String? = { _ in nil }
  /// Nil if all are supported.
  var minimumVersion: ClientVersion?
  /// Environment variables that override the settings.
  var overridingVariables: [String] = []
  /// Text before and after a registry's or index's name in overriding variables.
  var overridingVariableAffixes: [(prefix: String, suffix: String)] = []
  /// Files that may contain the settings, if `setup` only prints them; nil if it writes them.
  var printedSettingsFiles: (@Sendable (UserFiles) throws(Failure) -> [SetupFile])?
  /// Returns the change to make.
  let plan: @Sendable (SetupContext) throws(Failure) -> SetupPlan
  /// Returns a test of the settings. Throws if the program would not find a helper.
  let trial: @Sendable (SetupContext) throws(Failure) -> SetupTrial

  /// `mail` is incoming and outgoing.
  enum OriginKind: Sendable {
    case web, mail, incomingMail, outgoingMail
  }

  /// The options that affect a program's settings.
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

  /// Nil if not on the `PATH`.
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
  /// Before the version in the output.
  let outputPrefix: String
  let major: Int
  let minor: Int
  /// Returns an older version's drawback, for users.
  let consequence: @Sendable () -> Phrase
}
