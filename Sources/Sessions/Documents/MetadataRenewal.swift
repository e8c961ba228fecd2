internal import Encoding
internal import OAuth
internal import Vault
internal import Vocabulary

/// The way to other metadata than those in use, for when an endpoint that these name is gone.
struct MetadataRenewal: Sendable {
  /// The account whose secrets are sent by them, and where these may go.
  struct Bounds: Sendable {
    let account: AccountName
    let authority: Authority
  }

  let source: IssuerMetadata
  /// Those in use.
  var edition: IssuerMetadata.Edition
  /// Nil where nothing secret is sent.
  let bounds: Bounds?

  /// Newer ones; nil when there are none, or none can be had now.
  func newer() -> IssuerMetadata.Edition? { try? source.renewed(after: edition) }
}

extension MetadataRenewal {
  /// Newer metadata, for requests that carry no secret; nil when there are none.
  ///
  /// - Throws: Why they cannot be had.
  func newerForKeys() throws(OAuthError) -> IssuerMetadata.Edition? {
    do throws(SessionError) {
      guard let newer = try source.renewed(after: edition) else { return nil }
      try bounds?.check(newer.document.jwksURI)
      return newer
    } catch {
      // The next refresh reports that the keys have moved.
      guard case .oauth(let problem) = error else { return nil }
      throw problem
    }
  }
}

extension MetadataRenewal.Bounds {
  /// - Throws: `endpointMoved` for an endpoint at an origin that was not there at sign-in: an attacker who can change the
  ///   document must not redirect a secret. Endpoints that are not used do not count.
  func check(_ endpoint: Endpoint?) throws(SessionError) {
    guard let endpoint, !authority.includes(endpoint) else { return }
    throw .endpointMoved(account: account.text, origin: endpoint.uri.origin)
  }
}

extension OAuthError {
  /// Whether the server itself says that the endpoint does not exist any more: newer metadata may name another. The
  /// request was then not carried out; a success with a broken answer does not count, since it may have been.
  var namesNoSuchEndpoint: Bool {
    guard !brokenAnswer else { return false }
    return switch code {
    case .unsupportedGrantType: true
    // RFC 9110 section 15.5.5. An error that OAuth knows says more than the status, and comes from the right place.
    case .otherServerError, .refreshBlocked, .notJSON: httpStatus == 404
    case .interactionRequired: httpStatus == 404 && !namesKnownError
    default: false
    }
  }
}
