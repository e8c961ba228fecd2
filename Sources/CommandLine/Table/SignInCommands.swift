internal import Vocabulary
internal import Wire

/// The commands that begin and end sessions.
enum SignInCommands {
  static let login = Command(
    .login,
    summary: "Sign in to an account",
    options: Options.accountSettings + Options.clientSecrets + [
      Option.register.declaration, Option.initialAccessTokenFile.declaration, Option.guest.declaration,
      Option.assertionFD.declaration,
      Option.browser.declaration, Option.device.declaration, Option.paste.declaration,
      Option.noOpen.declaration, Option.noKeep.declaration, Option.ephemeral.declaration, Option.use.declaration,
      Option.ifNeeded.declaration, Option.ended.declaration,
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
      Example("Sign in to a known service", "agent login github"),
      Example(
        "Sign in for the first time, under a name of your choice",
        "agent login work --issuer https://id.example.com --client-id my-cli --scope 'openid offline_access'"),
      Example("Sign in again, after the session expired", "agent login work"),
    ])

  static let logout = Command(
    .logout,
    summary: "Sign out, and revoke the tokens at the server",
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
