internal import Vocabulary

/// The command that implements other programs' protocols.
enum HelperCommands {
  static let helper = Command(
    .helper,
    summary: "Give other programs tokens, in their own protocols",
    options: [
      Option.url.declaration, Option.user.declaration, Option.roleARN.declaration, Option.roleSessionName.declaration,
      Option.roleDuration.declaration, Option.keyringMode.declaration, Option.keyringOutput.declaration,
    ],
    operands: .helperCall,
    examples: [
      Example(
        "Call an API without the token on the command line",
        "agent helper header --url https://api.example.com/me | curl -H @- https://api.example.com/me"),
      Example(
        "The same with a curl configuration",
        "agent helper curl --url https://api.example.com/me | curl -K - https://api.example.com/me"),
    ])
}

extension Option<String?> {
  static var url: Self { Self("url", in: .service, .text("URL"), "The URL to get a token for") }
  static var user: Self { Self("user", in: .service, .text("NAME"), "The user name or mail address for the token") }
  static var roleARN: Self { Self("role-arn", in: .service, .text("ARN"), "The role that `aws` gets credentials for") }
  static var roleSessionName: Self {
    Self("session-name", in: .service, .text("NAME"), "The name of the role's session; by default `agentd`")
  }
  static var keyringMode: Self {
    Self("mode", in: .output, .text("MODE"), "What `keyring` prints: `password` or `creds`")
  }
  static var keyringOutput: Self {
    Self("output", in: .output, .text("FORMAT"), "How `keyring` prints it: `plain` or `json`")
  }
}

extension Option<Int?> {
  static var roleDuration: Self {
    Self("duration", in: .service, time: .duration(900...43_200), "The lifetime of the role's credentials")
  }
}
