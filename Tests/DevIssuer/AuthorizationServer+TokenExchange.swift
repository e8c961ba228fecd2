import Encoding
import Platform

/// Token exchange (RFC 8693), for access tokens of this issuer.
extension AuthorizationServer {
  private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

  /// A token of the same user for another target, perhaps for another client, perhaps with less scope.
  ///
  /// It ends with the grant of the token that it was made from. A token that is not good, or not the
  /// client's to exchange, makes the request invalid (section 2.2.2).
  func exchange(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?
  ) throws(OAuthFailure) -> IssuedTokens {
    let subjectKey = try Self.key(parameters, "subject_token")
    let actorKey = parameters["actor_token"] == nil ? nil : try Self.key(parameters, "actor_token")
    guard actorKey != nil || parameters["actor_token_type"] == nil else {
      throw OAuthFailure(.invalidRequest, "actor_token_type without actor_token")
    }
    guard parameters["requested_token_type"] ?? Self.accessTokenType == Self.accessTokenType else {
      throw OAuthFailure(.invalidRequest, "requested_token_type: only access_token")
    }
    let asked = try Self.scope(parameters)
    let order = try order(parameters, client, proof, scope: asked)
    return try withState { (state) throws(OAuthFailure) -> IssuedTokens in
      let (subject, grant) = try Self.find(subjectKey, "subject_token", order.now, state)
      guard subject.clientID == client.id || client.isConfidential else {
        throw OAuthFailure(.invalidRequest, "the subject_token belongs to another client")
      }
      guard asked?.isSubset(of: subject.scope) ?? true else {
        throw OAuthFailure(.invalidScope, "more than the subject_token has")
      }
      let actor = try actorKey.map { (key) throws(OAuthFailure) in
        try Self.find(key, "actor_token", order.now, state).grant.subject
      }
      state.count(.exchanges)
      var token = AccessToken(
        grant: subject.grant, order, scope: asked ?? subject.scope,
        audience: order.targets.isEmpty ? subject.audience : order.targets,
        seconds: state.settings.accessTokenLifetime)
      token.actor = actor ?? subject.actor
      token.dpopThumbprint = state.settings.dpop.fault == .bearer ? nil : order.thumbprint
      state.tokens.add(token, key: order.accessKey)
      return IssuedTokens(
        grant: grant, scope: token.scope, accessToken: order.accessKey.text, refreshToken: nil, nonce: nil,
        isBound: token.dpopThumbprint != nil, issuedAt: order.wall, settings: state.settings, key: state.key,
        issuedTokenType: Self.accessTokenType)
    }
  }

  /// RFC 8693 section 2.1: every token comes with its type.
  private static func key(_ parameters: Parameters, _ name: String) throws(OAuthFailure) -> OpaqueKey {
    guard try parameters.required(name + "_type") == accessTokenType else {
      throw OAuthFailure(.invalidRequest, "\(name)_type: only access_token")
    }
    guard let key = OpaqueKey(text: try parameters.required(name)) else { throw notGood(name) }
    return key
  }

  private static func find(
    _ key: OpaqueKey, _ name: String, _ now: Instant, _ state: IssuerState
  ) throws(OAuthFailure) -> (token: AccessToken, grant: Grant) {
    guard let found = state.tokens.accessToken(key, at: now) else { throw notGood(name) }
    return found
  }

  private static func notGood(_ name: String) -> OAuthFailure {
    OAuthFailure(.invalidRequest, "\(name) is unknown, expired or revoked")
  }
}
