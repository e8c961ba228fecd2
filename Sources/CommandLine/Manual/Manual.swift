/// The parts of the manual that belong to no single command, in the notation of ``Prose``.
enum Manual {
  /// The date of the manual's last change in substance, as mdoc(7) requires.
  static let date = "November 23, 2026"

  /// The names and sections of all pages.
  static let pages: [(name: String, section: Int)] =
    ([CommandName.mainPage] + CommandName.pages).map { ($0, 1) } + CommandName.otherPages

  static let summary = "Keep signed in to OAuth 2.0 and OpenID Connect services"

  static let description = [
    "`agent` keeps a person signed in to OAuth 2.0 and OpenID Connect services from the terminal."
      + " After one sign-in, scripts and programs get a fresh access token whenever they ask."
      + " Access tokens live in the memory of `agentd`, a daemon of the user's own that `agent` starts by itself;"
      + " elsewhere only where that was asked for, with `--keep` in the vault and with `agent exec --token-file` in a file."
      + " Refresh tokens live in an encrypted file that only this device can open."
      + " Every ID Token is verified.",
    "On Debian and Ubuntu it is installed as the package `agent-oauth`; `agentd`, the completions and these pages come with it."
      + " It works without any set-up: `agent login` is the first command.",
    "An account is a client registration at an authorization server together with the user signed in with it."
      + " One account is the active one; a command that names no account acts on it.",
    "Answers go to standard output, complete or not at all: when a command fails, standard output is empty."
      + " An answer that cannot be written is an error with exit status 1; nothing is said of it where the reader of"
      + " standard output has gone."
      + " Errors go to standard error as a line that begins with `agent: error:` and, where something helps, one that"
      + " begins with `agent: hint:`."
      + #" With `--json` an error is `{"error": {"code", "message", "hint"}}`, on one line; agentd(8) lists the codes."#
      + " All times in JSON are unix seconds, and members without a value are left out. What is no data stays text:"
      + " completions and help. `agent --version --json` prints `{\"version\", \"commit\", \"daemon\": {\"version\", \"commit\","
      + " \"libraries\": {\"libcurl\", \"openssl\", \"libqrencode\"}}}`: `daemon` is what a running daemon says of itself, or the"
      + " `problem` for which it does not, and is absent where none runs; none is started. A commit is absent where the build did"
      + " not know it.",
    "A `DURATION` is a whole number followed by `s`, `m`, `h` or `d`, or by nothing for seconds.",
  ]

  struct Item: Sendable {
    let term: String
    let meaning: String
  }

  static let environment = [
    Item(term: "AGENT_ACCOUNT", meaning: "The account of commands that name none."),
    Item(
      term: "AGENT_SOCKET",
      meaning: "The absolute path of the daemon's socket, in place of the usual one."
        + " Its directory must belong to the user and be closed to all others. Only `agent daemon start` and"
        + " `agent daemon restart` start a daemon there."),
    Item(
      term: "AGENT_SOCKET_USER",
      meaning: "The number of another user whose process may serve that socket, as `id -u` tells it where `agent` runs:"
        + " 65534 in a container whose user namespace does not have that user. Its directory may then be that user's."
        + " What is sent to the socket goes to that user, so name one who may have it."),
    Item(
      term: "BROWSER",
      meaning: "The browser of `agent login` and `agent logout --browser`: commands separated by colons, in which `%s`"
        + " stands for the address."),
    Item(
      term: "HTTPS_PROXY",
      meaning: "The proxy that `agent login` keeps with the account; also `https_proxy`, `ALL_PROXY` and `all_proxy`."
        + " It is not looked at afterwards."),
    Item(
      term: "LANGUAGE",
      meaning:
        "A list of languages for messages, the best one first: `de`, `ar` or `en`. It counts only where the locale"
        + " is not `C`."),
    Item(
      term: "LC_MESSAGES",
      meaning:
        "The locale for messages, which must be in UTF-8; `LC_ALL` goes before it and `LANG` after it. What programs"
        + " read, such as the answers with `--json`, is the same in all languages."),
    Item(term: "NO_PROXY", meaning: "The hosts that the proxy is not for; also `no_proxy`."),
    Item(term: "NO_COLOR", meaning: "When it is not empty, nothing is coloured or bold."),
    Item(term: "TERM", meaning: "When it is not set, or is `dumb`, nothing is coloured and no line is rewritten."),
    Item(
      term: "XDG_RUNTIME_DIR",
      meaning: "Where the daemon's socket is; without it `/run/user/UID` or a directory below the state home is used."),
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
        "The vault: refresh tokens, client secrets and keys, encrypted, one file for each machine that uses this home."
    ),
    Item(term: "$XDG_STATE_HOME/agent/device.key", meaning: "The secret that binds the vault to this device."),
    Item(
      term: "$XDG_STATE_HOME/agent/setup.json",
      meaning: "What `agent setup` has put into the settings of other programs; no secrets."),
    Item(
      term: "$XDG_DATA_HOME/agent/bin/",
      meaning: "Links that `agent setup` makes for programs that call this one by a name."),
    Item(term: "$XDG_CACHE_HOME/agent/", meaning: "Public data of authorization servers; may be deleted."),
  ]

  static let exitStatuses = [
    Item(term: "0", meaning: "The command did what it says."),
    Item(term: "1", meaning: "It failed, and neither waiting nor signing in helps."),
    Item(term: "2", meaning: "The command line is wrong."),
    Item(term: "3", meaning: "A sign-in is needed: there is no session, or it expired or was revoked."),
    Item(term: "4", meaning: "A passing failure of the network or the server: try again later."),
    Item(term: "5", meaning: "The account or the vault is locked, or the passphrase or PIN was wrong."),
    Item(term: "6", meaning: "The user or the server said no."),
    Item(term: "7", meaning: "A token does not hold, or is none."),
    Item(term: "130", meaning: "A sign-in was cancelled with Ctrl-C."),
  ]

  static let exitStatusNote =
    "`agent exec` exits with the status of the command it runs, 126 when that cannot be run and 127 when it is not"
    + " found."

  /// The first commands of a new user.
  static let gettingStarted = [
    Example("Sign in to a service that is known by name", "agent login github"),
    CommandTable.named(.login).examples[0], Example("See who is signed in, and until when", "agent status"),
    CommandTable.named(.token).examples[0], CommandTable.named(.exec).examples[0],
  ]

  static let examples = [
    Example("Stop a script when there is no token, whatever the reason", "token=$(agent token) || exit"),
    Example(
      "Use `agent` in a container, where no daemon should stay behind", "agent --no-daemon token work --min-valid 10m"),
  ]

  static let standards = [
    "OAuth 2.0 (RFC 6749), bearer tokens (RFC 6750), token revocation (RFC 7009), device authorization (RFC 8628),"
      + " authorization server metadata (RFC 8414), proofs of possession (DPoP, RFC 9449) and OpenID Connect Core 1.0 with Discovery 1.0."
  ]

  static let security = [
    "`agent` trusts the kernel, the issuer that the user named, and the system's certificate authorities."
      + " It does not trust the network, other users of the machine, a copied home directory, or a byte that a server"
      + " sends.",
    "Tokens and client secrets are never arguments of a program, since other users can see those."
      + " `agent token` prints the token, so it belongs into a pipe or a command substitution, not onto a screen that"
      + " others can see or a log that is kept."
      + " The environment that `agent env` and `agent exec` set can be read by other processes of the same user.",
    "The vault protects a copy of the home directory: a backup, a shared folder, published configuration files."
      + " It does not protect from other programs of the same user, from the administrator, or from whoever holds an"
      + " image of the whole disk, unless it is bound to a TPM.",
    "`--allow-http-loopback` lets tokens travel unencrypted to a server on this machine, and is meant for development"
      + " only.",
  ]
}
