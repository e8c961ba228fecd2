internal import Encoding
internal import OAuth
internal import Vault
internal import Vocabulary

/// Finds newer metadata if an endpoint no longer exists.
struct MetadataRenewal: Sendable {
  /// The account whose secrets are sent, and the origins they may go to.
  struct Bounds: Sendable {
    let account: AccountName
    let authority: Authority
  }

  let source: IssuerMetadata
  var edition: IssuerMetadata.Edition
  /// Nil if no secrets are sent.
  let bounds: Bounds?

  /// Newer metadata; nil if there are none or they are currently unavailable.
  func newer() -> IssuerMetadata.Edition? { try? source.renewed(after: edition) }
}

extension MetadataRenewal {
  /// Newer metadata for requests without secrets; nil if there are none.
  ///
  /// - Throws: Why they are unavailable.
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
  /// - Throws: `endpointMoved` if the endpoint's origin was not known at sign-in: an attacker who can change the
  ///   document must not redirect a secret. Unused endpoints are ignored.
  func check(_ endpoint: Endpoint?) throws(SessionError) {
    guard let endpoint, !authority.includes(endpoint) else { return }
    throw .endpointMoved(account: account.text, origin: endpoint.uri.origin)
  }
}

extension OAuthError {
  /// Whether the server states that the endpoint no longer exists, so that newer metadata may have another. The request
  /// was then not carried out. Excludes a success with a broken response, which may have been carried out.
  var namesNoSuchEndpoint: Bool {
    guard !brokenAnswer else { return false }
    return switch code {
    case .unsupportedGrantType: true
    // RFC 9110 section 15.5.5. A known OAuth error is more specific than the status, and comes from the right endpoint.
    case .otherServerError, .refreshBlocked, .notJSON: httpStatus == 404
    case .interactionRequired: httpStatus == 404 && !namesKnownError
    default: false
    }
  }
}
