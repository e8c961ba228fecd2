internal import OAuth
internal import Sessions
internal import Wire

/// The request that a DPoP proof is for.
struct ProofTarget {
  let call: ResourceCall.Target
  /// The resource server's nonce (RFC 9449 section 9).
  let nonce: String?
  /// Whether to return the token too.
  let wantsToken: Bool

  init(_ request: ProofRequest) throws(Failure) {
    // The same rules apply as for a request that the daemon makes.
    call = try ResourceCall.Target(
      CallRequest(account: request.account, url: request.url, method: request.method, headers: [], sendsBody: false))
    if let nonce = request.nonce, !DPoPProof.isNonce(nonce) {
      throw Failure(.invalidRequest, "the nonce is too long or contains invalid characters")
    }
    nonce = request.nonce
    wantsToken = request.accessToken
  }
}
