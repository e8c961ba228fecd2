import Crypto
import Encoding
import HTTP
import OAuth
import Vocabulary

/// What was found at the URL that is a client's identifier (draft-ietf-oauth-client-id-metadata-document-03 section 5).
struct ClientDocument: Sendable {
  /// The most bytes of a document (section 8).
  static let limit = 5 * 1024

  let url: String
  var status = 0
  var isJSON = false
  /// Seconds that it may be kept; nil when its server does not say.
  var maxAge: Int?
  var body: [UInt8] = []
  /// Why there is none.
  var problem: String?

  /// The object, if the answer is one that may be used.
  func object() throws -> JSONObject {
    if let problem { throw Refusal("invalid_client", "the client's document cannot be fetched: \(problem)") }
    try check(status == 200, "invalid_client", "the client's URL answers with status \(status)")
    try check(isJSON, "invalid_client", "the client's document is not application/json")
    let object = try check(
      (try? JSON(parsing: body))?.object, "invalid_client", "the client's document is no JSON object")
    // Simple string comparison (RFC 3986 section 6.2.1).
    let isOwn = object["client_id"]?.string.map { $0.utf8.elementsEqual(url.utf8) } ?? false
    try check(isOwn, "invalid_client", "client_id of the client's document is not its URL")
    return object
  }
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
    var document = ClientDocument(url: url)
    do {
      let endpoint = try Endpoint(url, allowHTTPLoopback: true)
      var request = HTTPRequest(get: endpoint, .metadata, transport: transport)
      request.responseLimit = ClientDocument.limit
      let response = try http.send(request)
      document.status = response.status
      document.isJSON = response.headers.isJSON
      document.maxAge = response.headers.maxAgeSeconds
      document.body = response.body.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    } catch let failure as HTTPFailure {
      document.problem = "\(failure.code)"
    } catch {
      document.problem = "its URL cannot be used"
    }
    return document
  }
}
