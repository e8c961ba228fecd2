/// The parts of the manual that belong to no single command, in the notation of ``Prose``.
enum Manual {
  /// The date of the manual's last change in substance, as mdoc(7) requires.
  static let date = "November 23, 2026"

  /// The names and sections of all pages.
  static let pages: [(name: String, section: Int)] =
    ([CommandName.mainPage] + CommandName.pages).map { ($0, 1) } + CommandName.otherPages

  static let summary = "Keep signed in to OAuth 2.0 and OpenID Connect services"

  static let description = [
    "`agent` keeps you signed in to OAuth 2.0 and OpenID Connect services from the terminal. After one sign-in,"
      + " scripts and programs get a fresh access token on request. Access tokens are kept in the memory of `agentd`,"
      + " a per-user daemon that `agent` starts automatically. They are stored elsewhere only on request: with"
      + " `--keep` in the vault, with `agent exec --token-file` in a file. Refresh tokens are in an encrypted file"
      + " that only this device can open. Every ID Token is verified.",
    "On Debian and Ubuntu, install the package `agent-oauth`; it includes `agentd`, the completions and these pages."
      + " No setup is needed: start with `agent login`.",
    "An account is a client registration at an authorization server, together with the user signed in with it. One"
      + " account is the active one; commands that name no account use it.",
    "Answers go to standard output, complete or not at all: if a command fails, standard output is empty. If an"
      + " answer cannot be written, the exit status is 1, without a message if the reader has gone. Errors go to"
      + " standard error as a line that begins with `agent: error:` and, if a remedy is known, a line that begins"
      + #" with `agent: hint:`. With `--json` an error is `{"error": {"code", "message", "hint"}}`, on one line;"#
      + " agentd(8) lists the codes. All times in JSON are unix seconds, and members without a value are omitted."
      + #" Completions and help are always text. `agent --version --json` prints `{"version", "commit", "daemon":"#
      + #" {"version", "commit", "libraries": {"libcurl", "openssl", "libqrencode"}}}`: `daemon` describes the"#
      + " running daemon, or contains the `problem` if it does not answer, and is absent if none is running; none is"
      + " started. A commit is absent if it was unknown to the build.",
    "A `DURATION` is a whole number followed by `s`, `m`, `h` or `d`; without a unit it is in seconds.",
  ]

  struct Item: Sendable {
    let term: String
    let meaning: String
  }

  static let environment = [
    Item(term: "AGENT_ACCOUNT", meaning: "The account for commands that name none."),
    Item(
      term: "AGENT_SOCKET",
      meaning: "The absolute path of the daemon's socket, instead of the default. Its directory must belong to the"
        + " user and be closed to others. Only `agent daemon start` and `agent daemon restart` start a daemon there."),
    Item(
      term: "AGENT_SOCKET_USER",
      meaning: "The ID of another user whose process may serve that socket, as `id -u` prints it where `agent` runs:"
        + " 65534 in a container whose user namespace lacks that user. Its directory may then belong to that user."
        + " That user gets everything sent to the socket, so name only a trusted one."),
    Item(
      term: "BROWSER",
      meaning: "The browser for `agent login` and `agent logout --browser`: commands separated by colons, in which"
        + " `%s` is replaced by the URL."),
    Item(
      term: "HTTPS_PROXY",
      meaning: "The proxy that `agent login` stores with the account; also `https_proxy`, `ALL_PROXY` and"
        + " `all_proxy`. It is ignored afterwards."),
    Item(
      term: "LANGUAGE",
      meaning:
        "The languages for messages, in order of preference: `de`, `ar` or `en`. Ignored if the locale is `C`."),
    Item(
      term: "LC_MESSAGES",
      meaning:
        "The locale for messages, which must use UTF-8; `LC_ALL` overrides it, and `LANG` is the fallback. Output for"
        + " programs, such as answers with `--json`, is the same in all languages."),
    Item(term: "NO_PROXY", meaning: "The hosts to reach without the proxy; also `no_proxy`."),
    Item(term: "NO_COLOR", meaning: "If not empty, output has no colours and no bold text."),
    Item(term: "TERM", meaning: "If unset or `dumb`, output has no colours, and no line is rewritten."),
    Item(
      term: "XDG_RUNTIME_DIR",
      meaning: "The location of the daemon's socket; if unset, `/run/user/UID` or a directory below the state home is"
        + " used."),
    Item(term: "XDG_CONFIG_HOME", meaning: "The configuration home, by default `~/.config`."),
    Item(term: "XDG_STATE_HOME", meaning: "The state home, by default `~/.local/state`."),
    Item(term: "XDG_CACHE_HOME", meaning: "The cache home, by default `~/.cache`."),
  ]

  static let files = [
    Item(term: "$XDG_RUNTIME_DIR/agent/agent.sock", meaning: "The daemon's socket."),
    Item(term: "$XDG_CONFIG_HOME/agent/", meaning: "Accounts and their settings; no secrets."),
    Item(
      term: "$XDG_STATE_HOME/agent/vault.*",
      meaning:
        "The vault: refresh tokens, client secrets and keys, encrypted; one file for each machine that uses this home"
        + " directory."
    ),
    Item(term: "$XDG_STATE_HOME/agent/device.key", meaning: "The secret that binds the vault to this device."),
    Item(
      term: "$XDG_STATE_HOME/agent/setup.json",
      meaning: "The additions by `agent setup` to the settings of other programs; no secrets."),
    Item(
      term: "$XDG_DATA_HOME/agent/bin/",
      meaning: "Links created by `agent setup` for programs that call this program by another name."),
    Item(term: "$XDG_CACHE_HOME/agent/", meaning: "Public data of authorization servers; can be deleted."),
  ]

  static let exitStatuses = [
    Item(term: "0", meaning: "The command succeeded."),
    Item(term: "1", meaning: "The command failed, and neither waiting nor signing in helps."),
    Item(term: "2", meaning: "The command line is wrong."),
    Item(term: "3", meaning: "A sign-in is required: there is no session, or it expired or was revoked."),
    Item(term: "4", meaning: "A temporary failure of the network or the server; try again later."),
    Item(term: "5", meaning: "The account or the vault is locked, or the passphrase or PIN was wrong."),
    Item(term: "6", meaning: "The user or the server refused."),
    Item(term: "7", meaning: "A token is invalid, or the input is not a token."),
    Item(term: "130", meaning: "A sign-in was cancelled with Ctrl-C."),
  ]

  static let exitStatusNote =
    "`agent exec` exits with the status of the command it runs, 126 if the command cannot be run, and 127 if it is"
    + " not found."

  /// The first commands of a new user.
  static let gettingStarted = [
    Example("Sign in to a known service", "agent login github"),
    CommandTable.named(.login).examples[0], Example("Show who is signed in, and until when", "agent status"),
    CommandTable.named(.token).examples[0], CommandTable.named(.exec).examples[0],
  ]

  static let examples = [
    Example("Stop a script if there is no token, for any reason", "token=$(agent token) || exit"),
    Example(
      "Use `agent` in a container without leaving a daemon running", "agent --no-daemon token work --min-valid 10m"),
  ]

  static let standards = [
    "OAuth 2.0 (RFC 6749), bearer tokens (RFC 6750), token revocation (RFC 7009), device authorization (RFC 8628),"
      + " authorization server metadata (RFC 8414), proof of possession (DPoP, RFC 9449) and OpenID Connect Core 1.0"
      + " with Discovery 1.0."
  ]

  static let security = [
    "`agent` trusts the kernel, the issuer named by the user, and the system's certificate authorities. It does not"
      + " trust the network, other users of the machine, a copied home directory, or any byte from a server.",
    "Tokens and client secrets are never program arguments, because other users can see those. `agent token` prints"
      + " the token: use it in a pipe or a command substitution, not on a screen that others can see or in a log that"
      + " is kept. Other processes of the same user can read the environment that `agent env` and `agent exec` set.",
    "The vault protects a copy of the home directory: a backup, a shared folder, published configuration files. It"
      + " does not protect against other programs of the same user, against the administrator or, unless it is bound to"
      + " a TPM, against anyone with an image of the whole disk.",
    "`--allow-http-loopback` sends tokens unencrypted to a server on this machine. Use it only for development.",
  ]
}
