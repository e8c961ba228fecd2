internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// A program that `setup` can configure to ask this one for tokens.
///
/// All differences between these programs are in this value; ``all`` lists them.
struct SetupClient: Sendable {
  /// As on the command line and in receipts.
  let name: String
  /// The names of its executable, in order of preference; nil if it is called by ``name`` only.
  var executables: [String]?
  /// The origins that it can use tokens for.
  var places = Places.web
  /// Whether it has one setting for all origins.
  var isForAllPlaces = false
  var choices: Choices = .account
  /// The name by which it calls this program, whose own name is given; nil if it accepts a path.
  var link: @Sendable (_ own: String) -> String? = { _ in nil }
  /// Its first version that can use the settings.
  var oldest: ClientVersion?
  /// Variables that override the settings.
  var overriding: [String] = []
  /// Overriding variables that exist for each registry or index, by prefix and suffix.
  var overridingEach: [(prefix: String, suffix: String)] = []
  /// The files that may contain the settings, in its search order, if they are only printed; nil if `setup` changes
  /// them.
  var pasted: (@Sendable (UserFiles) throws(Failure) -> [SetupFile])?
  /// - Throws: `invalid_request` if something is missing, `invalid_configuration` if it cannot be configured.
  let plan: @Sendable (SetupContext) throws(Failure) -> SetupPlan
  /// - Throws: `invalid_configuration` if it would find no program to ask.
  let trial: @Sendable (SetupContext) throws(Failure) -> SetupTrial

  enum Places: Sendable {
    case web, mail, incomingMail, outgoingMail
  }

  /// What its settings can name, by the option for it.
  struct Choices: OptionSet, Sendable {
    let rawValue: Int

    static let account = Choices(rawValue: 1)
    static let name = Choices(rawValue: 2)
    static let user = Choices(rawValue: 4)
    static let role = Choices(rawValue: 8)
  }

  // The settings of the last five are only printed: kubectl's own writer drops comments, and a mail program has more
  // settings than ours.
  static let all: [SetupClient] = [
    git, docker, aws, cargo, go, pip, uv, mcp, kubectl, msmtp, mbsync, neomutt, aerc,
  ]

  static let names = all.map(\.name)

  /// The program of this name, if `setup` supports it.
  static func named(_ name: String) -> SetupClient? { all.first { $0.name.utf8.elementsEqual(name.utf8) } }

  /// The path of the program; nil if it is not on the `PATH`.
  var path: String? { (executables ?? [name]).lazy.compactMap { InstalledProgram($0)?.path }.first }

  /// Whether its configuration is only printed.
  var isPrintedOnly: Bool { pasted != nil }

  /// Whether it connects to a mail server.
  var isMail: Bool { places != .web }

  /// Whether it can use tokens for an origin.
  func wants(_ place: OriginEntry) -> Bool {
    let isIncoming = OriginEntry.uri(place.origin)?.hasScheme("imaps") ?? false
    return switch places {
    case .web: !place.isMail
    case .mail: place.isMail
    case .incomingMail: isIncoming
    case .outgoingMail: place.isMail && !isIncoming
    }
  }

  /// Whether its own configuration makes it ask this program.
  func isSetUp(_ context: SetupContext) throws(Failure) -> Bool {
    let plan = try plan(context)
    if let isAsked = plan.isAsked { return isAsked() }
    for file in try pasted?(context.files) ?? [plan.file].compactMap({ $0 }) {
      if let bytes = try file.read(), try plan.isIn(bytes, of: file.path) { return true }
    }
    return false
  }

  static func notFound(_ name: String) -> Failure {
    Failure(.invalidConfiguration, "\(name) is not in PATH, so its file cannot be checked")
  }

  static func readsNothing(_ name: String, _ variable: String, _ value: String) -> Failure {
    Failure(.invalidConfiguration, "\(name) reads no settings file: \(variable) is \(value)")
  }
}

extension SetupClient: Hashable {
  static func == (one: SetupClient, other: SetupClient) -> Bool { one.name.utf8.elementsEqual(other.name.utf8) }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The first version of a program that supports its helper.
struct ClientVersion: Sendable {
  /// The arguments that make the program print its version, and the text before the number.
  let arguments: [String]
  let word: String
  let major: Int
  let minor: Int
  /// The reason to refuse an older version.
  let consequence: @Sendable () -> Phrase
}
