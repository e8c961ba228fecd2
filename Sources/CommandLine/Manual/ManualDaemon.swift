internal import Wire

/// The page agentd(8), except for the protocol.
enum ManualDaemon {
  static var sections: [ManualSection] {
    [
      ManualSection("NAME", [.raw(".Nm agentd\n.Nd keeps sessions and provides access tokens\n")]),
      ManualSection("SYNOPSIS", [.raw(".Nm\n.Fl \\-foreground\n.Nm\n.Fl \\-version\n.Op Fl \\-json\n")]),
      ManualSection("DESCRIPTION", description),
      ManualSection("START AND END", start),
      ManualSection("LOCKS", locks),
      ManualSection("PROTOCOL", ManualProtocol.protocolBlocks),
      ManualSection("REQUESTS", ManualProtocol.requestBlocks),
      ManualSection("EVENTS", ManualProtocol.eventBlocks),
      ManualSection("ERROR CODES", ManualProtocol.errorBlocks),
      ManualSection("ENVIRONMENT", environment),
      ManualSection("FILES", [.list(files, macro: "Pa")]),
      ManualSection("EXIT STATUS", [.list(exitStatuses, macro: "Li")]),
      ManualSection("EXAMPLES", ManualProtocol.exampleBlocks),
      ManualSection("SEE ALSO", [.seeAlso([("agent", 1), ("agent-daemon", 1), ("agent-config", 5)])]),
      ManualSection("SECURITY CONSIDERATIONS", security),
    ]
  }

  private static let description: [ManualBlock] = [
    .text(
      "`agentd` is the daemon of `agent`. Each user has one. It keeps access tokens in memory and refresh tokens in"
        + " the vault, and makes every request to authorization servers. `agent` and other programs reach it through a"
        + " socket that only its user can access."),
    .text(
      "It is not for interactive use: `agent` starts it from `../libexec/agentd`, relative to its executable, or from"
        + " the directory of `agent` itself."),
  ]

  private static let start: [ManualBlock] = [
    .text("The daemon is started in one of these ways."),
    .list(
      [
        Manual.Item(
          term: "--directory DIRECTORY --socket-name NAME --ready-fd NUMBER",
          meaning: "By `agent` at its first use. It creates the socket in the directory and writes one byte to the"
            + " descriptor when it is ready. It has its own session and no terminal."),
        Manual.Item(
          term: "--foreground",
          meaning: "By the user or a service manager. It creates the socket in the default location. With"
            + " `LISTEN_FDS=1` and `LISTEN_PID` it serves the socket passed as descriptor 3, see sd_listen_fds(3). It"
            + " writes the lines of `agent daemon log` to standard error, with the priorities for systemd's journal"
            + " if `JOURNAL_STREAM` is set."),
        Manual.Item(
          term: "--connection-fd NUMBER",
          meaning: "By `agent --no-daemon`. It serves the one connection passed to it and ends with it."),
      ], macro: "Li"),
    .text(
      "With `--version` it prints its version and exits; with `--version --json` also the commit it was built from"
        + " and the versions of its libraries."),
    .text(
      "The daemon ends on the request `daemon_stop`, on `SIGTERM` or `SIGINT`, and when its socket is removed or"
        + " replaced, for example at logout. It finishes pending requests to servers, so that no renewed refresh token"
        + " is lost. Sessions continue with the next daemon; access tokens are discarded."),
    .text(
      "On `SIGHUP` it reloads the settings and keeps its sessions and tokens. It also notices changes of the settings"
        + " file automatically."),
  ]

  private static let locks: [ManualBlock] = [
    .text("All locks are advisory, by flock(2). The files are never removed, except those of token files."),
    .list(
      [
        Manual.Item(
          term: WireProtocol.startLockName,
          meaning: "In the runtime directory. Held by the client that starts a daemon, until the daemon listens."),
        Manual.Item(
          term: WireProtocol.lifetimeLockName,
          meaning:
            "In the runtime directory. Held by the daemon until it ends. Only the holder removes the socket."
        ),
        Manual.Item(
          term: "token-NUMBER.lock",
          meaning:
            "In the runtime directory. Held by the daemon that keeps the token file `token-NUMBER` fresh. A starting"
            + " daemon removes locks that no daemon holds, with their files."),
        Manual.Item(
          term: "config.lock", meaning: "In the configuration directory. Held while config.json is replaced."),
        Manual.Item(term: "vault.lock", meaning: "In the state directory. Held while the vault is replaced."),
        Manual.Item(
          term: "locks/account-NAME.lock",
          meaning:
            "In the state directory. Held while the refresh token of an account is spent, so that no two processes"
            + " ever spend the same one."),
      ], macro: "Pa"),
  ]

  private static let environment: [ManualBlock] = [
    .text(
      "At the start all variables are dropped except `HOME`, `USER`, `LOGNAME`, `LANG`, `LANGUAGE`, `PATH`, `TZ` and"
        + " those that begin with `LC_`, `XDG_`, `TPM2`, `TPM_` or `TSS2_`. The proxy is a setting of the account, see"
        + " agent-config(5)."
    ),
    .list(
      Manual.environment.filter { $0.term.hasPrefix("XDG_") } + [
        Manual.Item(term: "HOME", meaning: "The default parent of the directories above."),
        Manual.Item(term: "JOURNAL_STREAM", meaning: "See START AND END."),
        Manual.Item(
          term: "TPM2OPENSSL_TCTI",
          meaning: "The connection to the TPM, in the format of tpm2-openssl; by default `device:/dev/tpmrm0`."),
        Manual.Item(term: "LISTEN_FDS", meaning: "See START AND END; also `LISTEN_PID`."),
      ], macro: "Ev"),
  ]

  static let files = [
    Manual.Item(
      term: "$XDG_RUNTIME_DIR/agent/",
      meaning:
        "The runtime directory, with the socket `agent.sock`, two locks, and the token files of `agent exec"
        + " --token-file`. Without `XDG_RUNTIME_DIR` it is `/run/user/UID/agent`, else"
        + " `$XDG_STATE_HOME/agent/run/MACHINE-BOOT`, where `MACHINE` is a hash of the machine id. It must belong to"
        + " the user and have mode 0700. The file `namespaces` identifies the network and mount namespaces of a"
        + " daemon that was started in its own. Programs outside them use the next of these directories."),
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/config.json", meaning: "Accounts and their settings, see agent-config(5)."),
    Manual.Item(
      term: "$XDG_STATE_HOME/agent/vault.MACHINE",
      meaning: "The vault: one sealed record for each account. `MACHINE` is a hash of the machine id, or `unbound`."),
    Manual.Item(term: "$XDG_STATE_HOME/agent/device.key", meaning: "The secret that binds the vault to this device."),
    Manual.Item(term: "$XDG_STATE_HOME/agent/locks/", meaning: "Locks of the accounts."),
    Manual.Item(
      term: "$XDG_CACHE_HOME/agent/", meaning: "Metadata and public keys of authorization servers; can be deleted."),
  ]

  private static let exitStatuses = [
    Manual.Item(term: "0", meaning: "The daemon was asked to end, or had nothing left to serve."),
    Manual.Item(term: "1", meaning: "It could not start or continue; standard error has the reason."),
    Manual.Item(term: "2", meaning: "The command line is wrong."),
    Manual.Item(term: "75", meaning: "Another daemon already serves the runtime directory."),
  ]

  private static let security: [ManualBlock] = [
    .text(
      "Both ends of the socket ask the kernel for the other end's user, and close the connection to any other user."
        + " Programs of the same user can request access tokens. Refresh tokens, client secrets and keys are never"
        + " sent to a client."),
    .text(
      "Secrets are kept on a heap that is not swapped out, if the limit on locked memory allows it, and are"
        + " overwritten after use. Neither the daemon nor `agent` leaves a core file or can be traced by other programs"
        + " of the user."
    ),
    .text(
      "Before a secret is sent, the account's settings and the server's endpoints are compared with those of the"
        + " sign-in."),
  ]
}
