internal import Crypto

extension AuthorizationServer {
  /// Posts to the token endpoint (RFC 6749 section 3.2), with a proof if the account has a key. `fill` writes each
  /// attempt's form, with a single-use value if `spends`.
  func requestTokens(
    spends: Bool = false, cancellation: Cancellation?, _ fill: (inout RequestForm) -> Void
  ) throws(OAuthError) -> HTTPResponse {
    let endpoint = try require(.token)
    return try sendWithProof(.post, endpoint, as: .authorizationServer) { (proof) throws(OAuthError) in
      var form = RequestForm()
      fill(&form)
      let authorization = try client.addAuthentication(to: &form, for: endpoint, of: metadata)
      var request = HTTPRequest(
        post: endpoint, .token, form: try form.finish(), transport: privateTransport, cancellation: cancellation)
      request.authorization = authorization
      request.proof = proof
      request.spends = spends
      return try send(request)
    }
  }

  /// Calls `attempt` with the `DPoP` header, or nil if the account has no key. Repeats it at most once each for a new
  /// nonce (RFC 9449 sections 8 and 9), a clock difference, and a GET's lost connection.
  func sendWithProof(
    _ method: HTTPRequest.Method, _ endpoint: Endpoint, as role: DPoPMemory.Role, accessToken: SharedSecret? = nil,
    _ attempt: (String?) throws(OAuthError) -> HTTPResponse
  ) throws(OAuthError) -> HTTPResponse {
    guard let prover else { return try attempt(nil) }
    var settled: Set<DPoPProver.ProofProblem> = []
    var mayRepeatLost = method == .get
    while true {
      let proof = prover.proof(method: method.rawValue, url: endpoint.uri, as: role, accessToken: accessToken)
      let response: HTTPResponse
      do throws(OAuthError) {
        response = try attempt(try proof.signed(by: prover.key))
      } catch {
        // The server closed a reused connection. libcurl does not retry, since it would reuse the proof.
        guard mayRepeatLost, error.isResponseLost, error.code == .connectionLost else { throw error }
        mayRepeatLost = false
        continue
      }
      guard let complaint = prover.learn(from: response, to: proof, at: endpoint.uri, as: role),
        settled.insert(complaint).inserted
      else { return response }
    }
  }

  func authorization(with token: SharedSecret) throws(OAuthError) -> SecretBytes {
    try token.authorization(prover == nil ? "Bearer" : "DPoP")
  }

  /// Throws if tokens are bound but the account has no key, or vice versa (RFC 9449 section 5).
  func checkBinding(of tokens: TokenResponse) throws(OAuthError) {
    let isBound = tokens.tokenType == "DPoP"
    guard isBound != (prover != nil) else { return }
    throw OAuthError(isBound ? .unsupportedTokenType : .tokenNotBound, .endpoint(.token))
  }

  /// Runs `body`. Throws `proofNeeded` if the server requires a proof, but there is no key.
  func withProofNeededError<Result>(_ body: () throws(OAuthError) -> Result) throws(OAuthError) -> Result {
    do { return try body() } catch {
      var error = error
      guard error.code == .proofRejected, prover == nil else { throw error }
      error.code = .proofNeeded
      throw error
    }
  }
}
