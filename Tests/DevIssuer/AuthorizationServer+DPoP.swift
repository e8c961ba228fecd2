import Crypto
import Encoding
import Platform

/// Proofs of possession (RFC 9449).
extension AuthorizationServer {
  /// Why a proof does not do.
  enum ProofRefusal: Error, Hashable, Sendable {
    case invalid(String)
    /// The client must use this nonce; nil is a fault that was asked for.
    case wantsNonce(String?)
  }

  /// The proof of a token request; nil when there is none and none is needed (sections 5 and 5.2).
  func proof(ofTokenRequest request: Request, _ client: RegisteredClient) throws(OAuthFailure) -> DPoPProof? {
    let isNeeded = client.bindsTokensToKey || withState { $0.settings.dpop.isRequired }
    return try proof(atAuthorizationServer: request, isNeeded: isNeeded)
  }

  /// The key that a pushed request binds its code to; nil when there is none (section 10.1).
  func thumbprint(ofPushedRequest request: Request, _ parameters: Parameters) throws(OAuthFailure) -> String? {
    let named = parameters["dpop_jkt"]
    guard let proof = try proof(atAuthorizationServer: request, isNeeded: false) else { return named }
    guard named == nil || named == proof.thumbprint else {
      count(.proofRefusals)
      throw OAuthFailure(.invalidDPoPProof, "dpop_jkt is another key's")
    }
    return proof.thumbprint
  }

  private func proof(atAuthorizationServer request: Request, isNeeded: Bool) throws(OAuthFailure) -> DPoPProof? {
    do throws(ProofRefusal) {
      let proof = try proof(of: request, for: .authorizationServer)
      if proof == nil, isNeeded { throw .invalid("a proof is needed") }
      return proof
    } catch {
      count(.proofRefusals)
      switch error {
      case .invalid(let text): throw OAuthFailure(.invalidDPoPProof, text)
      case .wantsNonce(let nonce):
        throw OAuthFailure(.useDPoPNonce, "the proof must hold the nonce of this answer", dpopNonce: nonce)
      }
    }
  }

  /// Checks the proof of a request and uses it up (section 4.3); nil when there is none.
  func proof(of request: Request, for role: DPoPState.Role) throws(ProofRefusal) -> DPoPProof? {
    let proof: DPoPProof?
    do { proof = try DPoPProof(request, issuer: issuer) } catch { throw .invalid(error.text) }
    guard let proof else { return nil }
    let wall = wallSeconds()
    let next = try random()
    try withState { (state) throws(ProofRefusal) in
      state.count(.proofs)
      let rules = state.settings.dpop
      guard (wall - rules.window...wall + rules.window).contains(proof.issuedAt) else {
        throw .invalid("iat is not now")
      }
      guard state.dpop.use(proof) else {
        state.count(.proofReplays)
        throw .invalid("the proof was used before")
      }
      if let fault = rules.fault, fault != .bearer, role == .authorizationServer {
        state.count(.misbehaviours)
        throw .wantsNonce(fault == .nonceStorm ? next.text : nil)
      }
      if rules.wantsNonce, !state.dpop.takes(proof.nonce, for: role) {
        throw .wantsNonce(state.dpop.nonce(for: role))
      }
    }
    return proof
  }

  /// The same for the answer of a resource to whoever has this token.
  func handingOutNonce(_ response: Response, for role: DPoPState.Role, with token: AccessToken) -> Response {
    token.dpopThumbprint == nil ? response : handingOutNonce(response, for: role)
  }

  /// Adds the nonce that the next request shall use (section 8.2).
  func handingOutNonce(_ response: Response, for role: DPoPState.Role) -> Response {
    guard let next = try? OpaqueKey.random() else { return response }
    let nonce = withState { (state) -> String? in
      guard state.settings.dpop.wantsNonce else { return nil }
      if state.settings.dpop.rotatesNonce { state.dpop.rotate(role, to: next) }
      return state.dpop.nonce(for: role)
    }
    guard let nonce else { return response }
    var response = response
    response.headers.append(("DPoP-Nonce", nonce))
    return response
  }

  private func random() throws(ProofRefusal) -> OpaqueKey {
    do { return try .random() } catch { throw .invalid("no random numbers") }
  }
}

extension AuthorizationServer {
  /// The access token of a request to a protected resource, which is taken by the scheme of its type only
  /// (sections 7.1 and 7.2).
  func accessToken(
    of request: Request
  ) throws(BearerToken.Problem) -> (token: AccessToken, grant: Grant) {
    let presented = try BearerToken.find(in: request)
    let now = clock.now()
    guard let found = withState({ $0.tokens.accessToken(presented.key, at: now) }) else {
      throw presented.isDPoP ? .invalidBound : .invalid
    }
    guard let thumbprint = found.token.dpopThumbprint else {
      guard !presented.isDPoP else { throw .invalidBound }
      return found
    }
    guard presented.isDPoP else { throw .invalidBound }
    do throws(ProofRefusal) {
      guard let proof = try proof(of: request, for: .resourceServer) else { throw .invalid("a proof is needed") }
      guard proof.thumbprint == thumbprint else { throw .invalid("the token is bound to another key") }
      guard let hash = try? Digest.sha256.hash(Array(presented.key.text.utf8).span),
        proof.tokenHash == Base64URL.encode(hash)
      else { throw .invalid("ath is not the hash of the token") }
    } catch {
      count(.proofRefusals)
      switch error {
      case .invalid(let text): throw .invalidProof(text)
      case .wantsNonce(let nonce): throw .wantsNonce(nonce)
      }
    }
    return found
  }
}
