internal import Encoding
package import OAuth

/// For sessions that outlast their access token (OpenID Connect Core section 11).
extension AccountConfiguration {
  private static let offlineAccess = "offline_access"

  /// Adds `offline_access` to the scope if the server announces it.
  package mutating func requestOfflineAccess(_ metadata: AuthorizationServerMetadata) {
    guard !self.scope.isEmpty, metadata.announcesOfflineAccess,
      !self.scope.contains(where: { $0.hasSameBytes(as: Self.offlineAccess) })
    else { return }
    self.scope.append(Self.offlineAccess)
  }

  /// Scope values that need a user.
  static let userScopes = ["openid", "offline_access"]

  /// Nil for the server's default.
  func scopeWithoutUser() throws(OAuthError) -> Scope? {
    let values = self.scope.filter { value in !Self.userScopes.contains { $0.hasSameBytes(as: value) } }
    return values.isEmpty ? nil : try Scope(values: values)
  }
}

extension AuthorizationServerMetadata {
  var announcesOfflineAccess: Bool { scopes?.contains("offline_access") ?? false }
}
