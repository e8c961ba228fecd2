import Crypto
import OAuth

/// A server that responds to everything with the same bytes.
///
/// The first byte of an input selects the status, the second the media type; the rest is the content.
struct FixedAnswer: HTTPClient {
  let response: HTTPResponse

  init?(_ bytes: [UInt8]) {
    let content = Array(bytes.dropFirst(2))
    guard bytes.count >= 2, let body = try? SecretBytes(copying: content.span) else { return nil }
    let statuses = [200, 400, 401, 403, 429, 503, 201, 302]
    let types = ["application/json", "application/x-www-form-urlencoded", "text/html", "application/jwt"]
    response = HTTPResponse(
      status: statuses[Int(bytes[0]) % statuses.count],
      headers: HTTPHeaders([
        ("Content-Type", types[Int(bytes[1]) % types.count]), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
      ]),
      body: body)
  }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse { response }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse { throw HTTPFailure(.setup) }
}

extension AuthorizationServerMetadata {
  /// A server with every endpoint.
  static func complete() throws(OAuthError) -> AuthorizationServerMetadata {
    func endpoint(_ name: String) throws(OAuthError) -> Endpoint {
      try Endpoint("https://as.example/\(name)", allowHTTPLoopback: false)
    }
    let issuer = try Issuer("https://as.example", allowHTTPLoopback: false)
    var metadata = AuthorizationServerMetadata(issuer: issuer, overrides: [:])
    metadata[.authorization] = try endpoint("authorize")
    metadata[.token] = try endpoint("token")
    metadata[.userinfo] = try endpoint("userinfo")
    metadata[.revocation] = try endpoint("revoke")
    metadata[.introspection] = try endpoint("introspect")
    metadata[.registration] = try endpoint("register")
    metadata[.pushedAuthorization] = try endpoint("par")
    return metadata
  }
}

extension AuthorizationServer {
  /// A server with that metadata, for a public client.
  static func reached(by http: any HTTPClient) throws(OAuthError) -> AuthorizationServer {
    AuthorizationServer(
      metadata: try .complete(), client: try Client(id: "agent", authentication: .none), transport: Transport(),
      http: http, provider: nil)
  }
}
