internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

/// Creates DPoP proofs for requests that callers send themselves (RFC 9449 section 7.1), to origins that may get the
/// token.
final class ProofRequests: AccountPart {

  func sendProof(_ request: ProofRequest, _ ticket: Ticket) throws(Failure) {
    let target = try ProofTarget(request)
    let (named, gate) = (try broker.requestedName(request.account), try accountSelector(for: ticket))
    let url = ResourceURL(of: target.call.endpoint)
    jobs.run({ () throws(SessionError) in try gate.selectAccount(for: url, named: named) }) { [self] outcome in
      sendFailure(to: ticket) { () throws(Failure) in
        try obtainToken(target, try outcome.valueOrFailure(account: nil), ticket)
      }
    }
  }

  private func obtainToken(_ target: ProofTarget, _ choice: SelectedAccount, _ ticket: Ticket) throws(Failure) {
    let account = try broker.resolve(choice.account.text)
    let tokenTarget = try TokenTarget.make(choice.entry, account: account.name.text)
    broker.obtain(TokenNeed(), tokenTarget, for: ticket, account) { [self] slot, grant throws(Failure) in
      try sign(target, slot, grant, ticket)
    }
  }

  private func sign(
    _ target: ProofTarget, _ slot: TokenSlot, _ grant: AccessGrant, _ ticket: Ticket
  ) throws(Failure) {
    let (proof, key) = try makeProof(target, slot, grant)
    let (name, description) = (slot.name.text, slot.describe(grant))
    jobs.runWaiting(as: WaitShare(ticket), context.cancellation(of: ticket)) { () throws(SessionError) in
      do throws(OAuthError) { return try proof.signed(by: key) } catch { throw .oauth(error) }
    } then: { [self] outcome in
      sendFailure(to: ticket) { () throws(Failure) in
        let proof = try outcome.valueOrFailure(account: name)
        guard target.wantsToken else {
          return loop.send(.result(JSONObject([("account", .string(name)), ("dpop", .string(proof))])), to: ticket)
        }
        loop.send(try TokenLine(description, grant, TokenRequest.Extras(), proof: proof).line, to: ticket)
      }
    }
  }

  private func makeProof(
    _ target: ProofTarget, _ slot: TokenSlot, _ grant: AccessGrant
  ) throws(Failure) -> (DPoPProof, DPoPKey) {
    guard let key = grant.dpopKey else {
      throw Failure(
        .missingValue, "the access token of \(slot.name.text) is not bound to a key, so it needs no proof",
        hint: Phrase("to bind it: agent account set \(slot.name.text) --dpop && agent login \(slot.name.text)"))
    }
    let (prover, url) = (services.prover(key), target.call.endpoint.uri)
    if let nonce = target.nonce { prover.store(nonce: nonce, of: url, as: .resourceServer) }
    do throws(SessionError) {
      let proof = prover.proof(
        method: target.call.method.text, url: url, as: .resourceServer, accessToken: try grant.openAccessToken())
      return (proof, key)
    } catch {
      throw Failure(error, account: slot.name.text)
    }
  }
}

/// The request that a proof is for.
struct ProofTarget {
  let call: ResourceCall.Target
  /// From the resource server (RFC 9449 section 9).
  let nonce: String?
  /// Whether to send the token with the proof.
  let wantsToken: Bool

  init(_ request: ProofRequest) throws(Failure) {
    call = try ResourceCall.Target(
      CallRequest(account: request.account, url: request.url, method: request.method, headers: [], sendsBody: false))
    if let nonce = request.nonce, !DPoPProof.isNonce(nonce) {
      throw Failure(.invalidRequest, "the nonce is too long or contains invalid characters")
    }
    nonce = request.nonce
    wantsToken = request.wantsAccessToken
  }
}
