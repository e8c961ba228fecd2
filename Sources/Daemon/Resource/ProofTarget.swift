internal import OAuth
internal import Sessions
internal import Wire

/// The request that a proof is for.
struct ProofTarget {
  let call: ResourceCall.Target
  let nonce: String?
  /// The token is to be told too.
  let wantsToken: Bool

  init(_ request: ProofRequest) throws(Failure) {
    // The same is asked of it as of a request that is made here.
    call = try ResourceCall.Target(
      CallRequest(account: request.account, url: request.url, method: request.method, headers: [], sendsBody: false))
    if let nonce = request.nonce, !DPoPProof.isNonce(nonce) {
      throw Failure(.invalidRequest, "the nonce holds characters that no nonce may have, or is too long")
    }
    nonce = request.nonce
    wantsToken = request.accessToken
  }
}
