internal import Encoding
internal import Wire

extension SetupClient {
  static let aws = SetupClient(
    name: "aws", choices: [.account, .name, .role],
    overridingVariables: [
      "AWS_ACCESS_KEY_ID", "AWS_CONFIG_FILE", "AWS_PROFILE", "AWS_ROLE_ARN", "AWS_SHARED_CREDENTIALS_FILE",
      "AWS_WEB_IDENTITY_TOKEN_FILE",
    ],
    plan: { (context) throws(Failure) in
      guard let role = context.role else {
        throw Failure(.invalidRequest, "no role given", hint: "use \("--role-arn")")
      }
      guard role.utf8.allSatisfy({ $0 < 0x80 && ShellWord.isLiteral($0) }), !role.isEmpty else {
        throw Failure(.invalidRequest, "the role name contains invalid characters")
      }
      let name = try context.entryName(else: context.account)
      let section = name == "default" ? name : "profile \(name)"
      let text = ["[\(section)]", "credential_process = \(context.shellCommand(awsArguments(context, role)))"]
      let home = try context.files.home()
      let file = try SetupFile(context.files.nonEmptyValue("AWS_CONFIG_FILE") ?? (home + "/.aws/config"))
      return SetupPlan(
        file: file, text: text,
        change: .lines { (old) throws(Failure) in
          let bare = String(decoding: section.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
          if old.header(bare) != nil { return .exists("[\(section)]") }
          return old.adding(text, named: "aws \(name)", at: .end)
        }, keys: [text[1]], entry: name)
    },
    trial: { (context) throws(Failure) in try SetupTrial(context.program, awsArguments(context, context.role ?? "")) })

  private static func awsArguments(_ context: SetupContext, _ role: String) -> [String] {
    context.helperArguments(.aws, ["--role-arn", role, "--url", context.url])
  }
}
