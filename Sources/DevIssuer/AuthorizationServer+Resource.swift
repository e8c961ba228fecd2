import Encoding
import Platform

extension AuthorizationServer {
  /// A protected resource to try a token on (RFC 6750).
  func resource(_ request: Request) -> Response {
    count(.resource)
    return answered(request) { (_, grant) throws(BearerToken.Problem) in
      ["message": .string("Hello, \(grant.username ?? grant.clientID)."), "subject": .string(grant.subject)]
    }
  }

  /// UserInfo (OpenID Connect Core 1.0 section 5.3).
  func userInfo(_ request: Request) -> Response {
    count(.userinfo)
    return answered(request) { (token, grant) throws(BearerToken.Problem) in
      guard let username = grant.username, token.scope.contains("openid") else { throw .insufficientScope("openid") }
      var result: JSONObject = ["sub": .string(grant.subject)]
      let claims = userClaims(username)
      for name in claims.names { result[name] = claims[name] }
      return .object(result)
    }
  }

  private func answered(
    _ request: Request, _ body: (AccessToken, Grant) throws(BearerToken.Problem) -> JSON
  ) -> Response {
    do throws(BearerToken.Problem) {
      let key = try BearerToken.find(in: request)
      let now = clock.now()
      guard let found = withState({ $0.tokens.accessToken(key, at: now) }) else { throw .invalid }
      return .json(try body(found.token, found.grant))
    } catch {
      return error.response
    }
  }
}
