import Encoding
import Platform

/// Protected resources to try tokens on (RFC 6750, RFC 9449 section 7).
extension AuthorizationServer {
  private static let metadataPath = "/.well-known/oauth-protected-resource"

  func resource(_ request: Request) -> Response {
    count(.resource)
    return protected(request) { (_, grant) in
      .json(["message": .string("Hello, \(grant.username ?? grant.clientID)."), "subject": .string(grant.subject)])
    }
  }

  /// Answers whoever has a token that is good for this resource and satisfies its rules.
  func protected(_ request: Request, _ body: (AccessToken, Grant) -> Response) -> Response {
    let settings = withState { $0.settings }
    do throws(BearerToken.Problem) {
      let (token, grant) = try accessToken(of: request)
      // A token that is good all the same, as after a change of keys at a real server.
      guard !withState({ $0.settings.takeRefusal() }) else {
        count(.misbehaviours)
        throw .invalid
      }
      guard token.audience.isEmpty || token.audience.contains(issuer + request.path) else { throw .invalid }
      try settings.resourceRules.check(token, grant, at: wallSeconds())
      return handingOutNonce(body(token, grant), for: .resourceServer, with: token)
    } catch {
      return error.response(metadata: metadataAddress(request.path, settings.resourceFault))
    }
  }

  /// UserInfo (OpenID Connect Core 1.0 section 5.3).
  func userInfo(_ request: Request) -> Response {
    count(.userinfo)
    do throws(BearerToken.Problem) {
      let (token, grant) = try accessToken(of: request)
      guard let username = grant.username, token.scope.contains("openid") else { throw .insufficientScope("openid") }
      let fault = withState { $0.settings.userInfoFault }
      var result: JSONObject = fault == .noSUB ? [:] : ["sub": .string(fault == .sub ? "user-mallory" : grant.subject)]
      let claims = userClaims(username)
      for name in claims.names { result[name] = claims[name] }
      let isSigned = withState { $0.settings.signsUserInfo }
      let response = isSigned ? signed(result, for: grant) : .json(.object(result))
      return handingOutNonce(response, for: .resourceServer, with: token)
    } catch {
      return error.response()
    }
  }

  /// What a protected resource says of itself (RFC 9728 sections 2 and 3.2).
  func resourceMetadata(_ request: Request) -> Response {
    let settings = withState { (state) -> Settings in
      state.count(.resourceMetadata)
      return state.settings
    }
    let identifier = issuer + request.path.dropFirst(Self.metadataPath.count)
    var document: JSONObject = [
      "resource": .string(settings.resourceFault == .resource ? "https://resource.invalid/" : identifier),
      "resource_name": "The development issuer's resource",
      "bearer_methods_supported": ["header"],
      "scopes_supported": .array((["openid"] + [settings.resourceRules.scope].compactMap(\.self)).map(JSON.string)),
    ]
    if settings.resourceRules.wantsBoundTokens { document["dpop_bound_access_tokens_required"] = true }
    switch settings.resourceFault {
    case .noServer: break
    case .server: document["authorization_servers"] = ["https://issuer.invalid"]
    default: document["authorization_servers"] = [.string(issuer)]
    }
    return .json(.object(document))
  }

  /// RFC 9728 section 3.1: between the host and the path.
  private func metadataAddress(_ path: String, _ fault: ResourceFault?) -> String? {
    switch fault {
    case .noMetadata: nil
    case .metadata: "https://resource.invalid" + Self.metadataPath + path
    default: issuer + Self.metadataPath + path
    }
  }
}
