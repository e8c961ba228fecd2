/// The commands, in the order of the help.
enum CommandName: String, CaseIterable, Sendable, CustomStringConvertible {
  case login, workload, logout, ssh, token, env, exec
  case tokenFile = "token-file"
  case serve
  case leasePort = "lease-port"
  case request, mcp, proof, helper, setup, doctor, status, list, use, whoami,
    events,
    verify, decode
  case accountAdd = "account add"
  case accountShow = "account show"
  case accountSet = "account set"
  case accountRename = "account rename"
  case accountRemove = "account remove"
  case accountImport = "account import"
  case accountClientMetadata = "account client-metadata"
  case lock, unlock
  case vaultStatus = "vault status"
  case vaultBind = "vault bind"
  case vaultAddPassphrase = "vault add-passphrase"
  case vaultChangePassphrase = "vault change-passphrase"
  case vaultRemoveSlot = "vault remove-slot"
  case vaultRotateKey = "vault rotate-key"
  case vaultRebind = "vault rebind"
  case vaultSetAside = "vault set-aside"
  case vaultCheck = "vault check"
  case vaultSet = "vault set"
  case daemonStart = "daemon start"
  case daemonStop = "daemon stop"
  case daemonRestart = "daemon restart"
  case daemonStatus = "daemon status"
  case daemonRun = "daemon run"
  case daemonRefresh = "daemon refresh"
  case daemonLog = "daemon log"
  case completions, help
  // `agent` without arguments.
  case overview = "__overview"
  // For shell completions. Leading underscores hide names.
  case complete = "__complete"
  // For prompt functions.
  case renew = "__renew"
  // Run by the daemon for events.
  case notify = "__notify"

  var description: String { rawValue }

  static let listed = allCases.filter { !$0.rawValue.hasPrefix("_") }

  var words: [Substring] { rawValue.split(separator: " ") }

  var pageName: String {
    switch self {
    case .overview, .complete, .renew, .notify: Self.mainPage
    case .lock, .unlock: "agent-vault"
    default: "agent-\(words[0])"
    }
  }

  /// The page's manual section.
  var section: Int { self == .workload ? 7 : 1 }

  static let mainPage = "agent"

  /// The word after `agent help` for known services.
  static let providersTopic = "providers"

  /// The pages in section 1, without ``mainPage``.
  static var pageNames: [String] {
    var pages: [String] = []
    for name in listed where name.section == 1 && !pages.contains(name.pageName) { pages.append(name.pageName) }
    return pages
  }

  static let otherPages = [
    ("agent-config", 5), ("agent-client", 7), ("agent-protocol", 7), ("agent-providers", 7), ("agent-recipes", 7),
    ("agent-variables", 7), ("agent-workload", 7), ("agentd", 8),
  ]

  /// An imperative sentence without a full stop.
  static func summary(ofGroup word: String) -> String {
    switch word {
    case "account": "Set up accounts, and change their settings"
    case "vault": "Manage the vault: its keys, and when it locks"
    default: "Start, stop and watch the daemon"
    }
  }

  /// The second words of a group such as `daemon`.
  static func members(ofGroup word: String) -> [String] {
    listed.map(\.words).filter { $0.count == 2 && $0[0] == word }.map { String($0[1]) }
  }

  static var firstWords: [String] { firstWords(of: listed) }

  static func firstWords(of names: [CommandName]) -> [String] {
    var words: [String] = []
    for name in names {
      let word = String(name.words[0])
      if words.last != word { words.append(word) }
    }
    return words
  }
}
