/// Exchanges an account's token for the credentials of an AWS role.
package struct AssumeRoleRequest: RequestBody {
  /// The account; nil for the one that lists the URL.
  package var account: String?
  /// The URL of the Security Token Service.
  package var url: String
  package var roleARN: String
  /// The session's name in AWS logs.
  package var sessionName: String
  /// The lifetime of the credentials in seconds; nil for the service's default.
  package var durationSeconds: Int?

  package init(
    account: String? = nil, url: String, roleARN: String, sessionName: String, durationSeconds: Int? = nil
  ) {
    self.account = account
    self.url = url
    self.roleARN = roleARN
    self.sessionName = sessionName
    self.durationSeconds = durationSeconds
  }

  package var row: RequestRow {
    RequestRow("assume_role", .repeatable, from: .authorizationServer, about: .accountOrListing(account))
  }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    try members.text("account", &account, "The account (default: the one that lists the service).")
    try members.text("url", &url, "The URL of the Security Token Service, as for `token`.")
    try members.text("role_arn", &roleARN, "The role.")
    try members.text("role_session_name", &sessionName, "The name of the role session, which the service logs.")
    try members.number(
      "duration", &durationSeconds, in: 900...43_200, "The lifetime of the credentials, in seconds (default: an hour).")
  }

  package var page: RequestPage {
    RequestPage(
      "Exchanges the token for a destination, by default the ID Token, for credentials of an AWS role"
        + " (`AssumeRoleWithWebIdentity`). They are kept in memory for each role, until 20 minutes before they expire.",
      result: [
        MemberRow("account", "text", "The account of the token."),
        MemberRow("access_key_id", "text", "The ID of the key."),
        MemberRow("secret_access_key", "text", "The key."),
        MemberRow("session_token", "text", "The token to send with each request."),
        MemberRow("expires_at", "number", "When they expire."),
      ])
  }
}
