internal import Encoding
internal import Platform
internal import Vocabulary

extension SetupClient {
  /// The names of its program, in order of preference.
  private var programs: [String] {
    switch self {
    case .docker: ["docker", "podman", "skopeo"]
    case .pip: ["pip", "pip3"]
    case .mcp: ["claude"]
    default: [rawValue]
    }
  }

  /// The path of the program; nil if it is not on the `PATH`.
  var program: String? { programs.lazy.compactMap { InstalledProgram($0)?.path }.first }

  /// Whether its configuration is only printed.
  var isPrintedOnly: Bool {
    switch self {
    case .git, .docker, .aws, .cargo, .go, .pip, .uv, .mcp: false
    case .kubectl, .msmtp, .mbsync, .neomutt, .aerc: true
    }
  }

  /// Whether it has one setting for all origins.
  var isForAllPlaces: Bool {
    switch self {
    case .go, .pip, .uv: true
    case .git, .docker, .aws, .cargo, .mcp, .kubectl, .msmtp, .mbsync, .neomutt, .aerc: false
    }
  }

  /// Whether it connects to a mail server.
  var isMail: Bool {
    switch self {
    case .msmtp, .mbsync, .neomutt, .aerc: true
    case .git, .docker, .aws, .cargo, .go, .pip, .uv, .mcp, .kubectl: false
    }
  }

  /// Whether it can use tokens for an origin.
  func wants(_ place: OriginEntry) -> Bool {
    let isIncoming = OriginEntry.uri(place.origin)?.hasScheme("imaps") ?? false
    return switch self {
    case .msmtp: place.isMail && !isIncoming
    case .mbsync: isIncoming
    default: isMail == place.isMail
    }
  }

  var canNameAccount: Bool {
    switch self {
    case .docker, .pip, .uv: false
    case .git, .aws, .cargo, .go, .mcp, .kubectl, .msmtp, .mbsync, .neomutt, .aerc: true
    }
  }

  /// The name by which it calls this program, if it does not accept a path.
  func link(_ name: ProgramName) -> String? {
    switch self {
    case .docker: "docker-credential-\(name.text)"
    case .pip, .uv: HelperName.keyringProgram
    case .git, .aws, .cargo, .go, .mcp, .kubectl, .msmtp, .mbsync, .neomutt, .aerc: nil
    }
  }
}
