internal import Wire

/// The page agentd(8), except for the protocol.
enum ManualDaemon {
  static var sections: [ManualSection] {
    [
      ManualSection("NAME", [.raw(".Nm agentd\n.Nd holds sessions and hands out access tokens\n")]),
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
      "`agentd` is the daemon behind `agent`. There is one for each user. It keeps access tokens in its memory, refresh"
        + " tokens in the vault, and makes every request to authorization servers. `agent` and other programs ask it"
        + " over a socket that only its user can reach."),
    .text(
      "It is not meant to be typed: `agent` starts it from `../libexec/agentd`, seen from its own file, or from the"
        + " directory that `agent` itself is in."),
  ]

  private static let start: [ManualBlock] = [
    .text("The daemon is started in one of these ways."),
    .list(
      [
        Manual.Item(
          term: "--directory DIRECTORY --socket-name NAME --ready-fd NUMBER",
          meaning: "By `agent` at its first use. It makes the socket in the directory and writes one byte to the"
            + " descriptor when it listens. It has a session of its own and no terminal."),
        Manual.Item(
          term: "--foreground",
          meaning: "By a person or a service manager. It makes the socket in the usual place. With `LISTEN_FDS=1` and"
            + " `LISTEN_PID` it serves the socket that it was handed as descriptor 3, as sd_listen_fds(3) has it. It writes"
            + " the lines that `agent daemon log` shows to standard error, where `JOURNAL_STREAM` is set with the"
            + " priorities that systemd's journal reads."),
        Manual.Item(
          term: "--connection-fd NUMBER",
          meaning: "By `agent --no-daemon`. It serves the one connection that it was handed and ends with it."),
      ], macro: "Li"),
    .text(
      "With `--version` it prints its version and ends; with `--version --json` also the commit it was built from and the"
        + " versions of the libraries that it uses."),
    .text(
      "The daemon ends by the request `daemon_stop`, by `SIGTERM` or `SIGINT`, and when its socket is removed"
        + " or replaced, as it is at logout. It finishes the requests to servers that are under way, so that no renewed"
        + " refresh token is lost. Sessions go on with the next daemon; access tokens are forgotten."),
    .text(
      "On `SIGHUP` it reads the settings again and keeps its sessions and tokens. It also notices a changed settings"
        + " file by itself."),
  ]

  private static let locks: [ManualBlock] = [
    .text("All locks are advisory, by flock(2). The files are never removed, but those of token files."),
    .list(
      [
        Manual.Item(
          term: WireProtocol.startLockName,
          meaning: "In the runtime directory; held by the client that starts a daemon, until the daemon listens."),
        Manual.Item(
          term: WireProtocol.lifetimeLockName,
          meaning:
            "In the runtime directory; held by the daemon as long as it lives. Only its holder removes the socket."
        ),
        Manual.Item(
          term: "token-NUMBER.lock",
          meaning:
            "In the runtime directory; held by the daemon that keeps the token file `token-NUMBER` fresh. A daemon"
            + " that starts removes those that nobody holds, with their files."),
        Manual.Item(
          term: "config.lock", meaning: "In the configuration directory; held while config.json is replaced."),
        Manual.Item(term: "vault.lock", meaning: "In the state directory; held while the vault is replaced."),
        Manual.Item(
          term: "locks/account-NAME.lock",
          meaning:
            "In the state directory; held while the refresh token of an account is spent, so that no two processes"
            + " ever spend the same one."),
      ], macro: "Pa"),
  ]

  private static let environment: [ManualBlock] = [
    .text(
      "All variables are dropped at the start but `HOME`, `USER`, `LOGNAME`, `LANG`, `LANGUAGE`, `PATH`, `TZ` and those"
        + " that begin with `LC_`, `XDG_`, `TPM2`, `TPM_` or `TSS2_`. The proxy is a setting of the account, see agent-config(5)."
    ),
    .list(
      Manual.environment.filter { $0.term.hasPrefix("XDG_") } + [
        Manual.Item(term: "HOME", meaning: "Where the directories above are by default."),
        Manual.Item(term: "JOURNAL_STREAM", meaning: "See START AND END."),
        Manual.Item(
          term: "TPM2OPENSSL_TCTI",
          meaning: "How the TPM is reached, as tpm2-openssl has it; `device:/dev/tpmrm0` where it is not set."),
        Manual.Item(term: "LISTEN_FDS", meaning: "See START AND END; also `LISTEN_PID`."),
      ], macro: "Ev"),
  ]

  static let files = [
    Manual.Item(
      term: "$XDG_RUNTIME_DIR/agent/",
      meaning:
        "The runtime directory: the socket `agent.sock`, two locks, and the token files of `agent exec --token-file`. Without `XDG_RUNTIME_DIR` it is"
        + " `/run/user/UID/agent`, else `$XDG_STATE_HOME/agent/run/MACHINE-BOOT`, where `MACHINE` is a hash of the machine"
        + " id. It must belong to the user and have mode 0700. The file `namespaces` names the network and mount namespaces"
        + " of a daemon that was started in its own. Programs outside of them use the next of these directories."),
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/config.json", meaning: "Accounts and their settings, see agent-config(5)."),
    Manual.Item(
      term: "$XDG_STATE_HOME/agent/vault.MACHINE",
      meaning: "The vault: one sealed record for each account. `MACHINE` is a hash of the machine id, or `unbound`."),
    Manual.Item(term: "$XDG_STATE_HOME/agent/device.key", meaning: "The secret that binds the vault to this device."),
    Manual.Item(term: "$XDG_STATE_HOME/agent/locks/", meaning: "Locks of the accounts."),
    Manual.Item(
      term: "$XDG_CACHE_HOME/agent/", meaning: "Metadata and public keys of authorization servers; may be deleted."),
  ]

  private static let exitStatuses = [
    Manual.Item(term: "0", meaning: "The daemon was told to end, or nothing was left to serve."),
    Manual.Item(term: "1", meaning: "It could not start, or could not go on; standard error has the reason."),
    Manual.Item(term: "2", meaning: "The command line is wrong."),
    Manual.Item(term: "75", meaning: "Another daemon already serves the runtime directory."),
  ]

  private static let security: [ManualBlock] = [
    .text(
      "Both ends of the socket ask the kernel for the user of the other end and hang up on any other user. Whoever is the"
        + " same user may ask for access tokens. Refresh tokens, client secrets and keys never cross the socket to a"
        + " client."),
    .text(
      "Secrets are kept on a heap that is not swapped out, where the limit on locked memory allows it, and are"
        + " overwritten after use. Neither the daemon nor `agent` leaves a core file, or can be traced by other programs of the user."
    ),
    .text(
      "Before a secret is sent, the settings of the account and the endpoints of the server are compared with those that"
        + " were signed in with."),
  ]
}
