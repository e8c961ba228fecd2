import Crypto
import Encoding
import HTTP
import OAuth
import Vocabulary

/// Clients that publish their metadata at the URL that is their identifier
/// (draft-ietf-oauth-client-id-metadata-document-03).
extension DevelopmentIssuer {
  /// Seconds that a document is kept at most, whatever its server says (section 5.2).
  private static let highestAge = 3600

  /// The URL to fetch before a request is answered that begins a sign-in, or is for tokens of a client that is not known
  /// yet; nil when the request names no such client, or the document that is kept is new enough.
  func documentWanted(for request: IssuerRequest) -> String? {
    let kind = settings.text("client_documents")
    guard kind != "off", request["host"] == host, let route = Self.route(request.path),
      [.authorization, .par, .device, .token].contains(route.endpoint),
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
      let response = try document.answer.get()
      try check(response.status == 200, "invalid_client", "the client's URL answers with status \(response.status)")
      try check(response.headers.isJSON, "invalid_client", "the client's document is not application/json")
      let json = response.body.withBytes { try? JSON(parsing: $0) }
      var object = try check(json?.object, "invalid_client", "the client's document is no JSON object")
      // Simple string comparison (RFC 3986 section 6.2.1).
      let isOwn = object["client_id"] == .string(document.url)
      try check(isOwn, "invalid_client", "client_id of the client's document is not its URL")
      for name in ["client_secret", "client_secret_expires_at"] {
        try check(object[name] == nil, "invalid_client", "a client's document has no \(name)")
      }
      object["token_endpoint_auth_method"] = object["token_endpoint_auth_method"] ?? "none"
      object["application_type"] = object["application_type"] ?? "native"
      var client = try checked(object, IssuerClient(id: document.url, members: [:]))
      let isWithoutSecret = !client.method.hasPrefix("client_secret")
      try check(isWithoutSecret, "invalid_client", "a client's document is for no shared secret")
      client.freshUntil = instant(after: min(response.headers.maxAgeSeconds ?? 0, Self.highestAge))
      clients.published[document.url] = client
    } catch let refusal as Refusal {
      throw Refusal("invalid_client", refusal.description)
    }
  }
}

/// What was found at the URL that is a client's identifier (draft-ietf-oauth-client-id-metadata-document-03 section 5).
struct ClientDocument: Sendable {
  let url: String
  /// The answer of its server, or why there is none.
  let answer: Result<HTTPResponse, Refusal>
}

/// Fetches such documents; blocks. Redirects are not followed. For a server of tests only: of addresses that are not for
/// everybody none is refused (section 8).
final class ClientDocuments: Sendable {
  private let http = CurlClient(userAgent: "devissuer")
  private let transport: Transport

  /// - Parameter authorities: Trusted beside the system's, in PEM form.
  init(authorities: [UInt8]? = nil) throws {
    var transport = Transport()
    transport.allowHTTPLoopback = true
    transport.totalTimeoutSeconds = 5
    transport.certificateAuthorities = try authorities.map { try CertificateAuthorities(pem: $0) }
    self.transport = transport
  }

  func fetch(_ url: String) -> ClientDocument {
    do {
      let endpoint = try Endpoint(url, allowHTTPLoopback: true)
      var request = HTTPRequest(get: endpoint, .metadata, transport: transport)
      // The most bytes of a document (section 8).
      request.responseLimit = 5 * 1024
      return ClientDocument(url: url, answer: .success(try http.send(request)))
    } catch {
      let reason = (error as? HTTPFailure).map { "\($0.code)" } ?? "its URL cannot be used"
      let refusal = Refusal("invalid_client", "the client's document cannot be fetched: \(reason)")
      return ClientDocument(url: url, answer: .failure(refusal))
    }
  }
}
