extension Command {
  static let status = Command(
    name: "status",
    summary: "Show accounts, sessions, daemon and vault",
    details: [
      "No token is ever part of the answer. `STATE` is one of signed_out, signing_in, active, stale, refreshing,"
        + " expired, locked and offline. An account is expired too when the server wants the user to sign in again before"
        + " it renews the session, which it has not ended: `problem` then has the code `interaction_required`.",
      "With `--check` the authorization server of each account is asked whether the session still holds, by"
        + " introspection (RFC 7662) where the client may use it, and by UserInfo otherwise. `CHECK` is ok,"
        + " signed_out_elsewhere, not_signed_in, not_possible (the server offers nothing that would tell) or failed. A"
        + " session that was ended elsewhere is expired from then on.",
      #"With `--json` prints `{"accounts": [{"name", "active", "issuer", "client_id", "guest", "client_secret_expires_at","#
        + #" "certificate_thumbprint", "certificate_expires_at", "subject", "state", "scope", "protection","#
        + #" "expires_at", "refresh", "refresh_queued", "last_refresh", "http_loopback", "ca_file", "proxy", "problem", "check", "check_problem"}],"#
        + #" "daemon": {"pid", "version", "uptime", "socket", "memory_pss_kib", "memory_private_dirty_kib","#
        + #" "secure_heap", "secure_heap_used"}, "vault": {"path", "exists", "slots", "device_bound","#
        + #" "binding", "binding_problem", "installation"}}`."#
        + " `refresh` is the account's policy of renewal (`on-demand`, `proactive`, `background`, `offline` or `strict`), and"
        + " `refresh_queued` tells of a refresh that waits for the network"
        + " or the server. `problem` says why the account cannot be used or what failed last, and `check_problem` why a check failed;"
        + " `protection` is how the record of the account opens: `device`, `passphrase` or `tpm2`; `binding` is what opens"
        + " the vault in the background, `host` or `tpm2`, and `binding_problem` why that is not the TPM;"
        + #" problems are `{"code", "message", "hint"}`. `uptime` is in seconds, and `secure_heap`, the memory for secrets,"#
        + " is `locked`, `unlocked` or `unavailable`. `guest` tells of a session without a user, and"
        + " `certificate_thumbprint` is what tokens that are bound to the client's certificate name as `x5t#S256` (RFC"
        + " 8705).",
    ],
    options: [Option(name: .check, summary: "Ask the servers whether the sessions still hold")],
    operands: .account,
    run: StatusCommand.run)

  static let list = Command(
    name: "list",
    summary: "List the accounts",
    details: [
      "The active account is marked with an asterisk. With `--json` prints"
        + #" `{"accounts": [{"name", "active", "issuer", "state"}]}`, with the states of `agent status`."#
    ],
    run: ListCommand.run)

  static let use = Command(
    name: "use",
    summary: "Make an account the active one",
    details: [#"Commands that name no account act on the active one. With `--json` prints `{"account"}`."#],
    operands: .namedAccount,
    run: UseCommand.run)

  static let whoami = Command(
    name: "whoami",
    summary: "Show who is signed in",
    details: [
      "Shows what the verified ID Token says. With `--json` prints"
        + #" `{"account", "issuer", "subject", "claims": {...}}`."#
    ],
    operands: .account,
    run: WhoamiCommand.run)

  static let help = Command(
    name: "help",
    summary: "Print how a command is used",
    operands: .command,
    run: HelpCommand.run)
}
