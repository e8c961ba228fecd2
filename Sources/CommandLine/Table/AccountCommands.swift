internal import Vocabulary
internal import Wire

/// The commands that set up accounts.
enum AccountCommands {
  static let accountAdd = Command(
    .accountAdd,
    summary: "Set up an account without signing in",
    details: """
      Requires the issuer and the client identifier. `agent login NAME` signs in later; give a client secret then, since
      secrets are stored only with a session.

      The first account becomes the active one, until you sign in to another.
      """,
    answer: AccountRequest.add(account: "", AccountSettings()).page.result,
    options: Options.accountSettings,
    everyday: ["issuer", "client-id", "provider", "scope", "audience", "redirect-uri", "host", "ca-file", "refresh"],
    operands: .newAccount,
    examples: [
      Example(
        "Set up an account to sign in to later",
        "agent account add work --issuer https://id.example.com --client-id my-cli")
    ])

  static let accountShow = Command(
    .accountShow,
    summary: "Show the settings of an account",
    details: """
      Settings contain no secrets. For the session, see `agent status`.

      The JSON values are those of the options of `agent account set`; `"proxy_source"` is `option` if `--proxy` was
      used.
      """,
    answer: AccountRequest.show(account: nil).page.result,
    operands: .account)

  static let accountSet = Command(
    .accountSet,
    summary: "Change the settings of an account",
    details: """
      Settings that are not named do not change; `--unset` resets one to its default.

      Settings that decide where the session's secrets are sent are sealed at the sign-in: the issuer, the client and
      its authentication, certificate authorities, pins, endpoints and plain http. If you change one of them, the
      account is signed out until you restore the setting or run `agent login`, and the command reports it. Other
      settings take effect at once.

      So does `--ca-file`. Each certificate in the file is sealed: one added later is not trusted. If none of them is
      left, nothing is sent until you set `--ca-file` again.

      `--host` permits an origin for the access token: a host name, with a port after a colon if it is not 443. It is
      sealed with the session, so that no one who edits the settings file can redirect a token. `--unset host` removes
      all origins before it adds the named ones.

      `--protect` moves the session to another protection level in one write of the vault, see `agent login`. Both
      levels must be unlocked.
      """,
    answer: AccountRequest.set(account: "", AccountSettings(), unset: []).page.result,
    options: Options.accountSettings + [Option.unsetSettings.declaration],
    everyday: ["scope", "audience", "host", "refresh", "protect", "unset"],
    operands: .namedAccount,
    examples: [
      Example(
        "Permit an API for the token of an account",
        "agent account set work --host api.example.com"),
      Example("Request fewer scopes at the next sign-in", "agent account set work --scope openid"),
      Example("Reset a setting", "agent account set work --unset scope"),
    ])

  static let accountRename = Command(
    .accountRename,
    summary: "Give an account another name",
    details: """
      The session continues under the new name. The command never replaces an existing account.
      """,
    answer: AccountRequest.rename(account: "", to: "").page.result,
    operands: .rename)

  static let accountRemove = Command(
    .accountRemove,
    summary: "Sign out of an account and forget its settings",
    details: """
      Signs out like `agent logout`. If the account was the active one, another becomes active, and the command names
      it.

      A client registered by `agent login --register` is deleted at the server, and the command reports whether the
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
      Adopts a refresh token that another program got for the same client. It is spent once, and is then invalid at
      servers that rotate refresh tokens.

      `agentd` reads the token from the open file, spends it to check that it works, verifies the ID Token if one is
      returned, and keeps the new tokens. If the server refuses it, nothing is kept. If anything else is wrong with the
      answer, the command fails, but the account is set up with what the server returned. If the ID Token could not be
      verified, the account has no token until a later one is verified.

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
      Some servers accept the URL of a document about the client instead of a registration. The command writes that
      document to standard output; nothing is sent or stored.

      A server that announces `client_id_metadata_document_supported` accepts, as a client identifier, the `https` URL
      of the client's metadata (OAuth Client ID Metadata Document). Publish the document at that URL, as
      `application/json` with status 200 and without a redirect, and sign in with `--client-id URL`.

      The document describes the account's client, or the one that `--client-id` names; options override the account's
      settings. For the same settings and key it is the same, byte for byte. It contains no secret. With a key
      (`--client-key-file`, or that of the account), the client authenticates by `private_key_jwt`, and the document
      contains the public key in its `jwks`. Without a key it is a public client (`none`), as is usual for `native`
      programs. A client secret is refused: there is no way to agree on one.

      Such a client has the same redirect URI at all servers, `http://127.0.0.1/callback` with any port, or
      `http://[::1]/callback`. For servers that compare the port (against RFC 8252), set one with a port for both the
      account and the document: `--redirect-uri http://127.0.0.1:47600/callback`.

      If a server has metadata without the announcement, such a sign-in is refused. To sign in anyway because the URL is
      registered there, give `--redirect-uri`.

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
