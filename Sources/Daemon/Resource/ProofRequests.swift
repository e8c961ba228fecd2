internal import Encoding
internal import OAuth
internal import Peers
internal import Sessions
internal import Vocabulary
internal import Wire

/// Creates DPoP proofs for requests that callers send with an account's token themselves (RFC 9449 section 7.1), only
/// for origins that may get the token.
final class ProofRequests: AccountPart {

  func proof(_ request: ProofRequest, _ ticket: Ticket) throws(Failure) {
    let target = try ProofTarget(request)
    let named = try broker.named(request.account)
    let gate = ResourceGate(
      settings: try settings(), services: services, preferred: context.directories[ticket]?.account)
    let place = ResourcePlace(of: target.call.endpoint)
    jobs.run({ () throws(SessionError) in try gate.choice(for: place, named: named) }) { [self] outcome in
      handleChoice(target, ticket, outcome)
    }
  }

  private func handleChoice(_ target: ProofTarget, _ ticket: Ticket, _ outcome: Result<ResourceChoice, SessionError>) {
    do throws(Failure) {
      switch outcome {
      case .failure(let error): throw Failure(error, account: nil)
      case .success(let choice):
        let account = try broker.resolve(choice.account.text)
        let tokenTarget = try TokenTarget.make(choice.entry, account: account.name.text)
        let waiter = Waiter(ticket: ticket, need: TokenNeed(), target: tokenTarget) {
          [self] slot, outcome in
          signProof(target, slot, outcome, ticket)
        }
        try broker.obtain(for: waiter, account)
      }
    } catch {
      loop.send(.failure(error), to: ticket)
    }
  }

  /// Signs the proof on a worker, since a TPM may be slow.
  private func signProof(
    _ target: ProofTarget, _ slot: TokenSlot, _ outcome: Result<AccessGrant, SessionError>, _ ticket: Ticket
  ) {
    do throws(Failure) {
      let grant = try outcome.get(of: slot)
      let (proof, key) = try proof(target, slot, grant)
      let (name, description) = (slot.name.text, slot.describe(grant))
      jobs.wait(as: WaitShare(ticket), context.cancellation(of: ticket)) { () throws(SessionError) in
        do throws(OAuthError) { return try proof.signed(by: key) } catch { throw .oauth(error) }
      } then: { [self] outcome in
        answer(target, name, description, grant, outcome, ticket)
      }
    } catch {
      loop.send(.failure(error), to: ticket)
    }
  }

  /// Sends the proof.
  private func answer(
    _ target: ProofTarget, _ name: String, _ description: TokenDescription, _ grant: AccessGrant,
    _ outcome: Result<String, SessionError>, _ ticket: Ticket
  ) {
    do throws(Failure) {
      let proof: String
      do { proof = try outcome.get() } catch { throw Failure(error, account: name) }
      if target.wantsToken {
        let answer = try TokenLine(description, grant, TokenRequest.Extras(), proof: proof)
        loop.send(answer.line, to: ticket)
      } else {
        loop.send(.result(JSONObject([("account", .string(name)), ("dpop", .string(proof))])), to: ticket)
      }
    } catch {
      loop.send(.failure(error), to: ticket)
    }
  }

  /// The proof and the key that signs it.
  private func proof(
    _ target: ProofTarget, _ slot: TokenSlot, _ grant: AccessGrant
  ) throws(Failure) -> (DPoPProof, DPoPKey) {
    guard let key = grant.dpopKey else {
      throw Failure(
        .missingValue, "the access token of \(slot.name.text) is not bound to a key, so it needs no proof",
        hint: Phrase("to bind it: agent account set \(slot.name.text) --dpop, then agent login \(slot.name.text)"))
    }
    let (prover, url) = (services.prover(key), target.call.endpoint.uri)
    if let nonce = target.nonce { prover.note(nonce: nonce, of: url, as: .resourceServer) }
    do throws(SessionError) {
      let proof = prover.proof(
        method: target.call.method.text, url: url, as: .resourceServer, accessToken: try grant.openAccessToken())
      return (proof, key)
    } catch {
      throw Failure(error, account: slot.name.text)
    }
  }
}
