internal import Crypto
internal import OAuth

/// Fetches and parses a public document of an issuer.
struct DocumentSource<Document: Sendable>: Sendable {
  let name: DocumentName
  let transport: Transport
  let cancellation: Cancellation?
  let observer: SessionObserver?
  let fetches: @Sendable (DocumentCache) -> DocumentCache.Fetches<Document>
  /// Nil if the body is invalid.
  let parse: @Sendable ([UInt8]) -> Document?
  let observations: @Sendable (Document) -> [SessionObservation]
  /// With an entity tag, the server may respond that the document is unchanged.
  let fetch: @Sendable (any HTTPClient, _ entityTag: String?) throws(OAuthError) -> Revalidation<Document>

  func isGivenUp() -> Bool { cancellation?.isCancelled ?? false }

  /// Whether waiting callers must fetch themselves.
  static func concernsCallerOnly(_ problem: OAuthError) -> Bool { problem.code == .cancelled }

  var route: DocumentRoute { DocumentRoute(name, transport) }

  var fetchKey: DocumentFetchKey {
    DocumentFetchKey(route: route, proxyCredentials: transport.proxy?.credentials.map { ObjectIdentifier($0) })
  }
}

/// A document and how to fetch it.
struct DocumentRoute: Hashable, Sendable {
  let name: DocumentName
  let proxy: String?
  let proxyExclusions: String?
  let allowsHTTPLoopback: Bool

  init(_ name: DocumentName, _ transport: Transport) {
    self.name = name
    proxy = transport.proxy?.url
    proxyExclusions = transport.proxy?.exclusions
    allowsHTTPLoopback = transport.allowHTTPLoopback
  }
}

/// Identifies fetches to share: only with the same proxy credentials.
struct DocumentFetchKey: Hashable, Sendable {
  let route: DocumentRoute
  let proxyCredentials: ObjectIdentifier?
}

extension DocumentSource<AuthorizationServerMetadata> {
  init(_ issuer: Issuer, _ transport: Transport, _ cancellation: Cancellation?, _ observer: SessionObserver?) {
    self.init(
      name: DocumentName(metadataOf: issuer, transport), transport: transport, cancellation: cancellation,
      observer: observer, fetches: \.metadataFetches
    ) { body in
      try? AuthorizationServerMetadata(
        parsing: body, issuer: issuer, allowHTTPLoopback: transport.allowHTTPLoopback)
    } observations: { _ in
      []
    } fetch: { (http, _) throws(OAuthError) in
      .changed(try Discovery.fetchMetadata(issuer, transport: transport, http: http, cancellation: cancellation))
    }
  }
}

extension DocumentSource<JWKSet> {
  init(_ endpoint: Endpoint, _ transport: Transport, _ cancellation: Cancellation?, _ observer: SessionObserver?) {
    self.init(
      name: DocumentName(keysAt: endpoint, transport), transport: transport, cancellation: cancellation,
      observer: observer, fetches: \.keyFetches
    ) { body in
      try? JWKSet(parsing: body)
    } observations: { keys in
      JWKSet.Warning.allCases.filter(keys.warnings.contains).map { .keySetWarned($0) }
        + (keys.unusableCount > keys.warnings.count ? [.keysUnusable] : [])
    } fetch: { (http, entityTag) throws(OAuthError) in
      try Discovery.fetchKeys(
        at: endpoint, ifNoneMatch: entityTag, transport: transport, http: http, cancellation: cancellation)
    }
  }
}
