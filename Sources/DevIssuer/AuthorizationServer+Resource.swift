import Encoding
import Platform

extension AuthorizationServer {
  /// A protected resource to try a token on (RFC 6750, RFC 9449 section 7).
  func resource(_ request: Request) -> Response {
    count(.resource)
    return answered(request) { (_, grant) throws(BearerToken.Problem) in
      ["message": .string("Hello, \(grant.username)."), "subject": .string(grant.subject)]
    }
  }

  /// UserInfo (OpenID Connect Core 1.0 section 5.3).
  func userInfo(_ request: Request) -> Response {
    count(.userinfo)
    return answered(request) { (token, grant) throws(BearerToken.Problem) in
      guard token.scope.contains("openid") else { throw .insufficientScope("openid") }
      var result: JSONObject = ["sub": .string(grant.subject)]
      let claims = userClaims(grant.username)
      for name in claims.names { result[name] = claims[name] }
      return .object(result)
    }
  }

  private func answered(
    _ request: Request, _ body: (AccessToken, Grant) throws(BearerToken.Problem) -> JSON
  ) -> Response {
    do throws(BearerToken.Problem) {
      let found = try accessToken(of: request)
      let response = Response.json(try body(found.token, found.grant))
      return found.token.dpopThumbprint == nil ? response : handingOutNonce(response, for: .resourceServer)
    } catch {
      return error.response
    }
  }
}
