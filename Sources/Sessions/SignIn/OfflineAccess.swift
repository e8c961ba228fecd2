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
