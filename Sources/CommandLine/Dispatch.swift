internal import Wire

/// Maps each command to its code.
enum Dispatch {
  /// The work of a command. A command without code does not compile.
  static func action(of command: CommandName, _ invocation: Invocation) throws(Failure) -> Action {
    switch command {
    case .login: try LoginCommand.run(invocation)
    case .logout: try LogoutCommand.run(invocation)
    case .token: try TokenCommand.run(invocation)
    case .env: try EnvCommand.run(invocation)
    case .exec: try ExecCommand.run(invocation)
    case .proof: try ProofCommand.run(invocation)
    case .request: try RequestCommand.run(invocation)
    case .helper: try HelperCommand.run(invocation)
    case .status: try StatusCommand.run(invocation)
    case .list: ListCommand.run(invocation)
    case .use: try AccountCommand.use(invocation)
    case .whoami: try WhoamiCommand.run(invocation)
    case .events: try EventsCommand.run(invocation)
    case .verify: try VerifyCommand.run(invocation)
    case .decode: try DecodeCommand.run(invocation)
    case .accountAdd: try AccountCommand.add(invocation)
    case .accountShow: try AccountCommand.show(invocation)
    case .accountSet: try AccountCommand.set(invocation)
    case .accountRename: try AccountCommand.rename(invocation)
    case .accountRemove: try AccountCommand.remove(invocation)
    case .accountImport: try AccountCommand.import(invocation)
    case .accountClientMetadata: try AccountCommand.clientMetadata(invocation)
    case .lock: try LockCommand.lock(invocation)
    case .unlock: try LockCommand.unlock(invocation)
    case .vaultStatus: VaultCommand.status(invocation)
    case .vaultBind: VaultCommand.bind(invocation)
    case .vaultAddPassphrase: try VaultCommand.addPassphrase(invocation)
    case .vaultChangePassphrase: try VaultCommand.changePassphrase(invocation)
    case .vaultRemoveSlot: try VaultCommand.removeSlot(invocation)
    case .vaultRotateKey: try VaultCommand.rotateKey(invocation)
    case .vaultRebind: try VaultCommand.rebind(invocation)
    case .vaultCheck: VaultCommand.check(invocation)
    case .vaultSet: try VaultCommand.set(invocation)
    case .daemonStart: try DaemonCommand.start(invocation)
    case .daemonStop: try DaemonCommand.stop(invocation)
    case .daemonRestart: try DaemonCommand.restart(invocation)
    case .daemonStatus: try DaemonCommand.status(invocation)
    case .daemonRun: try DaemonCommand.runInForeground(invocation)
    case .daemonLog: try DaemonCommand.log(invocation)
    case .completions: try CompletionsCommand.run(invocation)
    case .help: HelpCommand.run(invocation)
    case .overview: try OverviewCommand.run(invocation)
    case .complete: CompleteCommand.run(invocation)
    case .renew: try RenewCommand.run(invocation)
    }
  }
}
