import Crypto
import Encoding
import OAuth
@_exported import OAuthSupport
import Platform
import Sessions
import Vault
import Vocabulary

extension SealedSecret {
  var text: String { (try? open().text) ?? "" }
}

func response(_ status: Int = 200, _ body: JSON, headers: [(String, String)] = []) throws -> HTTPResponse {
  let bytes = body.serialized()
  return HTTPResponse(
    status: status, headers: HTTPHeaders([("Content-Type", "application/json")] + headers),
    body: try SecretBytes(copying: bytes.span))
}

/// A token endpoint's response with any body, and optionally a transport defect.
func oddResponse(_ body: String, _ defect: HTTPFailure? = nil, type: String = "application/json") throws -> HTTPResponse
{
  HTTPResponse(
    status: 200, headers: HTTPHeaders([("Content-Type", type)]), body: try SecretBytes(copying: Array(body.utf8).span),
    defect: defect)
}

/// A signed response of the UserInfo endpoint (OpenID Connect Core section 5.3.2).
func signedUserInfo(by issuer: TestIssuer = .first) throws -> HTTPResponse {
  HTTPResponse(
    status: 200, headers: HTTPHeaders([("Content-Type", "application/jwt")]),
    body: try SecretBytes(copying: Array(issuer.idToken("email", "a@as.example").utf8).span))
}

/// The instant `seconds` after the start of all tests.
func at(_ seconds: Double) -> Instant {
  Instant(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1_000_000_000))
}

func grant(
  _ token: String = "at", lifetime: Int? = 3600, issuedAt: Double = 0, generation: UInt64 = 1,
  protection: Protection = .device, expiry: GrantExpiry = GrantExpiry()
) throws -> AccessGrant {
  AccessGrant(
    accessToken: try secret(token), tokenType: "Bearer", scope: nil, subject: nil,
    issuedAt: at(issuedAt), issuedAtUnixSeconds: 0, lifetimeSeconds: lifetime, recordGeneration: generation,
    protection: protection, expiry: expiry)
}

/// A temporary failure, as caused by a failing server.
func passing(retryAfter: Int? = nil, isResponseLost: Bool = false) -> SessionError {
  var error = OAuthError(.serverUnavailable, .endpoint(.token), httpStatus: 503)
  error.retryAfterSeconds = retryAfter
  error.isResponseLost = isResponseLost
  return .oauth(error)
}

let unreachable = SessionError.oauth(OAuthError(.network, .host("as.example")))

/// A failure because of a truncated response.
func broken(_ code: OAuthError.Code = .network) -> SessionError {
  var error = OAuthError(code, .endpoint(.token))
  error.hasResponseBegun = true
  error.isResponseUnusable = true
  return .oauth(error)
}

/// A permanent failure.
let lasting = SessionError.oauth(OAuthError(.invalidClient, .endpoint(.token), httpStatus: 401))
