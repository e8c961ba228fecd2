package import Encoding
internal import OAuth

/// Asks the server who the account's user is (OpenID Connect Core, section 5.3). Blocking.
package struct UserInfoOperation: Sendable {
  package let question: ServerQuestion

  package init(_ question: ServerQuestion) { self.question = question }

  /// The claims, for the same subject as the ID Token's; nil when the server has no such endpoint.
  package func run() throws(SessionError) -> JSONObject? {
    var (record, live) = try question.open()
    // A guest has no user, so there is no UserInfo.
    guard live.server.metadata.userinfoEndpoint != nil, !record.isGuest else { return nil }
    let renewal = live.renewal
    return try live.asking(\.userinfoEndpoint) { (server) throws(OAuthError) in
      try server.userInfo(
        accessToken: question.grant.accessToken, expectedSubject: question.subject(record),
        rules: question.userInfoRules(server, renewal),
        cancellation: question.cancellation)
    }
  }
}
