/// Asks for the credentials of a role of Amazon Web Services, which an account's token is traded for.
package struct AssumeRoleRequest: Sendable, Hashable {
  /// The account; nil means the one that lists the place, never the active one.
  package var account: String?
  /// The Security Token Service.
  package var url: String
  package var roleARN: String
  package var sessionName: String
  /// How long the credentials are to be good, in seconds; nil leaves it to the service.
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

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    url = try members.required("url")
    roleARN = try members.required("role_arn")
    sessionName = try members.required("role_session_name")
    durationSeconds = try members.integer("duration", in: 900...43_200)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("url", url)
    members.add("role_arn", roleARN)
    members.add("role_session_name", sessionName)
    members.add("duration", durationSeconds)
  }
}
