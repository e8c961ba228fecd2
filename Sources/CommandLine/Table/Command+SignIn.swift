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
      "With `--json` the events go to standard output, one object a line:"
        + #" `{"event": "device_code", "account", "issuer", "client_id", "scope", "user_code", "verification_uri","#
        + #" "verification_uri_complete", "expires_at", "interval"}` and at the end"#
        + #" `{"event": "signed_in", "account", "issuer", "subject", "scope", "expires_at"}` or"#
        + #" `{"event": "error", "code", "message", "hint"}`."#,
    ],
    options: [
      Option(
        name: .issuer, value: .text("URL"), summary: "The authorization server, exactly as it spells its own name"),
      Option(name: .clientID, value: .text("ID"), summary: "The client identifier registered there"),
      Option(
        name: .scope, short: "s", value: .text("SCOPE"), repeats: true,
        summary: "What to ask for; may be given several times, or hold several separated by spaces"),
      Option(name: .device, summary: "Sign in with a code typed on any device; this is the default"),
      Option(
        name: .clientSecretFile, value: .file("FILE"),
        summary: "Read the client secret from this file, or from standard input when it is `-`"),
      Option(
        name: .tokenEndpointAuthMethod,
        value: .choice("METHOD", ["none", "client_secret_basic", "client_secret_post"]),
        summary: "How the client secret is sent; without it the server's announcement decides"),
      Option(
        name: .caFile, value: .file("FILE"),
        summary: "Trust the certificate authorities in this PEM file besides the system's, for this account only"),
      Option(
        name: .pin, value: .text("sha256//BASE64"), repeats: true,
        summary: "Accept only servers with this public key; may be given several times"),
      Option(
        name: .allowHTTPLoopback,
        summary: "Allow plain http to 127.0.0.1 and [::1], for development"),
      Option(name: .tokenEndpoint, value: .text("URL"), summary: "Use this token endpoint"),
      Option(
        name: .deviceAuthorizationEndpoint, value: .text("URL"), summary: "Use this device authorization endpoint"),
      Option(name: .userinfoEndpoint, value: .text("URL"), summary: "Use this UserInfo endpoint"),
      Option(name: .revocationEndpoint, value: .text("URL"), summary: "Use this revocation endpoint"),
      Option(name: .jwksURI, value: .text("URL"), summary: "Take the issuer's keys from here"),
      Option(
        name: .keep,
        summary: "Keep the access token in the vault when the server gives no refresh token"),
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
