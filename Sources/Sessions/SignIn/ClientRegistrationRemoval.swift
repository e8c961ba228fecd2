internal import OAuth

/// Takes a client's registration back (RFC 7592 section 2.3). Blocking.
package struct ClientRegistrationRemoval: Sendable {
  let configuration: AccountConfiguration
  let secrets: SignIn.Secrets
  let services: SessionServices

  /// The server's confirmation.
  package enum Confirmation: Sendable, Hashable {
    case deleted
    /// The server knows the client no longer.
    case gone
    /// Only forgotten here, as asked.
    case local
    /// The server gave no place to delete it at.
    case notOffered
    /// The client may still be there.
    case failed(SessionError)
  }

  func run(_ record: ClientRegistrationRecord) -> Confirmation {
    do throws(SessionError) {
      return try delete(record) ? .deleted : .notOffered
    } catch {
      if case .oauth(let error) = error, error.code == .registrationGone { return .gone }
      return .failed(error)
    }
  }

  /// - Returns: False when the server gave no place to delete it at.
  private func delete(_ record: ClientRegistrationRecord) throws(SessionError) -> Bool {
    var access = try AccountAccess(configuration)
    access.useProxyCredentials(secrets.proxyCredentials)
    let transport = access.transport
    guard let management = record.management(transport) else { return false }
    try oauth { () throws(OAuthError) in try management.delete(transport: transport, http: services.http) }
    return true
  }
}
