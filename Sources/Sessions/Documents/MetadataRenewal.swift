internal import Encoding
internal import OAuth
internal import Vault
internal import Vocabulary

/// Finds newer metadata if an endpoint no longer exists.
struct MetadataRenewal: Sendable {
  /// The account whose secrets are sent, and the origins that may receive them.
  struct Bounds: Sendable {
    let account: AccountName
    let authority: Authority
  }

  let source: IssuerMetadata
  var edition: IssuerMetadata.Edition
  /// Nil if no secrets are sent.
  let bounds: Bounds?

  /// Newer metadata. Nil if there is none or it is unavailable.
  func newer() -> IssuerMetadata.Edition? { try? source.renewed(after: edition) }
}

extension MetadataRenewal {
  /// Newer metadata for requests without secrets. Nil if there is none.
  ///
  /// - Throws: Why it is unavailable.
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
  /// - Throws: `endpointMoved` if the endpoint's origin was not known at sign-in, since an attacker who can change the
  ///   document must not redirect a secret. Unused endpoints are ignored.
  func check(_ endpoint: Endpoint?) throws(SessionError) {
    guard let endpoint, !authority.includes(endpoint) else { return }
    throw .endpointMoved(account: account.text, origin: endpoint.uri.origin)
  }
}

extension OAuthError {
  /// Whether the server states that the endpoint does not exist, so that newer metadata may have another one. The
  /// request was then not carried out. False for a success with a broken response.
  var namesNoSuchEndpoint: Bool {
    guard !brokenAnswer else { return false }
    return switch code {
    case .unsupportedGrantType: true
    // RFC 9110 section 15.5.5. A known OAuth error takes precedence over the status: it comes from the right endpoint.
    case .otherServerError, .refreshBlocked, .notJSON: httpStatus == 404
    case .interactionRequired: httpStatus == 404 && !namesKnownError
    default: false
    }
  }
}
