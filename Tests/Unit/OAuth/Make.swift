import Crypto
import Encoding
import OAuth
@_exported import OAuthSupport
import Vocabulary

func response(
  _ status: Int = 200, type: String? = "application/json", headers: [(String, String)] = [], bytes: [UInt8]
) throws -> HTTPResponse {
  let typeField = type.map { [("Content-Type", $0)] } ?? []
  return HTTPResponse(
    status: status, headers: HTTPHeaders(typeField + headers), body: try SecretBytes(copying: bytes.span))
}

func response(
  _ status: Int = 200, type: String? = "application/json", headers: [(String, String)] = [], _ body: String
) throws -> HTTPResponse {
  try response(status, type: type, headers: headers, bytes: Array(body.utf8))
}

func endpoint(_ text: String) throws -> Endpoint { try Endpoint(text, allowHTTPLoopback: false) }

let issuerText = "https://as.example/tenant"

func testIssuer() throws -> Issuer { try Issuer(issuerText, allowHTTPLoopback: false) }

/// A server with every endpoint, and a public client.
func testServer(
  _ http: ScriptedHTTP, _ authentication: ClientAuthentication = .none, id: String = "agent",
  provider: Provider? = nil, allowHTTPLoopback: Bool = false,
  change: (inout AuthorizationServerMetadata) -> Void = { _ in }
) throws -> AuthorizationServer {
  var metadata = AuthorizationServerMetadata(issuer: try testIssuer(), overrides: [:])
  metadata[.token] = try endpoint("https://as.example/token")
  metadata[.deviceAuthorization] = try endpoint("https://as.example/device")
  metadata[.userinfo] = try endpoint("https://as.example/userinfo")
  metadata[.revocation] = try endpoint("https://as.example/revoke")
  change(&metadata)
  var transport = Transport()
  transport.allowHTTPLoopback = allowHTTPLoopback
  return AuthorizationServer(
    metadata: metadata, client: try Client(id: id, authentication: authentication), transport: transport, http: http,
    provider: provider)
}

/// An error with all compared properties.
func expected(
  _ code: OAuthError.Code, _ subject: OAuthError.Subject, status: Int? = nil, error: String? = nil,
  description: String? = nil,
  retryAfter: Int? = nil, isResponseLost: Bool = false, hasResponseBegun: Bool = false
) -> OAuthError {
  var made = OAuthError(code, subject, httpStatus: status)
  made.serverError = error
  made.serverDescription = description
  made.retryAfterSeconds = retryAfter
  made.isResponseLost = isResponseLost
  made.hasResponseBegun = hasResponseBegun
  return made
}

/// A failure of the transport.
func failed(
  _ failure: HTTPFailure, _ role: EndpointRole = .token, at url: String = "https://as.example/token",
  proxy: String? = nil
) -> OAuthError {
  guard let endpoint = try? endpoint(url) else { preconditionFailure("no endpoint: \(url)") }
  return OAuthError(failure, role, at: endpoint, proxy: proxy)
}

/// A JSON answer with status 200.
func response(_ body: String) throws -> HTTPResponse { try response(200, body) }
