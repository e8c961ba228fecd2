/// All commands, by their names.
enum CommandTable {
  /// The program's purpose, an imperative sentence without its full stop.
  static let summary = "Keep signed in to OAuth 2.0 and OpenID Connect services"

  /// The commands for users.
  static var all: [Command] { CommandName.listed.map(named) }

  /// The command with this name, if any. Creates no dictionary of the names.
  static func named(_ words: String) -> Command? {
    CommandName.allCases.first { $0.rawValue.utf8.elementsEqual(words.utf8) }.map(named)
  }

  static func named(_ name: CommandName) -> Command {
    switch name {
    case .login: SignInCommands.login
    case .logout: SignInCommands.logout
    case .token: TokenCommands.token
    case .env: TokenCommands.env
    case .exec: TokenCommands.exec
    case .serve: TokenCommands.serve
    case .leasePort: TokenCommands.leasePort
    case .proof: RequestCommands.proof
    case .request: RequestCommands.request
    case .mcp: RequestCommands.mcp
    case .helper: HelperCommands.helper
    case .setup: SetupCommands.setup
    case .doctor: SessionCommands.doctor
    case .status: SessionCommands.status
    case .list: SessionCommands.list
    case .use: SessionCommands.use
    case .whoami: SessionCommands.whoami
    case .events: SessionCommands.events
    case .verify: VerifyCommands.verify
    case .decode: VerifyCommands.decode
    case .accountAdd: AccountCommands.accountAdd
    case .accountShow: AccountCommands.accountShow
    case .accountSet: AccountCommands.accountSet
    case .accountRename: AccountCommands.accountRename
    case .accountRemove: AccountCommands.accountRemove
    case .accountImport: AccountCommands.accountImport
    case .accountClientMetadata: AccountCommands.accountClientMetadata
    case .lock: VaultCommands.lock
    case .unlock: VaultCommands.unlock
    case .vaultStatus: VaultCommands.vaultStatus
    case .vaultBind: VaultCommands.vaultBind
    case .vaultAddPassphrase: VaultCommands.vaultAddPassphrase
    case .vaultChangePassphrase: VaultCommands.vaultChangePassphrase
    case .vaultRemoveSlot: VaultCommands.vaultRemoveSlot
    case .vaultRotateKey: VaultCommands.vaultRotateKey
    case .vaultRebind: VaultCommands.vaultRebind
    case .vaultSetAside: VaultCommands.vaultSetAside
    case .vaultCheck: VaultCommands.vaultCheck
    case .vaultSet: VaultCommands.vaultSet
    case .daemonStart: DaemonCommands.daemonStart
    case .daemonStop: DaemonCommands.daemonStop
    case .daemonRestart: DaemonCommands.daemonRestart
    case .daemonStatus: DaemonCommands.daemonStatus
    case .daemonRun: DaemonCommands.daemonRun
    case .daemonLog: DaemonCommands.daemonLog
    case .completions: ShellCommands.completions
    case .help: SessionCommands.help
    case .overview: ShellCommands.overview
    case .complete: ShellCommands.complete
    case .renew: ShellCommands.renew
    case .notify: ShellCommands.notify
    }
  }
}
