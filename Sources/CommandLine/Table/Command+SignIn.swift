extension Command {
  static let login = Command(
    name: "login",
    summary: "Sign in to an account",
    details: [
      "Shows a short code and an address. Open the address in any browser, on this device or another, type the"
        + " code and approve; the command ends by itself. Interrupting it with Ctrl-C cancels the sign-in.",
      "The first sign-in names the issuer and the client identifier that the authorization server's"
        + " administrator gave out. They are kept with the account, so that later `agent login NAME` is enough."
        + " `ACCOUNT` may also be the issuer's URL; the account is then named after its host.",
      "A client secret is never an argument: `--client-secret-file` names a file, or `-` for standard input. It is"
        + " handed over to `agentd` as an open file and kept in the vault.",
      "With `--dpop` the tokens are bound to a key that is made now, kept in the vault and never shown (RFC 9449)."
        + " Whoever gets hold of such a token cannot use it; what uses it rightfully needs a proof for each request, see"
        + " `agent proof`. A server that answers with an unbound token is refused. The choice is kept with the account.",
      "With `--json` the events go to standard output, one object a line:"
        + #" `{"event": "device_code", "account", "issuer", "client_id", "scope", "user_code", "verification_uri","#
        + #" "verification_uri_complete", "expires_at", "interval"}` and at the end"#
        + #" `{"event": "signed_in", "account", "issuer", "subject", "scope", "expires_at"}` or"#
        + #" `{"event": "error", "code", "message", "hint"}`."#,
    ],
    options: Option.accountSettings + [
      .clientSecretFile,
      Option(name: .device, summary: "Sign in with a code typed on any device; this is the default"),
    ],
    operands: .account,
    examples: [
      Example(
        purpose: "Sign in for the first time, under a name of your choice",
        line: "agent login work --issuer https://id.example.com --client-id my-cli --scope 'openid offline_access'"),
      Example(purpose: "Sign in again, after the session expired", line: "agent login work"),
    ],
    run: LoginCommand.run)

  static let logout = Command(
    name: "logout",
    summary: "Sign out, and revoke the tokens at the server",
    details: [
      "Removes the session from memory and from the vault. The account's settings are kept. When the server"
        + " cannot be reached the session is removed all the same, and the command says so.",
      #"With `--json` prints `{"accounts": [{"account", "revoked", "detail"}]}`."#,
    ],
    options: [
      Option(name: .all, summary: "Sign out of all accounts"),
      Option(name: .local, summary: "Forget the session here without telling the server"),
    ],
    operands: .account,
    run: LogoutCommand.run)
}
