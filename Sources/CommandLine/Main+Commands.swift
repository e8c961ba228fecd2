extension Main {
  /// The commands of `agent`. A name without a command does not compile.
  static let commands = CommandTable { name in
    switch name {
    case .login: LoginCommand.login
    case .logout: LogoutCommand.logout
    case .token: TokenCommand.token
    case .env: EnvCommand.env
    case .exec: ExecCommand.exec
    case .serve: LeaseCommand.serve
    case .leasePort: LeasePortCommand.leasePort
    case .proof: ProofCommand.proof
    case .request: RequestCommand.request
    case .mcp: MCPCommand.mcp
    case .helper: HelperCommand.helper
    case .setup: SetupCommand.setup
    case .doctor: DoctorCommand.doctor
    case .status: StatusCommand.status
    case .list: ListCommand.list
    case .use: AccountCommand.use
    case .whoami: WhoamiCommand.whoami
    case .events: EventsCommand.events
    case .verify: VerifyCommand.verify
    case .decode: DecodeCommand.decode
    case .accountAdd: AccountCommand.accountAdd
    case .accountShow: AccountCommand.accountShow
    case .accountSet: AccountCommand.accountSet
    case .accountRename: AccountCommand.accountRename
    case .accountRemove: AccountCommand.accountRemove
    case .accountImport: AccountCommand.accountImport
    case .accountClientMetadata: AccountCommand.accountClientMetadata
    case .lock: LockCommand.lock
    case .unlock: LockCommand.unlock
    case .vaultStatus: VaultCommand.vaultStatus
    case .vaultBind: VaultCommand.vaultBind
    case .vaultAddPassphrase: VaultCommand.vaultAddPassphrase
    case .vaultChangePassphrase: VaultCommand.vaultChangePassphrase
    case .vaultRemoveSlot: VaultCommand.vaultRemoveSlot
    case .vaultRotateKey: VaultCommand.vaultRotateKey
    case .vaultRebind: VaultCommand.vaultRebind
    case .vaultSetAside: VaultCommand.vaultSetAside
    case .vaultCheck: VaultCommand.vaultCheck
    case .vaultSet: VaultCommand.vaultSet
    case .daemonStart: DaemonCommand.daemonStart
    case .daemonStop: DaemonCommand.daemonStop
    case .daemonRestart: DaemonCommand.daemonRestart
    case .daemonStatus: DaemonCommand.daemonStatus
    case .daemonRun: DaemonCommand.daemonRun
    case .daemonLog: DaemonCommand.daemonLog
    case .completions: CompletionsCommand.completions
    case .help: HelpCommand.help
    case .overview: OverviewCommand.overview
    case .complete: CompleteCommand.complete
    case .renew: RenewCommand.renew
    case .notify: NotifyCommand.notify
    }
  }
}
