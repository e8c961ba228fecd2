internal import OAuth
internal import Platform
internal import Vault
internal import Vocabulary

/// A session without a user: the client itself is what signs in (RFC 6749 section 4.4). Blocking.
package enum GuestSignIn {
  /// - Throws: `guestNeedsProof` for a client that cannot prove who it is; `guestOverUser` when a user is
  ///   signed in.
  package static func run(_ request: SignIn.Preparation) throws(SessionError) -> SignIn.Outcome {
    let signIn = try SignIn(request)
    do throws(SessionError) {
      guard signIn.server.client.authentication.provesClient else {
        throw .guestNeedsProof(account: request.account.text)
      }
      let sentAt = request.services.time.now()
      let response = try oauth { () throws(OAuthError) in
        try signIn.server.tokensForClient(
          scope: signIn.scope, target: try signIn.configuration.target(), cancellation: request.cancellation)
      }
      return try signIn.finish(TokenEndpointAnswer(response), receivedAfter: sentAt)
    } catch {
      signIn.withdraw()
      throw error
    }
  }
}

extension AccountConfiguration {
  /// Scope values that need a user: a client without a user gets no ID Token, and no token that outlasts a user's
  /// session.
  static let userScopes = ["openid", "offline_access"]

  /// The scope that a guest asks for; nil leaves it to the server.
  func guestScope() throws(OAuthError) -> Scope? {
    let values = self.scope.filter { value in !Self.userScopes.contains { $0.utf8.elementsEqual(value.utf8) } }
    return values.isEmpty ? nil : try Scope(values: values)
  }
}
