internal import OAuth

extension ClientRegistrationRecord {
  /// The server's confirmation that a client is deleted.
  package enum Deletion: Sendable, Hashable {
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

  /// Deletes the client at the server (RFC 7592 section 2.3). Blocking.
  func delete(_ transport: Transport, _ http: any HTTPClient) -> Deletion {
    guard let management = management(transport) else { return .notOffered }
    do throws(OAuthError) {
      try management.delete(transport: transport, http: http)
      return .deleted
    } catch {
      return error.code == .registrationGone ? .gone : .failed(.oauth(error))
    }
  }
}
