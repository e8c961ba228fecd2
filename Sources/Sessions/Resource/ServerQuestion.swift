package import Encoding
internal import JOSE
package import OAuth
internal import Platform
internal import Vault
package import Vocabulary

/// The inputs of a request to the authorization server about a live session.
package struct ServerQuestion: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  /// A token that is valid as far as known.
  package let grant: AccessGrant
  package let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, grant: AccessGrant, services: SessionServices,
    cancellation: Cancellation = Cancellation()
  ) {
    self.account = account
    self.configuration = configuration
    self.grant = grant
    self.services = services
    self.cancellation = cancellation
  }

  /// The account's record, and the server that its secrets may be sent to.
  ///
  /// - Throws: `signedOut` if there is no record; or why the secrets may not be sent.
  func open() throws(SessionError) -> (record: AccountRecord, live: LiveServer) {
    let record = try services.sessionRecord(of: account).record
    return (record, try services.server(for: account, configuration, record, grant: grant, cancellation: cancellation))
  }

  /// The claims of the UserInfo endpoint, for the user of the session if known.
  func userInfo(_ record: AccountRecord, at live: inout LiveServer) throws(SessionError) -> JSONObject {
    let (token, renewal) = (try grant.openAccessToken(), live.renewal)
    return try live.asking(\.userinfoEndpoint) { (server) throws(OAuthError) in
      try server.userInfo(
        accessToken: token, expectedSubject: record.identity?.subject ?? grant.subject,
        rules: userInfoRules(server, renewal), cancellation: cancellation)
    }
  }

  /// A signed response is verified with the issuer's keys and the registered algorithm, or else one accepted for ID
  /// Tokens.
  private func userInfoRules(_ server: AuthorizationServer, _ renewal: MetadataRenewal) -> UserInfoRules {
    let registered = server.signing.userInfo
    var search = server.metadata.jwksURI.map { endpoint in
      KeySearch(
        IssuerKeys(
          services: services, server: server, endpoint: endpoint, renewal: renewal, cancellation: cancellation))
    }
    return UserInfoRules(
      algorithms: registered.map { [$0] } ?? server.acceptedIDTokenAlgorithms,
      requiresSignature: registered != nil, now: services.time.wallSeconds()
    ) { () throws(OAuthError) in
      try search?.next()
    }
  }
}

/// Requests the claims about the account's user (OpenID Connect Core, section 5.3). Blocking.
package struct UserInfoOperation: Sendable {
  package let question: ServerQuestion

  package init(_ question: ServerQuestion) { self.question = question }

  /// The claims, for the ID Token's subject; nil if the server has no such endpoint.
  package func run() throws(SessionError) -> JSONObject? {
    var (record, live) = try question.open()
    // Without a user there is no UserInfo.
    guard live.server.metadata.userinfoEndpoint != nil, record.unattended == nil else { return nil }
    return try question.userInfo(record, at: &live)
  }
}
