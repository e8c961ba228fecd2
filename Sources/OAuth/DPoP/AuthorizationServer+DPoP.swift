internal import Crypto
internal import Encoding
internal import Vocabulary

/// Proofs of possession (RFC 9449) around the requests that need them.
extension AuthorizationServer {
  /// Asks the token endpoint (RFC 6749 section 3.2), with a proof where the account has a key.
  ///
  /// - Parameters:
  ///   - spends: The form contains something that can be used only once.
  ///   - fill: Writes the form, but for the client's identification. It is called anew for each try, so that nothing which
  ///     may come once only is sent twice.
  func requestTokens(
    spends: Bool = false, cancellation: Cancellation?, _ fill: (inout RequestForm) -> Void
  ) throws(OAuthError) -> HTTPResponse {
    let endpoint = try require(metadata.tokenEndpoint, .token)
    return try proving(.post, endpoint, as: .authorizationServer) { (proof) throws(OAuthError) in
      var form = RequestForm()
      fill(&form)
      let authorization = try client.identify(in: &form, for: endpoint, of: metadata)
      var request = HTTPRequest(
        post: endpoint, .token, form: try form.finish(), transport: privateTransport, cancellation: cancellation)
      request.authorization = authorization
      request.proof = proof
      request.spends = spends
      return try send(request)
    }
  }

  /// Makes the request that `attempt` makes with a proof, and makes it again, once for each reason, when the
  /// server wants a nonce (RFC 9449 sections 8 and 9) or our clock turns out to be wrong. The server has
  /// refused such a request before it acted on it.
  ///
  /// - Parameter attempt: Sends the request with this value of the `DPoP` header; nil without a key.
  func proving(
    _ method: HTTPRequest.Method, _ endpoint: Endpoint, as role: DPoPMemory.Role, accessToken: SharedSecret? = nil,
    _ attempt: (String?) throws(OAuthError) -> HTTPResponse
  ) throws(OAuthError) -> HTTPResponse {
    guard let prover else { return try attempt(nil) }
    var settled: Set<DPoPProver.ProofProblem> = []
    var mayRepeatLost = method == .get
    while true {
      let proof = prover.proof(method: method.name, url: endpoint.uri, as: role, accessToken: accessToken)
      let response: HTTPResponse
      do throws(OAuthError) {
        response = try attempt(try proof.signed(by: prover.key))
      } catch {
        // A kept connection that the server had closed: the library must not send a proof twice.
        guard mayRepeatLost, error.lostAnswer, error.code == .connectionLost else { throw error }
        mayRepeatLost = false
        continue
      }
      guard let complaint = prover.learn(from: response, to: proof, at: endpoint.uri, as: role),
        settled.insert(complaint).inserted
      else { return response }
    }
  }

  /// The value of an `Authorization` header with an access token.
  func authorization(with token: SharedSecret) throws(OAuthError) -> SecretBytes {
    try token.authorization(prover == nil ? "Bearer" : "DPoP")
  }

  /// Refuses bound tokens when the request proved no key, and unbound tokens when it proved one: a thief could use such
  /// a token (RFC 9449 section 5).
  func checkBinding(of tokens: TokenResponse) throws(OAuthError) {
    let isBound = tokens.tokenType.utf8.elementsEqual("DPoP".utf8)
    guard isBound != (prover != nil) else { return }
    throw OAuthError(isBound ? .unsupportedTokenType : .tokenNotBound, .endpoint(.token))
  }

  /// Says that a key is needed, where a proof was asked for and the account has none.
  func explaining<Result>(_ body: () throws(OAuthError) -> Result) throws(OAuthError) -> Result {
    do { return try body() } catch {
      var error = error
      guard error.code == .proofRejected, prover == nil else { throw error }
      error.code = .proofNeeded
      throw error
    }
  }
}
