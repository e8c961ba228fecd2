internal import Vocabulary
internal import Wire

extension ManualProtocol {
  /// All requests, in the order of their page.
  static let requests: [Description] =
    [
      token, forget, assumeRole, proof, variables, screenEnvironment, login, loginRedirect, loginConfirm, loginResume,
      discover, logout,
      status,
      doctor, list,
      use,
      whoami,
      resource, resourceBody, verify,
    ]
    + accountRequests + vaultRequests + [
      sessionEvents, tokenFile, lease, leaseAnswer, leaseStatus, daemonStatus, daemonLog, daemonStop,
    ]

  private static let token = Description(
    name: "token",
    purpose: "Asks for an access token. It comes from memory, or after a refresh that all who wait for it share.",
    members: [
      account,
      Member(
        "min_valid", "number",
        "For how many seconds more the token must be good, 0 to 86400; by default a minute, or a tenth of its lifetime"
          + " when that is less."),
      Member(
        "wait", "number",
        "How many seconds to wait, beyond `timeout`, while the server cannot be reached, 1 to 3600; by default not at all."
      ),
      Member("force_refresh", "boolean", "Get a new token even if the cached one is valid."),
    ] + tokenTarget + [
      Member("id_token", "boolean", "Answer with the ID Token as well."),
      Member("claims", "boolean", "Answer with the claims of the verified ID Token as well."),
      Member(
        "variables", "boolean",
        "Answer with the variables that the account's settings name as well, and with the ID Token or the claims if they"
          + " need them."),
    ] + placeOfToken,
    result: [
      Member("account", "text", "The account that the token is of."),
      Member("issuer", "text", "Its authorization server."),
      Member("subject", "text", "Who is signed in, by the ID Token."),
      Member(
        "sign_in_by", "number",
        "When the session ends unless a person signs in again, if the server says so and it is less than three days off,"
          + " in unix seconds."),
      Member("access_token", "text", "The token."),
      Member("token_type", "text", "How it is used: `Bearer`, or `DPoP` for one that is bound to a key."),
      Member("scope", "text", "What the server granted."),
      Member("expires_at", "number", "When it expires; absent when the server named no lifetime."),
      Member(
        "offline", "boolean",
        "It should have been renewed, but the server could not be reached; absent for any other token."),
      Member(
        "variables", "list of texts", "The variables, as `NAME=FIELD`, if they were asked for and there are some."),
      Member("id_token", "text", "The ID Token, if it was asked for and there is one."),
      Member("claims", "object", "Its claims, if they were asked for and there is one."),
      Member(
        "use", "text",
        "Which token is meant, `access_token` or `id_token`; this and the next members are there when the request names a"
          + " place, or `use`."),
      Member("use_expires_at", "number", "When that token expires, if it is known."),
      Member("place", "text", "The origin, with the path that the settings have, that it may be sent to."),
      Member("user", "text", "The user name that the settings have for the place."),
      Member("header", "text", "The header that they have for it; see agent-config(5)."),
    ])

  private static let placeOfToken = [
    Member(
      "url", "text",
      "Where the caller is going to send the token: a URL, or a host with or without a port and a path. Then the account is"
        + " the one that lists the place, never the active one, and the settings of the place decide which token it is. One"
        + " that is not listed has the error `place_not_listed`."),
    Member("user", "text", "The user name that the caller wants to use there; by default any."),
    Member(
      "use", "text",
      "The token that is wanted where the settings do not say: `access_token`, by default, or `id_token`. `min_valid` counts"
        + " for it."),
    Member(
      "refused", "boolean",
      "The place has refused the token that it got. It is renewed, unless the place has refused a fresh one in the last five"
        + " minutes."),
  ]

  private static let forget = Description(
    name: "forget",
    purpose:
      "Drops the cached token of a place, which has refused it, so that the next request gets a new one. The token's"
      + " bytes are read from a descriptor that comes with the request; any other token is left alone, and the session stays"
      + " what it is.",
    members: [
      Member("url", "text", "The place, as for `token`. Must be there."),
      Member("account", "text", "The account; without it the one that lists the place."),
    ],
    result: [
      Member("account", "text", "The account that lists the place."),
      Member("forgotten", "boolean", "Whether it was the cached token."),
    ])

  private static let assumeRole = Description(
    name: "assume_role",
    purpose:
      "Trades the token of a place, the ID Token unless the settings say otherwise, for credentials of a role of Amazon"
      + " Web Services (`AssumeRoleWithWebIdentity`). They are kept in memory for each role, until 20 minutes before their"
      + " end.",
    members: [
      Member("url", "text", "The Security Token Service; a place as for `token`. Must be there."),
      Member("account", "text", "The account; without it the one that lists the place."),
      Member("role_arn", "text", "The role. Must be there."),
      Member("role_session_name", "text", "The name of its session, which the service logs. Must be there."),
      Member(
        "duration", "number", "For how many seconds the credentials are to be good, 900 to 43200; by default an hour."),
    ],
    result: [
      Member("account", "text", "The account whose token it was."),
      Member("access_key_id", "text", "The key's name."),
      Member("secret_access_key", "text", "The key."),
      Member("session_token", "text", "What goes with each request beside the key."),
      Member("expires_at", "number", "When they expire."),
    ])

  private static let variables = Description(
    name: "variables",
    purpose:
      "Hands over the values of variables of the client's environment, for the later requests of the connection; they are"
      + " dropped when it closes. An error `assertion_needed` names those that a request lacked in `variables`, a list of"
      + " texts: after this request the same request can be made again, since it has done nothing. A client asks for no"
      + " variable that it was not told of.",
    members: [
      Member(
        "names", "list of texts",
        "The names, 1 to 4. Each value comes in a descriptor, in this order. Must be there.")
    ],
    result: [])

  private static let screenEnvironment = Description(
    name: "screen_environment",
    purpose:
      "Asks which values of an environment hold a token of any account, so that a program gets none of them. The values"
      + " come in a descriptor, each followed by a NUL, at most \(EnvironmentScreening.mostBytes) bytes in all; a larger"
      + " environment takes several requests. A value holds a token that it is or contains, also percent-encoded, but not in base64. Looked"
      + " for are the access, refresh and ID Tokens that the daemon has, and up to four renewed ones of a session, but not"
      + " those of locked accounts.",
    members: [],
    result: [
      Member("holding", "list of numbers", "The values that hold one, by their number from 0."),
      Member(
        "mapped", "list of texts",
        "The names of the variables that the settings of all accounts set (`agent account set --var`)."),
    ])

  private static let proof = Description(
    name: "proof",
    purpose: "Asks for the proof that one HTTP request with an account's access token needs, where that token is bound"
      + " to a key (RFC 9449). Each request needs a proof of its own. The URL decides which account it is, as for"
      + " `resource`, and gets none where no token may go.",
    members: [
      Member("account", "text", "The account; without it the one that lists the host of the URL."),
      Member("method", "text", "The method of the request, as it will be sent. Must be there."),
      Member("url", "text", "Where it will be sent: https, or http where the account allows it. Must be there."),
      Member("nonce", "text", "The last `DPoP-Nonce` that the server gave. It is remembered for its origin."),
      Member("access_token", "boolean", "Answer as `token` does as well, with the token that the proof is for."),
    ],
    result: [
      Member("account", "text", "The account that the token is of."),
      Member("dpop", "text", "The value of the header `DPoP`."),
    ])

  private static let login = Description(
    name: "login",
    purpose: "Signs in to an account and, when `issuer` is there, sets it up first. Tells the events `device_code` or"
      + " `browser`, and `qr_code`, `confirm`, `redirect_refused` and `notice` before it ends.",
    members: [
      Member("account", "text", "The account; without it the active one, or with `issuer` a name made from its host."),
      Member("issuer", "text", "The authorization server's own name, a URL; without it the stored settings are used."),
      Member("client_id", "text", "The client identifier; must be there for a new account."),
    ] + settings + handedOver + newClient + [
      Member("qr_code", "boolean", "Tell the event `qr_code` too."),
      Member(
        "flow", "text",
        "`browser`, whose answer comes to a port of this machine, `device` or `paste`; without it the daemon chooses."),
      Member("can_open_browser", "boolean", "For that choice: a browser can be opened where the caller is."),
      Member(
        "unless", "text",
        "Sign in only if the account has no session (`signed_in`), or no token that a refresh could not renew (`token`)."
          + " What passes by itself is told as an error."),
      Member("use", "boolean", "Make the account the active one."),
      Member("ephemeral", "boolean", "Keep account and session in memory alone, until the daemon ends."),
      Member(
        "start", "boolean",
        "Answer once it is known what a person must do, with `login`, `account`, `state`, which is `waiting`, and"
          + " `expires_at`, and go on in the background."),
      Member("prompt", "text", "Prompt that the server must show; see OpenID Connect Core, section 3.1.2.1."),
      Member("login_hint", "text", "User name to suggest."),
      Member("acr_values", "list of texts", "What kinds of sign-in will do."),
      Member("max_age", "number", "How many seconds ago the person may have authenticated."),
      Member("claims_challenge", "text", "The claims that a resource demanded: its JSON, plain or in base64."),
    ],
    result: [
      Member("account", "text", "The account that is signed in."),
      Member("issuer", "text", "Its authorization server."),
      Member("subject", "text", "Who is signed in, by the ID Token."),
      Member("person", "text", "The e-mail address or the name of that person, for people."),
      Member("active_account", "text", "The account that requests act on which name none."),
      Member("kept", "boolean", "There was no need to sign in; see `unless`."),
      Member("scope", "text", "What the server granted."),
      Member("expires_at", "number", "When the access token expires."),
      Member("guest", "boolean", "There is no user."),
      Member("assertion", "boolean", "There is no user, and an assertion is what the session is renewed by."),
      Member("upgraded_from_guest", "boolean", "There was none until now."),
    ],
    note: "Closing the connection before the last line cancels the sign-in.")

  private static let loginRedirect = Description(
    name: "login_redirect",
    purpose: "Hands over the whole address that the browser ended at, for a sign-in that waits for it.",
    members: [
      Member("login", "text", "The sign-in, as the event `browser` names it. Must be there."),
      Member("url", "text", "The address, at most 16384 bytes. Must be there."),
    ],
    result: [Member("account", "text", "The account of the sign-in, which goes on and ends where it was asked for.")],
    note:
      "It may also be sent on the connection of the sign-in itself before that has ended. It then has no last line of"
      + " its own; a refusal is told as the event `redirect_refused`.")

  private static let loginConfirm = Description(
    name: "login_confirm",
    purpose: "Says whether the person is the one who signed in, after the event `confirm`.",
    members: [
      Member("login", "text", "The sign-in, as the event names it. Must be there."),
      Member(
        "confirmed", "boolean", "Store the session; otherwise it is ended at the server, and the sign-in fails."),
    ],
    result: [Member("account", "text", "The account of the sign-in, which ends where it was asked for.")],
    note: "It may also be sent on the connection of the sign-in itself, as `login_redirect`.")

  private static let loginResume = Description(
    name: "login_resume",
    purpose: "Takes up a sign-in that was started in the background: tells its event again and answers as `login` does"
      + " when it ends. Closing the connection leaves it going on.",
    members: [
      Member("login", "text", "The sign-in, as the answer of its start names it. Must be there."),
      Member("report", "boolean", "Answer at once how it stands, with the members of a start."),
    ],
    result: [
      Member("account", "text", "As for `login`; so are the others.")
    ])

  private static let logout = Description(
    name: "logout",
    purpose:
      "Ends sessions here, and then at the authorization server, which is told again for a day while it does not answer."
      + " Settings are kept.",
    members: [
      account,
      Member("all", "boolean", "All accounts; `account` must be absent then."),
      Member("local", "boolean", "Delete the session here without revoking it at the server."),
      Member(
        "browser", "boolean", "Tell where the browser's session at the server can be ended; `local` must be absent."),
    ],
    result: [
      Member(
        "accounts", "list of objects",
        "For each account `account`, its name, `revoked`, whether the server confirmed, and where it did not `detail`;"
          + " with `browser` also `end_session_url`, if the server has such a page; with `all`, where the account is"
          + " still signed in, `error` with `code`, `message` and `hint`. The daemon opens nothing itself.")
    ])

  private static let status = Description(
    name: "status",
    purpose: "Tells of accounts, sessions, daemon and vault. Never holds a token.",
    members: [
      Member("account", "text", "The only account to tell of; without it all."),
      Member("check", "boolean", "Ask the authorization servers whether the sessions still hold."),
    ],
    result: [
      Member(
        "accounts", "list of objects",
        "For each account `name`, `active`, `person` (an e-mail address or a name, for people), `issuer`, `client_id`,"
          + " `guest` (there is no user), `assertion` (nor is there one, and a JWT renews the session), `ephemeral` (it is in memory alone),"
          + " `client_secret_expires_at`, `certificate_thumbprint` (RFC 8705: `x5t#S256`), `certificate_expires_at`,"
          + " `subject`, `state`, `scope`, `authorization_details` (those that were granted, RFC 9396), `protection` (how its record in the vault opens), `expires_at`,"
          + " `refresh_token_expires_at` and `authorization_expires_at` (ends of the session that the server named),"
          + " `sign_in_by` (the first of them, if people should sign in again now),"
          + " `refresh` (the policy of renewal), `refresh_queued` (a refresh waits for the network or the server),"
          + " `last_refresh`, `http_loopback` (whether plain http is allowed), `ca_file`, `proxy` and `problem`, an error"
          + " object that says why it cannot be used or what failed last, and `in_config` as in `list`; with `check` also"
          + " `check`, which is one of \(Prose.words(CheckResult.self)), `check_cause` of a session that is over at the"
          + " server, `revoked` or `expired`, and `check_problem`, an error object that says why it failed. `state` is one of"
          + " \(Prose.words(SessionState.self))."),
      Member("daemon", "object", "What `daemon_status` answers."),
      Member(
        "vault", "object",
        "`path`, `exists`, `slots`, a list of what can open it, `device_bound`, whether another machine cannot, and"
          + " `binding` and `binding_problem` as in `vault_status`; where it exists `installation`, a number in hexadecimal"
          + " digits that it got when it was made: another one means that all sessions from before are gone."),
    ])

  private static let doctor = Description(
    name: "doctor",
    purpose:
      "Tells what `status` does, and how the authorization servers answer, each within two seconds. Nothing that is"
      + " kept of them changes.",
    members: [Member("account", "text", "The only account to tell of; without it all.")],
    result: [
      Member(
        "accounts", "list of objects",
        "As in `status`, and for each account `asked_scope`, which the settings ask for, `next_renewal`, `failed_at` (when"
          + " the last refresh failed), `origins`, `unconfirmed_origins` (which stand in the settings alone), and `server`: `milliseconds`, `clock_offset` (how many seconds this machine's clock"
          + " is ahead), `keys` (how many the server has published) and `problem`, an error object."),
      Member("daemon", "object", "What `daemon_status` answers."),
      Member("vault", "object", "As in `status`."),
    ])

  private static let list = Description(
    name: "list",
    purpose: "Lists the accounts.",
    result: [
      Member(
        "accounts", "list of objects",
        "For each account `name`, `active`, `person`, `issuer`, `state`, `guest`, `assertion`, `expires_at` and `sign_in_by` as in"
          + " `status`; and `in_config`, which is false for one that was deleted"
          + " from the settings by hand while the vault has its session, which is neither used nor renewed.")
    ])

  private static let use = Description(
    name: "use",
    purpose: "Makes an account the active one.",
    members: [Member("account", "text", "The account. Must be there.")],
    result: [Member("account", "text", "The account that is the active one now.")])

  private static let whoami = Description(
    name: "whoami",
    purpose: "Tells who is signed in, by the verified ID Token, else by the UserInfo endpoint.",
    members: [
      account,
      Member("verified", "boolean", "Only by the verified ID Token: no server is asked, and no token is renewed."),
    ],
    result: [
      Member("account", "text", "The account."),
      Member("issuer", "text", "Its authorization server."),
      Member("subject", "text", "Who is signed in."),
      Member("claims", "object", "What the server says of that person."),
      Member(
        "source", "text", "id_token for claims that were verified, userinfo for others; absent if there are none."),
    ])

  private static let daemonStatus = Description(
    name: "daemon_status",
    purpose: "Tells of the daemon.",
    result: [
      Member("pid", "number", "Its process."),
      Member("version", "text", "Its version."),
      Member(
        "commit", "text",
        "The commit it was built from, with `-dirty` behind it where files had been changed; absent if unknown."),
      Member("libraries", "object", "The versions of `libcurl`, `openssl` and `libqrencode` that it uses."),
      Member("program_replaced", "boolean", "Whether another version was put in the place of its program."),
      Member("uptime", "number", "For how many seconds it has been running."),
      Member("socket", "text", "The path of its socket; absent from a private daemon."),
      Member("memory_pss_kib", "number", "Its share of memory, in KiB."),
      Member("memory_private_dirty_kib", "number", "The part of it that is its alone, in KiB."),
      Member("secure_heap", "text", "The memory for secrets: `locked`, `unlocked` or `unavailable`."),
      Member("secure_heap_used", "number", "How many bytes of it are in use."),
      Member(
        "limits", "object",
        "The limits that it inherited and cannot raise: `processor_seconds`, `file_bytes`, `data_bytes`, `stack_bytes`,"
          + " `processes`, `descriptors`, `locked_bytes` and `address_space_bytes`, each absent if there is none."),
    ])

  private static let daemonLog = Description(
    name: "daemon_log",
    purpose: "Tells the last events. No token, code or text of a server or a peer is among them. Single steps, such as"
      + " an exchange with a server, are among them if they were taken while a request with `verbose` waited.",
    result: [
      Member(
        "events", "list of objects",
        "The oldest first. For each event `time`, `account` where it is about one, `event`, which says what it is, and"
          + " what goes with that: `attempt`, `duration_ms`, `wait_ms`, `seconds`, `seconds_left`, `seconds_wanted`,"
          + " `result` (`ok` or an error code), `endpoint` (a word for what it is for), `status` (that of HTTP),"
          + " `algorithm`, `change`, `cause`, `protection`, `reason`, `signal`, `errno`, `position` or `count`. A client leaves"
          + " out an event that it does not know."
      ),
      Member("dropped", "number", "How many earlier events are no longer kept."),
    ])

  private static let daemonStop = Description(
    name: "daemon_stop",
    purpose: "Ends the daemon. The answer comes when the work under way is done.",
    result: [
      Member("pid", "number", "The process that is about to end."),
      Member(
        "unstored", "array of text",
        "Accounts whose last refresh token could not be stored and is lost with the daemon; only if there are any."),
    ])

  // MARK: Events

  /// The client that asks, and the scopes that it asks for.
  private static let signIn = [
    Member("login", "text", "The sign-in, by 128 random bits."),
    Member("account", "text", "The account."),
    Member("issuer", "text", "Its authorization server."),
    Member("client_id", "text", "The client that asks."),
    Member("scope", "text", "What it asks for."),
  ]

  static let events: [Description] =
    [
      response, body, bodyWanted,
      Description(
        name: "device_code",
        purpose: "A person must open an address and type a code; see RFC 8628, section 3.3.",
        members: signIn + [
          Member("user_code", "text", "The code, as the server spells it."),
          Member("verification_uri", "text", "The address."),
          Member("verification_uri_complete", "text", "The address with the code in it."),
          Member("expires_at", "number", "When the code expires."),
          Member("interval", "number", "Seconds between two questions of the daemon to the server."),
        ]),
      Description(
        name: "qr_code",
        purpose: "The address of the event before as a QR code, `verification_uri_complete` if there is one.",
        members: [
          Member(
            "rows", "list of texts",
            "The rows from the top, each as long as there are rows: `1` is a dark module, `0` a light one.")
        ]),
      Description(
        name: "browser",
        purpose: "A person must open an address in a browser; see RFC 6749, section 4.1.",
        members: signIn + [
          Member("url", "text", "The address. The daemon opens nothing itself."),
          Member(
            "link_url", "text",
            "An address at 127.0.0.1 or [::1] that leads there once, for the command line of a browser, which all users"
              + " of the machine can read; who opens the address by hand has no use for it. Absent where the daemon"
              + " cannot tell whose a connection is; only this user's are served otherwise."),
          Member("redirect_uri", "text", "Where the browser brings the answer."),
          Member(
            "must_paste", "boolean", "Nothing listens there, so a `login_redirect` request must bring the answer."),
          Member("expires_at", "number", "When nobody waits for the answer any more."),
          Member("url_expires_at", "number", "Until when the address can be opened, where that is sooner."),
        ]),
      Description(
        name: "confirm",
        purpose: "The answer came, but it cannot be told whether from a program of this user: somebody else may have"
          + " signed in. Nothing is stored before a `login_confirm` request.",
        members: [
          Member("login", "text", "The sign-in."), Member("account", "text", "The account."),
          Member("issuer", "text", "Its authorization server."),
          Member("subject", "text", "Who signed in, by the ID Token; absent without one."),
          Member("name", "text", "The same for people, where the ID Token says it."),
          Member("expires_at", "number", "When nobody waits for the answer any more."),
        ]),
      Description(
        name: "redirect_refused",
        purpose: "The address that was handed over on this connection is not the answer; the sign-in goes on waiting.",
        members: [
          Member("code", "text", "`redirect_rejected`."),
          Member("message", "text", "What is wrong, safe to show on a terminal."),
          Member("hint", "text", "What helps."),
        ]),
      Description(
        name: "notice",
        purpose: "Something worth knowing that is not the answer.",
        members: [Member("message", "text", "One sentence, safe to show on a terminal.")]),
      Description(
        name: "progress",
        purpose: "What is done for a request with `verbose`, and why. Nothing in it is secret.",
        members: [Member("entry", "object", "One event, as `daemon_log` tells them.")]),
    ] + sessionEventLines
}
