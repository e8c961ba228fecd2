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
    return try question.userInfo(record, at: &live)
  }
}
