internal import Encoding
internal import JOSE
internal import OAuth

/// A public document of an issuer, and the way to it.
struct DocumentSource<Document: Sendable> {
  let name: DocumentName
  let transport: Transport
  let cancellation: Cancellation?
  let observer: StepObserver?
  /// Nil for what is no such document.
  let parse: ([UInt8]) -> Document?
  /// What is to be told of one that came from the server.
  let remarks: (Document) -> [SessionStep]
  /// Asks the server, which may know a version by this entity tag.
  let fetch: (any HTTPClient, _ entityTag: String?) throws(OAuthError) -> Revalidation<Document>

  func isGivenUp() -> Bool { cancellation?.isCancelled ?? false }

  /// Whether a failure concerns only the caller that it happened to.
  static func isOwn(_ problem: OAuthError) -> Bool { problem.code == .cancelled }

  /// What a fetch is of and how it is made: who reaches the server in another way makes one of their own.
  var flight: DocumentFlight {
    DocumentFlight(
      name: name, proxy: transport.proxy?.url, proxyExclusions: transport.proxy?.exclusions,
      allowsHTTPLoopback: transport.allowHTTPLoopback)
  }
}

/// See ``DocumentSource/flight``.
struct DocumentFlight: Hashable {
  let name: DocumentName
  let proxy: String?
  let proxyExclusions: String?
  let allowsHTTPLoopback: Bool
}

extension DocumentSource<AuthorizationServerMetadata> {
  init(_ issuer: Issuer, _ transport: Transport, _ cancellation: Cancellation?, _ observer: StepObserver?) {
    self.init(
      name: DocumentName(metadataOf: issuer, transport), transport: transport, cancellation: cancellation,
      observer: observer
    ) { body in
      try? AuthorizationServerMetadata(
        parsing: body, issuer: issuer, allowHTTPLoopback: transport.allowHTTPLoopback)
    } remarks: { _ in
      []
    } fetch: { (http, _) throws(OAuthError) in
      .changed(try Discovery.fetch(issuer, transport: transport, http: http, cancellation: cancellation))
    }
  }
}

extension DocumentSource<JWKSet> {
  init(_ endpoint: Endpoint, _ transport: Transport, _ cancellation: Cancellation?, _ observer: StepObserver?) {
    self.init(
      name: DocumentName(keysAt: endpoint, transport), transport: transport, cancellation: cancellation,
      observer: observer
    ) { body in
      try? JWKSet(parsing: body)
    } remarks: { keys in
      JWKSet.Warning.allCases.filter(keys.warnings.contains).map { .keySetWarned($0) }
    } fetch: { (http, entityTag) throws(OAuthError) in
      try Discovery.keys(
        at: endpoint, knownAs: entityTag, transport: transport, http: http, cancellation: cancellation)
    }
  }
}
