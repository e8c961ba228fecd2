internal import OAuth
internal import Sessions
internal import Wire

/// The request that a proof is for.
struct ProofTarget {
  let call: ResourceCall.Target
  let nonce: String?
  /// Whether to return the token too.
  let wantsToken: Bool

  init(_ request: ProofRequest) throws(Failure) {
    // The requirements are those of a request made by the daemon.
    call = try ResourceCall.Target(
      CallRequest(account: request.account, url: request.url, method: request.method, headers: [], sendsBody: false))
    if let nonce = request.nonce, !DPoPProof.isNonce(nonce) {
      throw Failure(.invalidRequest, "the nonce is too long or contains invalid characters")
    }
    nonce = request.nonce
    wantsToken = request.accessToken
  }
}
