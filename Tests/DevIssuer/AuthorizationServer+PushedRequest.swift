import Crypto
import Encoding
import Platform

/// Pushed authorization requests (RFC 9126).
extension AuthorizationServer {
  private static let prefix = "urn:ietf:params:oauth:request_uri:"

  /// The pushed authorization request endpoint (section 2).
  func push(_ request: Request) throws(OAuthFailure) -> Response {
    let parameters = try Parameters(form: request)
    let client = try authenticate(request, parameters)
    // Section 2.1: everything is checked as at the authorization endpoint.
    guard parameters["request_uri"] == nil else {
      throw OAuthFailure(.invalidRequest, "request_uri does not belong here")
    }
    guard try parameters.required("client_id") == client.id else {
      throw OAuthFailure(.invalidRequest, "client_id is another client's")
    }
    let thumbprint = try thumbprint(ofPushedRequest: request, parameters)
    var wanted: AuthorizationRequest
    do throws(AuthorizationProblem) {
      wanted = try authorizationRequest(parameters, client)
    } catch {
      throw error.failure
    }
    wanted.dpopThumbprint = thumbprint
    let (pushed, hasProof) = (wanted, request.headers["dpop"] != nil)
    let key = try checked(OpaqueKey.random)
    let now = clock.now()
    let fault = withState { (state) -> PushedRequestFault? in
      state.count(.pushedRequests)
      state.pushed.add(pushed, key: key, at: now)
      if state.settings.pushedRequestFault != nil { state.count(.misbehaviours) }
      return state.settings.pushedRequestFault
    }
    let answer = Self.answer(Self.prefix + key.text, fault)
    return hasProof ? handingOutNonce(answer, for: .authorizationServer) : answer
  }

  private static func answer(_ uri: String, _ fault: PushedRequestFault?) -> Response {
    var members: JSONObject = ["expires_in": .int(PushedRequests.lifetime)]
    switch fault {
    case .missing: break
    case .malformed: members["request_uri"] = "not a URI"
    case .http: members["request_uri"] = "http://issuer.invalid/request"
    case .unknown: members["request_uri"] = .string(uri + "x")
    case .status, nil: members["request_uri"] = .string(uri)
    }
    return .json(.object(members), status: fault == .status ? 200 : 201)
  }

  /// The request behind a `request_uri` (section 4), which is good once and for its client only.
  func pushedRequest(_ uri: String, _ client: RegisteredClient) throws(OAuthFailure) -> AuthorizationRequest {
    let now = clock.now()
    guard uri.utf8.starts(with: Self.prefix.utf8),
      let key = OpaqueKey(text: String(uri.dropFirst(Self.prefix.count))),
      let request = withState({ $0.pushed.take(key, clientID: client.id, at: now) })
    else {
      throw OAuthFailure(.invalidRequestURI, "unknown request_uri, or used already, or too old")
    }
    return request
  }
}
