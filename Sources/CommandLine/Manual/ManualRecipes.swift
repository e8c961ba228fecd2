/// The page agent-recipes(7): programs that read a token from a command, a variable or a file. Each recipe is tested
/// verbatim.
enum ManualRecipes {
  static var sections: [ManualSection] {
    [
      ManualSection("NAME", [.raw(".Nm agent-recipes\n.Nd use the session in other programs\n")]),
      ManualSection("DESCRIPTION", description.map { .text($0) }),
      ManualSection("MAIL", mail),
      ManualSection("CLOUDS AND CERTIFICATES", services),
      ManualSection("SHELLS AND SCRIPTS", scripts),
      ManualSection(
        "SEE ALSO",
        [
          .seeAlso([
            ("agent", 1), ("agent-env", 1), ("agent-exec", 1), ("agent-helper", 1), ("agent-setup", 1),
            ("agent-token", 1),
          ])
        ]),
    ]
  }

  private static let description = [
    "Programs that can run a command, or read a variable or a file, need only a line of configuration. In these"
      + " recipes `work` is the account; replace names under `example.com` with your own. No recipe passes a token as a"
      + " program argument, where other users can see it.",
    "For programs that request credentials with their own protocol, such as `git`, `docker`, `kubectl` and `aws`, see"
      + " agent-helper(1). agent-setup(1) configures them.",
  ]

  private static let mail: [ManualBlock] = [
    .text("The server must accept the account's access token for mail; that depends on the `scope` of the account."),
    .heading("mbsync"),
    .text(
      "In `~/.mbsyncrc`. The mechanism is a plug-in for the Cyrus SASL library: `libsasl2-modules-kdexoauth2` in"
        + " Debian, `cyrus-sasl-xoauth2` elsewhere."),
    .code([
      "IMAPAccount work", "Host imap.example.com", "Port 993", "User me@example.com", #"PassCmd "agent token work""#,
      "AuthMechs XOAUTH2", "SSLType IMAPS",
    ]),
    .heading("msmtp"),
    .text("In `~/.msmtprc`:"),
    .code([
      "account work", "host smtp.example.com", "port 465", "tls on", "tls_starttls off", "auth oauthbearer",
      "user me@example.com", "from me@example.com", "passwordeval agent token work",
    ]),
    .heading("mutt"),
    .text("In `~/.muttrc`, also for NeoMutt:"),
    .code([
      #"set imap_user = "me@example.com""#, #"set folder = "imaps://imap.example.com:993/""#,
      #"set spoolfile = "+INBOX""#, #"set imap_authenticators = "oauthbearer:xoauth2""#,
      #"set imap_oauth_refresh_command = "agent token work""#,
      #"set smtp_url = "smtps://me%40example.com@smtp.example.com:465/""#,
      #"set smtp_authenticators = "oauthbearer:xoauth2""#, #"set smtp_oauth_refresh_command = "agent token work""#,
      #"set from = "me@example.com""#,
    ]),
    .heading("aerc"),
    .text("In `~/.config/aerc/accounts.conf`:"),
    .code([
      "[work]", "source            = imaps+oauthbearer://me%40example.com@imap.example.com:993",
      "source-cred-cmd   = agent token work",
      "outgoing          = smtps+oauthbearer://me%40example.com@smtp.example.com:465",
      "outgoing-cred-cmd = agent token work", "default           = INBOX", "from              = Me <me@example.com>",
    ]),
  ]

  private static let services: [ManualBlock] = [
    .text(
      "A service that trusts the issuer exchanges its ID Token. The token's audience must be the one that the service"
        + " expects: the client id, or the audience set there. Long-running programs read the token from a file that is"
        + " kept fresh."),
    .heading("AWS web identity"),
    .text("For all programs that use an AWS library. agent-helper(1) describes a way without a file."),
    .code([
      "export AWS_ROLE_ARN=arn:aws:iam::123456789012:role/deploy",
      "agent exec --token-file --id-token --var AWS_WEB_IDENTITY_TOKEN_FILE=token_file work -- aws sts get-caller-identity",
    ]),
    .heading("Azure workload identity"),
    .text("For all programs that use an Azure library; the ids are those of the application that trusts the issuer."),
    .code([
      "export AZURE_TENANT_ID=11111111-2222-3333-4444-555555555555",
      "export AZURE_CLIENT_ID=66666666-7777-8888-9999-000000000000",
      "agent exec --token-file --id-token --var AZURE_FEDERATED_TOKEN_FILE=token_file work -- ./program",
    ]),
    .heading("Vault"),
    .text(
      "`vault` reads the value `-` from standard input, including a final newline. OpenBao's `bao` does the same."),
    .code(["agent token --id-token work | tr -d '\\n' | vault write auth/jwt/login role=dev jwt=-"]),
    .heading("step"),
    .text("`step` also reads each of its options from a variable, so that the token is on no command line."),
    .code(["agent exec --var STEP_TOKEN=id_token work -- step ca certificate me@example.com me.crt me.key"]),
  ]

  private static let scripts: [ManualBlock] = [
    .heading("HTTPie"),
    .text(
      "In bash and zsh. Without a method, HTTPie uses the file as content and sends a POST. `agent request` does the"
        + " same for a URL that the account permits."),
    .code([#"http GET https://api.example.com/me "Authorization:@"<(agent token --header work | cut -d' ' -f2-)"#]),
    .heading("direnv"),
    .text(
      "In `.envrc`. The token dates from the last time the directory was entered; `direnv reload` gets a new one."
    ),
    .code([#"eval "$(agent env work)""#]),
    .heading("GitHub Actions"),
    .text("A step of a workflow. Later steps have the variables, and the log shows asterisks instead of a token."),
    .code(["- run: agent env --shell github-actions work"]),
    .heading("GitLab CI"),
    .text(
      "One shell runs all lines of a job, so the variables exist until the job ends. Do not store them in an"
        + " artifact: anyone who may read the job can read it."),
    .code(["deploy:", "  script:", #"    - eval "$(agent env work)""#, "    - ./deploy"]),
  ]
}
