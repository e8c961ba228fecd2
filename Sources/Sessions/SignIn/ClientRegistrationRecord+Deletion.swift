internal import OAuth

extension ClientRegistrationRecord {
  package enum Deletion: Sendable, Hashable {
    case deleted
    /// The client no longer existed.
    case gone
    /// Only removed locally, as requested.
    case local
    /// The registration has no management URL.
    case notOffered
    /// The client may still exist.
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
