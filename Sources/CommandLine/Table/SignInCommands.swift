internal import Vocabulary
internal import Wire

/// The commands that begin and end sessions.
enum SignInCommands {
  static let login = Command(
    .login,
    summary: "Sign in to an account",
    details: """
      Signs in with a browser on this machine or, over SSH say, with a code that is typed into a browser anywhere.
      The first time name the service: by a name of `agent help providers`, or by its URL with `--issuer`.

      Opens a browser where one can be opened and the server offers it; approve there and come back, the command
      ends by itself. Elsewhere, over SSH say, it shows a short code and an address: open the address in any
      browser, on this device or another, type the code and approve. Where the server has no such codes it shows
      an address and asks for the one that the browser ends at. `--browser`, `--device` and `--paste` override the
      choice. Interrupting the command with Ctrl-C cancels the sign-in, unless it goes on in the background.

      In a browser sign-in the answer comes to a port of this machine that is open while sign-ins wait for it, and to this
      user's connections only. Several sign-ins may wait at one port. The terminal reports what is turned away there: a
      connection of another user, such as that of an `ssh -L` as root, a browser that tries https, or an error without the
      sign-in's `state`. By default the
      redirect URI is `http://127.0.0.1:PORT/callback` where the server names itself in its answers (RFC 9207), else
      `http://127.0.0.1:PORT/ISSUER` with the issuer's URL without `https://`, with any free port. A
      client that is registered with another one needs `--redirect-uri`, which is kept with the account: `http` to
      `127.0.0.1`, `[::1]` or `localhost`, with a port or, where the server accepts any, without. With `--paste` it may
      also be an `https` URL.

      The browser is what `BROWSER` names, a list of commands separated by colons in which `%s` stands for the address,
      else `xdg-open`, else `wslview`. With `--paste` the address is read from the terminal without being shown, or from
      standard input where that is no terminal.

      The first sign-in names the issuer and the client identifier that the authorization server's administrator gave
      out. They are kept with the account, so that later `agent login NAME` is enough. While that session is good, a
      person on a terminal is asked whether to sign in again. With `--if-needed` the command ends with exit status 0
      when a token can be had, renewed if need be, and signs in otherwise: the first line of a script that needs an
      account. Where only the network or the server is away it fails with exit status 4. `ACCOUNT` may also be the
      issuer's URL or a host, which means its `https` URL; the account is then named after the host. A provider that is
      known, `github` say, may be named by its name or its host alone, and gives the account its name and its built-in
      settings. The client identifier is your own: where it is missing, the message says where to register a client, and
      with which redirect URI. It may also be the URL of the client's metadata, at servers that take such clients without
      a registration: see `agent account client-metadata`.

      `ACCOUNT` may be the URL of a resource as well, an API or an MCP server say, that tells who issues tokens for it
      (RFC 9728), exactly as the resource names itself; `--resource` does the same for an account that is not there yet.
      Whether that authorization server is to be trusted a person must say: on the terminal, or by naming it with
      `--issuer`; with `--no-input` or without a terminal the exit status is 3, and the hint is the whole command.
      Before that nothing goes to that server. Without `--client-id` the server is then asked to register a client, as
      with `--register`. Unless `--scope` is given, the scopes are those of the resource, and `offline_access` if the
      server announces it. Each token request names the resource (RFC 8707). The tokens are bound to a key, as with
      `--dpop`, if the resource requires it. Later the same command signs in again without a
      question, unless the resource names another server by then: nothing of the old client goes there.

      `agent request` and `agent mcp` may send the tokens to the resource and to paths below it. Other servers at the same
      host need an account of their own. For a `--resource` that is only named with an issuer, the tokens may go to its
      origin, as with `--host`. If several accounts may be used for a URL, the one for that resource is used.

      With `--ended` it signs in again to every account whose session has ended, one after the other. A sign-in that fails
      does not keep the next one from being tried; the exit status is that of the first failure.

      For jobs and programs that cannot wait, `--start` prints the name of the sign-in as soon as it is known what a
      person must do, and `agentd` goes on by itself; `--resume` waits for the end, and with `--no-wait` tells with exit
      status 4 that nobody has approved yet. The name is 128 random bits and dies with the daemon; how it ended is kept
      for ten minutes.

      `--acr`, `--max-age`, `--prompt`, `--login-hint` and `--claims-challenge` ask something of how the person signs in.
      They need a browser: a device code cannot carry them. What a resource demands, it names itself: the hint of the
      `agent request` that it refused is the command that signs in so.

      A client secret is never an argument: it comes from a file, from standard input, from an environment variable or
      from the terminal. A client can prove who it is with a private key as well: `--client-key-file` alone makes it
      sign a token for each request (RFC 7523), with `--client-certificate-file` it shows the certificate in the TLS
      handshake (RFC 8705), and tokens may then be bound to it. All of these are handed over to `agentd` as open files
      and kept in the vault, where later sign-ins find them.

      The key may be in the TPM, where nobody can copy it: one on P-256 that OpenSSL's provider `tpm2` made in this TPM,
      without an authorization of its own, as the examples show. Its file (`TSS2 PRIVATE KEY`) is of no use elsewhere. The
      TPM signs once before a person is asked, and then for each token or for each connection; a server must take
      ECDSA on P-256 with SHA-256.

      `--register` asks the server to register a client of its own for the account (RFC 7591): one without a secret
      unless the server wants more. What the server made of it is checked, its client identifier goes into the settings
      and its secrets into the vault. When the sign-in fails, or the account is removed, the client is deleted at the
      server again (RFC 7592), as far as the server lets clients do that; `agent logout` keeps it. With
      `--token-endpoint-auth-method self_signed_tls_client_auth` a key and a certificate for it are made, which has no
      end, and registered (RFC 8705, section 2.2). For `tls_client_auth` an authority must issue the certificate, so that
      such a client is registered by hand.

      `--guest` signs in nobody: the client gets tokens for itself (RFC 6749, section 4.4), for which it must prove who
      it is, and gets new ones the same way whenever they are needed. `agent status` calls the account a guest's. A
      later `agent login` without `--guest` makes the same account the user's, and says so.

      `--assertion-file` signs in by a JWT that a platform hands out to a job or a workload, such as a projected
      token of a Kubernetes service account: it is exchanged for an access token (RFC 7523, section 2.1), needs no
      person and no browser, and is kept nowhere. Each renewal reads the file anew and exchanges what is in it then, so
      there is no refresh token. Its `iss`, `sub` and `exp` must be there, its `exp` not past, its `nbf` not ahead, and
      its `aud` must hold the issuer or the URL of the token endpoint, or what `--assertion-audience` says alone; else
      nothing is sent, and the message names the claim. The exit status is 3 where a later JWT may do, and 6 where this server takes none such. In a container
      without a daemon: `agent --no-daemon login NAME ...`, then `agent --no-daemon token NAME`. With
      `--assertion-grant token-exchange` the JWT is the subject token of an exchange (RFC 8693) instead, and with
      `client-credentials` it proves who the client is (RFC 7523, section 2.2), which then gets tokens for itself.

      `--assertion-from` names a platform that hands the JWT out in a way of its own, and each renewal asks it anew.
      `github-actions` asks the service that `ACTIONS_ID_TOKEN_REQUEST_URL` and `ACTIONS_ID_TOKEN_REQUEST_TOKEN` name,
      which a job has with the permission `id-token: write`. `gitlab-ci` takes the variable that `id_tokens:` of the job
      sets: `GITLAB_OIDC_TOKEN`, or what `--assertion-variable` says; it is as old as the job. `kubernetes` reads the
      token of the pod's service account; for one with the right `aud`, project it and name its file with
      `--assertion-file`. Variables are read from the environment of the command that needs a new token, `agent token` or
      `agent mcp` say, and handed over to `agentd`, which forgets them when the command ends; without them it fails with
      exit status 3, and nothing is renewed in the background. A lease (see `agent serve`) hands none over, neither those
      of the machine that lends nor those of the other one: while it lasts, have a command of this machine renew the
      token. `--assertion-fd` reads the JWT from a descriptor. It is good once:
      when the access token ends, without a daemon at once, the exit status is 3.

      `--assertion-account` signs in at one server by way of another one, where the user of that account is signed in:
      its server is asked to trade the ID Token for an assertion, which is exchanged here
      (draft-ietf-oauth-identity-assertion-authz-grant). Each renewal asks for a new one, and renews that account where
      its ID Token is past its end, so it needs `openid` among its scopes. Both servers must know this client.

      With `--dpop` the tokens are bound to a key that is made now and never shown (RFC 9449). It signs with ES256, or
      PS256 or RS256 where the server, or the resource that is signed in to, takes no ES256. Where the TPM opens the vault
      by itself the key is made in the TPM and cannot be copied, as is the one of a client that registers itself to prove
      who it is (`private_key_jwt`, `self_signed_tls_client_auth`); while the TPM is away it is made in the vault, with a
      notice, and where the TPM refuses to make it the sign-in fails. `--key tpm2` demands it, `--key vault` keeps them in
      the vault. When the TPM is cleared, or the vault is used on
      another machine, the session needs a new sign-in; nothing is deleted before.
      Whoever gets hold of such a token cannot use it; what uses it rightfully is `agent request`, or needs a proof for
      each request, see `agent proof`. A server that answers with an unbound token is refused. The choice is kept with
      the account, and made by itself where a server registers the client for such tokens.

      `--profile fapi2` holds the account to the FAPI 2.0 Security Profile of the OpenID Foundation, as banks and health
      services ask for it. No other option is needed but the client's key or certificate: the request is pushed, the
      tokens are bound by DPoP, or to the certificate where the server does that, and an RSA key signs with PS256. A
      server that announces less is refused before a person is asked, an answer that does less is not used, and so it
      goes on at each renewal; the message names the rule by its section and item. There is no sign-in by device code,
      by an assertion or by another program's refresh token then. The vault holds the choice: whoever takes it out of
      the settings file signs the account out. A refresh token that comes with an answer which is not used is kept,
      so that the session goes on when the server does as much as before.

      `--protect` says how the session opens in the vault: by this `device` alone, which is the default and lets it be
      refreshed in the background, or only while somebody has unlocked it, by a `passphrase` or by the TPM with a PIN
      (`tpm2`). The first time a new passphrase or PIN is asked for, twice, or read from what `--passphrase-file` and
      the like name; later the one that there is. See `agent lock`.

      With `--ephemeral` nothing is written: account and session are in the memory of `agentd` alone, renewed as any
      other, and gone when it ends or the account is signed out. It is the active account where there is no other, and
      with `--use` or after `agent use`.

      With `--json` the events go to standard output, one object a line: `{"event": "device_code", "login", "account",
      "issuer", "client_id", "scope", "user_code", "verification_uri", "verification_uri_complete", "expires_at",
      "interval"}` or `{"event": "browser", "login", "account", "issuer", "client_id", "scope", "url", "link_url",
      "redirect_uri", "must_paste", "expires_at", "url_expires_at"}` where it cannot be told whose
      browser brought the answer `{"event": "confirm", "login", "account", "issuer", "subject", "name", "expires_at"}`,
      where something is worth knowing `{"event": "notice", "message"}`,
      where a pasted address is not the answer `{"event": "redirect_refused", "code", "message", "hint"}` with the code
      `redirect_rejected`, with `--start` at last `{"event": "started", "login", "account", "expires_at"}`, with
      `--no-wait` perhaps `{"event": "waiting", "login", "account", "expires_at"}`, and at the end `{"event":
      "signed_in", "account", "issuer", "subject", "person", "scope", "expires_at", "renews", "guest", "assertion",
      "upgraded_from_guest", "active_account", "kept"}`, where `kept` tells that there was no need to sign in, or `{"event":
      "error", "code", "message", "hint"}`.
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
        "Sign in to a service that is known by name",
        "agent login github"),
      Example(
        "Sign in a workload by the JWT that its platform hands out",
        "agent login ci --issuer https://id.example.com --client-id ci --assertion-file /var/run/secrets/tokens/agent"),
      Example(
        "Sign in a job of GitHub Actions",
        "agent login ci --issuer https://id.example.com --client-id ci --assertion-from github-actions"),
      Example(
        "Make a client's key in the TPM",
        "openssl genpkey -provider tpm2 -algorithm EC -pkeyopt group:P-256 -out client.key"),
      Example(
        "Ask an authority for the certificate of a key in the TPM",
        "openssl req -new -provider tpm2 -provider default -propquery '?provider=tpm2' -key client.key -subj /CN=my-cli -out client.csr"
      ),
      Example(
        "Sign in with the key in the TPM and its certificate",
        "agent login work --issuer https://id.example.com --client-id my-cli --client-key-file client.key --client-certificate-file client.pem"
      ),
      Example(
        "Have a client registered with a certificate whose key is made in the TPM",
        "agent login work --issuer https://id.example.com --register --key tpm2 --token-endpoint-auth-method self_signed_tls_client_auth"
      ),
    ])

  static let logout = Command(
    .logout,
    summary: "Sign out, and revoke the tokens at the server",
    details: """
      Ends the session in memory and in the vault, then revokes its tokens at the server. The account's settings
      are kept.

      When the server does not answer within five seconds the command says so; the tokens are then kept for their
      revocation alone, which is tried again for a day. `--local` tells the server nothing, keeps nothing, waits
      for nobody, and also ends a session that is locked. What a refresh under way brings is revoked too, and with
      `--local` dropped. While an approved sign-in is being stored the command is refused. With `--all` an account
      that cannot be signed out does not keep the others from it; the exit status is that of the first such
      account.

      The browser has a session of its own at the server, with which the next sign-in may go through without a password.
      `--browser` opens the page that ends it (OpenID Connect RP-Initiated Logout), or shows its address where no
      browser can be opened. The page asks first, since the address names the account by its identifier and holds no
      token; what it then does, only the page tells.

      With `--json`, `was_signed_in` is false for an account without a session; that is no failure. An `error` is `{"code", "message", "hint"}`.
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
        "Sign out of every account, before the machine is given away",
        "agent logout --all"),
      Example("Sign out here where the server cannot be reached any more", "agent logout work --local"),
    ])
}
