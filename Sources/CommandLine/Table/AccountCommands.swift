internal import Vocabulary
internal import Wire

/// The commands that set up accounts.
enum AccountCommands {
  static let accountAdd = Command(
    .accountAdd,
    summary: "Set up an account without signing in",
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
    answer: AccountRequest.show(account: nil).page.result,
    operands: .account)

  static let accountSet = Command(
    .accountSet,
    summary: "Change the settings of an account",
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
    answer: AccountRequest.rename(account: "", to: "").page.result,
    operands: .rename)

  static let accountRemove = Command(
    .accountRemove,
    summary: "Sign out of an account and forget its settings",
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
