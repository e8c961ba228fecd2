internal import Vocabulary
internal import Wire

/// The commands that begin and end sessions.
enum SignInCommands {
  static let login = Command(
    .login,
    summary: "Sign in to an account",
    details: """
      Signs in with a browser on this machine or, for example over SSH, with a code typed into any browser. The first
      time, name the service: a name from `agent help providers`, or its URL with `--issuer`.

      Opens a browser if possible and supported by the server: approve there, and the command ends. Otherwise it prints
      a short code and an address: open the address in any browser, type the code and approve. If the server has no such
      codes, it prints an address and asks for the one that the browser ends at. `--browser`, `--device` and `--paste`
      override the choice. Ctrl-C cancels the sign-in, unless it continues in the background.

      In a browser sign-in, the answer arrives at a port of this machine that is open only while sign-ins wait. It
      accepts only this user's connections. Several sign-ins can share it. The terminal reports what is rejected:
      another user's connection, such as that of an `ssh -L` as root, a browser that tries https, or an error without
      the sign-in's `state`. The default redirect URI is `http://127.0.0.1:PORT/callback` if the server names itself in
      its answers (RFC 9207), else `http://127.0.0.1:PORT/ISSUER` with the issuer's URL without `https://`, on any free
      port. A client registered with another URI needs `--redirect-uri`, which is kept with the account: `http` to
      `127.0.0.1`, `[::1]` or `localhost`, with a port or, if the server accepts any, without. With `--paste` it may
      also be an `https` URL.

      The browser is a command in `BROWSER`, a list separated by colons in which `%s` is the address; else `xdg-open`,
      else `wslview`. With `--paste`, the address is read from the terminal without being shown, or from standard input
      if that is not a terminal.

      The first sign-in names the issuer and the client identifier that the authorization server's administrator
      assigned. They are kept with the account, so later `agent login NAME` is enough. If the session is still valid,
      the command asks on a terminal whether to sign in again. With `--if-needed`, it exits with status 0 if a token is
      available or can be renewed, and signs in otherwise: use it as the first line of a script. If only the network or
      the server is unavailable, it fails with exit status 4. `ACCOUNT` may also be the issuer's URL, or a host for its
      `https` URL; the account is then named after the host. A known provider, such as `github`, may be given by its
      name or host alone; the account gets its name and built-in settings. The client identifier is your own: if it is
      missing, the message shows where to register a client, and with which redirect URI. It may also be the URL of the
      client's metadata, if the server accepts that without a registration: see `agent account client-metadata`.

      `ACCOUNT` may also be the URL of a resource, such as an API or an MCP server, that names its authorization server
      (RFC 9728). Write it exactly as the resource does. `--resource` does the same for an account that does not exist
      yet. You must confirm that you trust that server: on the terminal, or by naming it with `--issuer`. With
      `--no-input` or without a terminal, the exit status is 3, and the hint is the complete command. Nothing is sent to
      the server before you confirm. Without `--client-id`, the server is then asked to register a client, as with
      `--register`. Without `--scope`, the scopes are those of the resource, and `offline_access` if the server
      announces it. Each token request names the resource (RFC 8707). The tokens are bound to a key, as with `--dpop`,
      if the resource requires it. Later, the same command signs in again without a question, unless the resource then
      names another server, which gets nothing of the old client.

      `agent request` and `agent mcp` may send the tokens to the resource and to paths below it. Other servers at the
      same host need their own account. If `--resource` only names a resource for a given issuer, the tokens may be sent
      to its origin, as with `--host`. If several accounts may be used for a URL, the one for that resource is used.

      With `--ended`, signs in again to every account whose session has ended, one after the other. If one fails, the
      next is still tried; the exit status is that of the first failure.

      For jobs and programs that cannot wait, `--start` prints the sign-in's name as soon as the instructions for the
      user are known, and `agentd` continues in the background. `--resume` waits for the result; with `--no-wait`, it
      exits with status 4 if there is no approval yet. The name is 128 random bits and is lost when the daemon ends; the
      result is kept for ten minutes.

      `--acr`, `--max-age`, `--prompt`, `--login-hint` and `--claims-challenge` control how the user signs in. They need
      a browser: a device code cannot carry them. If a resource requires one of them and refuses an `agent request`, the
      hint is the command that signs in accordingly.

      A client secret is never an argument: it is read from a file, standard input, an environment variable or the
      terminal. A client can also authenticate with a private key. With `--client-key-file` alone, it signs a token for
      each request (RFC 7523). With `--client-certificate-file`, it presents the certificate in the TLS handshake (RFC
      8705), and tokens may be bound to it. All of these are passed to `agentd` as open files and kept in the vault for
      later sign-ins.

      The key may be in the TPM, where it cannot be copied: a P-256 key that OpenSSL's provider `tpm2` made in this TPM,
      without an authorization of its own, as the examples show. Its file (`TSS2 PRIVATE KEY`) is useless elsewhere. The
      TPM signs once before the user is asked, and then for each token or connection. The server must accept ECDSA on
      P-256 with SHA-256.

      `--register` asks the server to register a client for the account (RFC 7591), without a secret unless the server
      requires more. The response is checked; its client identifier is stored in the settings, its secrets in the vault.
      If the sign-in fails, or the account is removed, the client is deleted at the server (RFC 7592) if the server
      supports it; `agent logout` keeps it. With `--token-endpoint-auth-method self_signed_tls_client_auth`, a key and a
      certificate that does not expire are made and registered (RFC 8705, section 2.2). For `tls_client_auth` an
      authority must issue the certificate, so register such a client by hand.

      `--guest` signs in without a user: the client authenticates and gets tokens for itself (RFC 6749, section 4.4),
      and new ones in the same way when needed. `agent status` shows the account as a guest's. A later `agent login`
      without `--guest` makes the account the user's, and reports it.

      `--assertion-file` signs in with a JWT that a platform issues to a job or a workload, such as a projected token of
      a Kubernetes service account. It is exchanged for an access token (RFC 7523, section 2.1), without a user or a
      browser, and is not stored. Each renewal reads the file again, so there is no refresh token. The JWT must contain
      `iss`, `sub` and `exp`. Its `exp` must not be past, its `nbf` not in the future, and its `aud` must contain the
      issuer or the URL of the token endpoint; `--assertion-audience` replaces both. Otherwise nothing is sent, and the
      message names the claim. The exit status is 3 if a later JWT may be accepted, and 6 if this server accepts none.
      In a container without a daemon: `agent --no-daemon login NAME ...`, then `agent --no-daemon token NAME`. With
      `--assertion-grant token-exchange`, the JWT is the subject token of an exchange (RFC 8693) instead. With
      `client-credentials`, it authenticates the client (RFC 7523, section 2.2), which then gets tokens for itself.

      `--assertion-from` names a platform that provides the JWT in its own way, anew for each renewal. `github-actions`
      asks the service named by `ACTIONS_ID_TOKEN_REQUEST_URL` and `ACTIONS_ID_TOKEN_REQUEST_TOKEN`, which a job has
      with the permission `id-token: write`. `gitlab-ci` reads the variable that `id_tokens:` of the job sets:
      `GITLAB_OIDC_TOKEN`, or the one in `--assertion-variable`; its token is as old as the job. `kubernetes` reads the
      token of the pod's service account; for another `aud`, project a token and name its file with `--assertion-file`.
      Variables are read from the environment of the command that needs a new token, such as `agent token` or `agent
      mcp`, and passed to `agentd`, which forgets them when the command ends. Without them the command fails with exit
      status 3, and nothing is renewed in the background. A lease (see `agent serve`) passes no variables of either
      machine: while it lasts, renew the token with a command on the lending machine. `--assertion-fd` reads the JWT
      from a descriptor. It works once: when the access token expires, or at once without a daemon, the exit status is
      3.

      `--assertion-account` signs in through the server of another account whose user is signed in there. That server is
      asked to trade the ID Token for an assertion, which is exchanged here
      (draft-ietf-oauth-identity-assertion-authz-grant). Each renewal requests a new one, and renews the other account
      if its ID Token has expired, so that account needs the scope `openid`. Both servers must know this client.

      With `--dpop`, the tokens are bound to a new key that is never shown (RFC 9449). It signs with ES256, or with
      PS256 or RS256 if the server, or the resource that is signed in to, does not accept ES256. If the TPM opens the
      vault by itself, the key is made in the TPM and cannot be copied. So is the key of a client that registers itself
      to authenticate (`private_key_jwt`, `self_signed_tls_client_auth`). While the TPM is unavailable, the key is made
      in the vault, with a notice; if the TPM refuses to make it, the sign-in fails. `--key tpm2` requires the TPM;
      `--key vault` keeps the keys in the vault. If the TPM is cleared, or the vault is used on another machine, the
      session needs a new sign-in; nothing is deleted before. A stolen token is useless. To use the token, run `agent
      request`, or send a proof with each request, see `agent proof`. A server that answers with an unbound token is
      refused. The choice is kept with the account, and made automatically if a server registers the client for such
      tokens.

      `--profile fapi2` requires the FAPI 2.0 Security Profile of the OpenID Foundation, as banks and health services
      do. The only other option needed is the client's key or certificate. The request is pushed. The tokens are bound
      by DPoP, or to the certificate if the server does that. An RSA key signs with PS256. A server that announces less
      is refused before the user is asked, and an answer that does less is not used, also at each renewal. The message
      names the rule by its section and item. Sign-in by device code, assertion or another program's refresh token is
      not possible. The vault stores the choice: if it is removed from the settings file, the account is signed out. A
      refresh token in an unused answer is kept, so that the session continues once the server does as much as before.

      `--protect` sets the session's protection level in the vault. By default, this `device` alone opens the session,
      which can be refreshed in the background. Otherwise it opens only while unlocked by a `passphrase` or by the TPM
      with a PIN (`tpm2`). The first time, a new passphrase or PIN is asked for twice, or read from the file of
      `--passphrase-file` or a similar option; later, the existing one. See `agent lock`.

      With `--ephemeral` nothing is written: account and session are only in the memory of `agentd`. They are renewed as
      usual, and lost when it ends or the account is signed out. The account is the active one if there is no other, and
      with `--use` or after `agent use`.

      With `--json` prints the events to standard output, one object a line: `{"event": "device_code", "login",
      "account", "issuer", "client_id", "scope", "user_code", "verification_uri", "verification_uri_complete",
      "expires_at", "interval"}` or `{"event": "browser", "login", "account", "issuer", "client_id", "scope", "url",
      "link_url", "redirect_uri", "must_paste", "expires_at", "url_expires_at"}`; if it is unknown whose browser brought
      the answer, `{"event": "confirm", "login", "account", "issuer", "subject", "name", "expires_at"}`; for other
      information, `{"event": "notice", "message"}`; if a pasted address is not the answer, `{"event":
      "redirect_refused", "code", "message", "hint"}` with the code `redirect_rejected`; with `--start`, as the last
      one, `{"event": "started", "login", "account", "expires_at"}`; with `--no-wait`, if there is no approval yet,
      `{"event": "waiting", "login", "account", "expires_at"}`; and at the end `{"event": "signed_in", "account",
      "issuer", "subject", "person", "scope", "expires_at", "renews", "guest", "assertion", "upgraded_from_guest",
      "active_account", "kept"}`, where `kept` is true if no sign-in was needed, or `{"event": "error", "code",
      "message", "hint"}`.
      """,
    options: Options.accountSettings + Options.clientSecrets + [
      Option.register.declaration, Option.initialAccessTokenFile.declaration, Option.guest.declaration,
      Option.assertionFD.declaration,
      Option.browser.declaration, Option.device.declaration, Option.paste.declaration,
      Option.noOpen.declaration, Option.ephemeral.declaration, Option.use.declaration, Option.ifNeeded.declaration,
      Option.ended.declaration,
      Option.start.declaration,
      Option.resume.declaration, Option.noWait.declaration,
      Option.acr.declaration, Option.maxAge.declaration, Option.claimsChallenge.declaration, Option.prompt.declaration,
      Option.loginHint.declaration, Option.qrCode.declaration, Option.copyCode.declaration,
    ],
    everyday: [
      "issuer", "client-id", "scope", "client-secret-prompt", "register", "browser", "device", "paste", "no-open",
      "if-needed",
    ],
    operands: .accountOrService,
    examples: [
      Example(
        "Sign in for the first time, under a name of your choice",
        "agent login work --issuer https://id.example.com --client-id my-cli --scope 'openid offline_access'"),
      Example("Sign in again, after the session expired", "agent login work"),
      Example("Begin a script that needs an account", "agent login work --if-needed || exit"),
      Example(
        "Sign in to a known service",
        "agent login github"),
      Example(
        "Sign in a workload with the JWT from its platform",
        "agent login ci --issuer https://id.example.com --client-id ci --assertion-file /var/run/secrets/tokens/agent"),
      Example(
        "Sign in a job of GitHub Actions",
        "agent login ci --issuer https://id.example.com --client-id ci --assertion-from github-actions"),
      Example(
        "Make a client key in the TPM",
        "openssl genpkey -provider tpm2 -algorithm EC -pkeyopt group:P-256 -out client.key"),
      Example(
        "Request a certificate for a key in the TPM from an authority",
        "openssl req -new -provider tpm2 -provider default -propquery '?provider=tpm2' -key client.key -subj /CN=my-cli -out client.csr"
      ),
      Example(
        "Sign in with the key in the TPM and its certificate",
        "agent login work --issuer https://id.example.com --client-id my-cli --client-key-file client.key --client-certificate-file client.pem"
      ),
      Example(
        "Register a client with a certificate and a key made in the TPM",
        "agent login work --issuer https://id.example.com --register --key tpm2 --token-endpoint-auth-method self_signed_tls_client_auth"
      ),
    ])

  static let logout = Command(
    .logout,
    summary: "Sign out, and revoke the tokens at the server",
    details: """
      Ends the session in memory and in the vault, then revokes its tokens at the server. The account's settings are
      kept.

      If the server does not answer within five seconds, the command reports it. The tokens are then kept only to revoke
      them, which is tried again for a day. `--local` sends nothing to the server, keeps nothing, does not wait, and
      also ends a locked session. Tokens from a refresh in progress are revoked too, or with `--local` dropped. While an
      approved sign-in is being stored, the command is refused. With `--all`, an account that cannot be signed out does
      not stop the others; the exit status is that of the first such account.

      The browser has its own session at the server, so the next sign-in may need no password. `--browser` opens the
      page that ends it (OpenID Connect RP-Initiated Logout), or shows its address if no browser can be opened. The page
      asks first, since the address contains only the account's identifier and no token. Only the page shows the result.

      With `--json`, `was_signed_in` is false for an account without a session; that is no failure. An `error` is
      `{"code", "message", "hint"}`.
      """,
    answer: LogoutRequest().page.result,
    options: [
      Option.all.declaration, Option.local.declaration,
      Option.browser.saying("Then open the page that ends the browser's session at the server", in: .signOut),
      Option.noOpen.saying("With `--browser`: show the address, but open no browser", in: .signOut),
    ],
    operands: .account,
    examples: [
      Example(
        "Sign out of the active account",
        "agent logout"),
      Example(
        "Sign out of every account before giving the machine away",
        "agent logout --all"),
      Example("Sign out here if the server is no longer reachable", "agent logout work --local"),
    ])
}
