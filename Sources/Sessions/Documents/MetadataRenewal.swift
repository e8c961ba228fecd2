internal import Encoding
internal import OAuth

/// Fetches newer metadata if an endpoint no longer exists.
struct MetadataRenewal: Sendable {
  /// An account and the origins that may receive its secrets.
  final class AllowedOrigins: Sendable {
    private let account: AccountName
    let authority: Authority

    init(account: AccountName, authority: Authority) {
      (self.account, self.authority) = (account, authority)
    }

    /// Throws `endpointMoved` for an origin unknown at sign-in: changed metadata must not redirect a secret.
    func check(_ endpoint: Endpoint?) throws(SessionError) {
      guard let endpoint, !authority.includes(endpoint) else { return }
      throw .endpointMoved(account: account.text, origin: endpoint.uri.origin)
    }
  }

  let source: IssuerMetadata
  var version: IssuerMetadata.Version
  /// Nil if no secrets are sent.
  let allowedOrigins: AllowedOrigins?

  /// Nil without newer metadata, or if the fetch failed.
  func fetchNewer() -> IssuerMetadata.Version? { try? source.fetchNewer(than: version) }

  /// Nil without newer metadata, or if its key URL's origin was unknown at sign-in.
  func fetchNewerForKeys() throws(OAuthError) -> IssuerMetadata.Version? {
    do throws(SessionError) {
      guard let newer = try source.fetchNewer(than: version) else { return nil }
      try allowedOrigins?.check(newer.document[.keys])
      return newer
    } catch {
      guard case .oauth(let problem) = error else { return nil }
      throw problem
    }
  }
}

extension OAuthError {
  /// Whether the endpoint does not exist, so that the request had no effect.
  var indicatesMissingEndpoint: Bool {
    guard !isResponseUnusable else { return false }
    return switch code {
    case .unsupportedGrantType: true
    // RFC 9110 section 15.5.5. A known OAuth error overrides the status.
    case .otherServerError, .refreshBlocked, .notJSON: httpStatus == 404
    case .interactionRequired: httpStatus == 404 && !namesKnownError
    default: false
    }
  }
}
