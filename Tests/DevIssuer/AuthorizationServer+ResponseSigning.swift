import Crypto
import Encoding
import JOSE

// What a client can be registered to get (OpenID Connect Dynamic Client Registration 1.0 section 2).
extension AuthorizationServer {
  /// The claims about the user as a signed answer (OpenID Connect Core 1.0 section 5.3.2).
  func signed(_ claims: JSONObject, for grant: Grant) -> Response {
    var claims = claims
    claims["iss"] = .string(issuer)
    claims["aud"] = .string(grant.clientID)
    guard let token = try? withState({ $0.key }).sign(claims) else { return .text("no signature", status: 500) }
    return Response(
      status: 200, headers: [("Content-Type", "application/jwt"), ("Cache-Control", "no-store")],
      body: Array(token.utf8))
  }

  /// An ID Token under the secret of the client (section 3.1.3.7, step 8); nil for a client without one.
  func secretIDToken(_ claims: JSONObject, for grant: Grant) throws(JOSEError) -> String? {
    guard let client = try? client(grant.clientID), case .secret(let secret) = client.authentication else { return nil }
    let header: JSON = ["alg": "HS256", "typ": "JWT"]
    let text = [header, .object(claims)].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
    let bytes = Array(text.utf8)
    do {
      return text + "." + Base64URL.encode(try HMAC.code(.sha256, key: secret.span, bytes.span))
    } catch {
      throw JOSEError(.library)
    }
  }
}
