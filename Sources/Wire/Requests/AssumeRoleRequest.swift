/// Exchanges an account's token for the credentials of an AWS role.
package struct AssumeRoleRequest: RequestBody {
  /// Nil for the account that lists the URL.
  package var account: String?
  /// Of the Security Token Service.
  package var url: String
  package var roleARN: String
  /// The session's name in AWS logs.
  package var sessionName: String
  /// Nil for one hour.
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

  package var properties: RequestProperties {
    RequestProperties("assume_role", .repeatable, from: .authorizationServer, about: .accountOrListing(account))
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("account", &account, "The account (default: the one that lists the URL).")
    try members.visitText("url", &url, "The Security Token Service, as for `token`.")
    try members.visitText("role_arn", &roleARN, "The role.")
    try members.visitText("role_session_name", &sessionName, "The name of the session, which is logged.")
    try members.visitNumber(
      "duration", &durationSeconds, in: 900...43_200, "The lifetime of the credentials, in seconds (default: an hour).")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Exchanges the token for a destination, by default the ID Token, for credentials of an AWS role"
        + " (`AssumeRoleWithWebIdentity`). They are kept in memory for each role, until 20 minutes before they expire.",
      result: [
        .text("account", "The account."),
        .text("access_key_id", "The ID of the key."),
        .text("secret_access_key", "The key."),
        .text("session_token", "The token to send with each request."),
        .number("expires_at", "When they expire."),
      ])
  }
}
