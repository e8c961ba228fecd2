package import OAuth
internal import Vocabulary

/// The scope by which a session outlasts its access token (OpenID Connect Core, section 11).
extension AccountConfiguration {
  private static let offlineAccess = "offline_access"

  /// Adds it to the scope values that there are, where the server says that it knows it.
  package mutating func askToStay(_ metadata: AuthorizationServerMetadata) {
    guard !self.scope.isEmpty, metadata.knowsOfflineAccess,
      !self.scope.contains(where: { $0.utf8.elementsEqual(Self.offlineAccess.utf8) })
    else { return }
    self.scope.append(Self.offlineAccess)
  }
}

extension AuthorizationServerMetadata {
  var knowsOfflineAccess: Bool { scopes?.contains("offline_access") ?? false }
}

extension AccountConfiguration {
  /// Scope values that need a user: a client without a user gets no ID Token, and no token that outlasts a user's
  /// session.
  static let userScopes = ["openid", "offline_access"]

  /// The scope that a session without a user asks for; nil leaves it to the server.
  func scopeWithoutUser() throws(OAuthError) -> Scope? {
    let values = self.scope.filter { value in !Self.userScopes.contains { $0.utf8.elementsEqual(value.utf8) } }
    return values.isEmpty ? nil : try Scope(values: values)
  }
}
