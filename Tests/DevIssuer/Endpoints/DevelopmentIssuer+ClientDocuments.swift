import Encoding
import OAuth

/// Clients that publish their metadata at the URL that is their identifier
/// (draft-ietf-oauth-client-id-metadata-document-03).
extension DevelopmentIssuer {
  private static let places: [IssuerEndpoint] = [.authorization, .par, .device]
  /// Seconds that a document is kept at most, whatever its server says (section 5.2).
  private static let highestAge = 3600

  /// The URL to fetch before a request is answered that begins a sign-in, or is for tokens of a client that is not known
  /// yet; nil when the request names no such client, or the document that is kept is new enough.
  func documentWanted(for request: IssuerRequest) -> String? {
    let kind = settings.text("client_documents")
    guard kind != "off", request["host"] == host, let route = Self.route(request.path),
      Self.places.contains(route.endpoint) || route.endpoint == .token,
      let id = (try? request.parameters())?["client_id"],
      Client.isMetadataURL(id, allowHTTPLoopback: kind == "loopback")
    else { return nil }
    guard let kept = clients.published[id]?.freshUntil else { return id }
    return kept > now || route.endpoint == .token ? nil : id
  }

  /// Keeps the client of a document, which stays until a later one of its URL.
  ///
  /// - Throws: `invalid_client` for a document that is not good; nothing of it is kept (section 5.2).
  mutating func keep(_ document: ClientDocument) throws {
    count(.clientDocuments)
    do {
      var object = try document.object()
      for name in ["client_secret", "client_secret_expires_at"] {
        try check(object[name] == nil, "invalid_client", "a client's document has no \(name)")
      }
      object["token_endpoint_auth_method"] = object["token_endpoint_auth_method"] ?? "none"
      object["application_type"] = object["application_type"] ?? "native"
      var client = try checked(object, IssuerClient(id: document.url, members: [:]))
      try check(
        !client.method.hasPrefix("client_secret"), "invalid_client", "a client's document is for no shared secret")
      client.freshUntil = instant(after: min(document.maxAge ?? 0, Self.highestAge))
      clients.published[document.url] = client
    } catch let refusal as Refusal {
      throw Refusal("invalid_client", refusal.description)
    }
  }
}
