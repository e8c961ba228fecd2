internal import Vocabulary
internal import Wire

/// The commands that set up accounts.
enum AccountCommands {
  static let accountAdd = Command(
    .accountAdd,
    summary: "Set up an account without signing in",
    details: """
      The issuer and the client identifier must be named. `agent login NAME` signs in later; a client secret is
      given then, since secrets are kept with a session only.

      The first account becomes the active one, until somebody signs in to another.
      """,
    answer: AccountRequest.add(account: "", AccountSettings()).page.result,
    options: Options.accountSettings,
    everyday: ["issuer", "client-id", "provider", "scope", "audience", "redirect-uri", "host", "ca-file", "refresh"],
    operands: .newAccount,
    examples: [
      Example(
        "Prepare an account that is signed in to later",
        "agent account add work --issuer https://id.example.com --client-id my-cli")
    ])

  static let accountShow = Command(
    .accountShow,
    summary: "Show the settings of an account",
    details: """
      Settings hold no secrets. What the session is like is told by `agent status`.

      The values in JSON are those of the options of `agent account set`.
      """,
    answer: AccountRequest.show(account: nil).page.result,
    operands: .account)

  static let accountSet = Command(
    .accountSet,
    summary: "Change the settings of an account",
    details: """
      What is not named stays as it is; `--unset` takes a setting back.

      Settings that say where the session's secrets go are sealed at the sign-in: the issuer, the client and how
      it proves itself, certificate authorities, pins, endpoints and plain http. When one of them is changed the
      account is signed out until the setting is put back or `agent login` is run, and the command says so. The
      others take effect at once.

      So does `--ca-file`. Each certificate of the file is sealed: one that is added to it later is not trusted, and if
      none of them is left nothing is sent, until `--ca-file` is set again.

      `--host` adds an origin that may get the access token: a host name, with a port after a colon where it is not 443.
      It is sealed beside the session, so that a settings file that somebody else edited leads no token astray. `--unset
      host` takes all of them back, before those that are named are added.

      `--protect` moves the session to another level of protection in one write of the vault, see `agent login`. Both
      levels must be unlocked.
      """,
    answer: AccountRequest.set(account: "", AccountSettings(), unset: []).page.result,
    options: Options.accountSettings + [Option.unsetSettings.declaration],
    everyday: ["scope", "audience", "host", "refresh", "protect", "unset"],
    operands: .namedAccount,
    examples: [
      Example(
        "Let the token of an account go to an API",
        "agent account set work --host api.example.com"),
      Example("Ask for less at the next sign-in", "agent account set work --scope openid"),
      Example("Have a setting be as before again", "agent account set work --unset scope"),
    ])

  static let accountRename = Command(
    .accountRename,
    summary: "Give an account another name",
    details: """
      The session goes on under the new name. An account that has that name already is never replaced.
      """,
    answer: AccountRequest.rename(account: "", to: "").page.result,
    operands: .rename)

  static let accountRemove = Command(
    .accountRemove,
    summary: "Sign out of an account and forget its settings",
    details: """
      Signs out like `agent logout`. When the account was the active one, another becomes active, and the command
      says which.

      A client that `agent login --register` registered is deleted at the server, and the command says whether the
      server confirmed.
      """,
    answer: AccountRequest.remove(account: "", local: false).page.result,
    options: [Option.local.declaration],
    operands: .namedAccount,
    examples: [
      Example(
        "Forget an account",
        "agent account remove work")
    ])

  static let accountImport = Command(
    .accountImport,
    summary: "Set up an account with a refresh token from elsewhere",
    details: """
      Takes over a refresh token that another program got for the same client. It is spent once, and at servers
      that rotate refresh tokens it is worth nothing afterwards.

      `agentd` reads it from the open file, spends it once, which proves that it works, verifies the ID Token if
      one comes, and keeps what it got instead. At servers that rotate refresh tokens the imported one is worth
      nothing afterwards. When the server refuses it, nothing is kept. When anything else is wrong with the
      answer, the command fails and the account is set up all the same with what the server gave; where the ID
      Token could not be verified, it has no token until a later one was.

      The token is one line of a file, of standard input, or of a descriptor that the caller opened; never an argument.
      """,
    answer: AccountRequest.import(account: "", AccountSettings(), handsOver: []).page.result,
    options: Options.accountSettings + Options.clientSecrets + [
      Option.refreshTokenFile.declaration, Option.refreshTokenFD.declaration,
    ],
    everyday: [
      "refresh-token-file", "refresh-token-fd", "issuer", "client-id", "scope", "client-secret-file",
      "client-secret-prompt",
    ],
    operands: .newAccount,
    examples: [
      Example(
        "Import a refresh token from a file",
        "agent account import work --issuer https://id.example.com --client-id my-cli --refresh-token-file token")
    ])

  static let accountClientMetadata = Command(
    .accountClientMetadata,
    summary: "Write the metadata that a client publishes",
    details: """
      Some servers take the URL of a document about the client in the place of a registration. The command writes
      that document to standard output; nothing is sent and nothing is stored.

      A server that announces `client_id_metadata_document_supported` takes as a client identifier the `https` URL
      at which the client's metadata are published, without a registration (OAuth Client ID Metadata Document).
      The command writes that document to standard output: publish it at the URL, as `application/json` with
      status 200 and without a redirect, and sign in with `--client-id URL`. Nothing is sent and nothing is
      stored.

      The document is that of the account's client, or of the one that `--client-id` names; options count in place of
      the account's settings. It is the same, byte for byte, for the same settings and key, and holds no secret. With a
      key (`--client-key-file`, or that of the account) the client proves itself by `private_key_jwt`, and the
      document has the public half in its `jwks`; else it is a public client (`none`), as is usual for `native` programs.
      A client secret is refused: there is no way to agree on one.

      Such a client has the same redirect URI at all servers, `http://127.0.0.1/callback` with any port, or
      `http://[::1]/callback`. For servers that compare the port (against RFC 8252) name one with its port, for the
      account as for the document: `--redirect-uri http://127.0.0.1:47600/callback`.

      At a server that has metadata without the announcement such a sign-in is refused, unless `--redirect-uri` says that
      the URL is registered there all the same.

      With `--json` the document is on one line, without members that have no value.
      """,
    answer: AccountRequest.clientMetadata(account: nil, AccountSettings(), handsOver: []).page.result,
    options: Options.clientMetadata.map(\.declaration) + [Option.clientKeyFile.declaration],
    everyday: ["client-id", "redirect-uri", "scope", "client-key-file", "dpop"],
    operands: .account,
    examples: [
      Example(
        "Write the document for a web server",
        "agent account client-metadata --client-id https://example.com/agent.json > agent.json")
    ])
}
