internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Wire

/// Proofs of possession for requests that others make with an account's token (RFC 9449 section 7.1).
extension Hub {
  func proof(_ request: ProofRequest, _ ticket: Ticket) throws(Failure) {
    let (account, configuration) = try resolve(request.account)
    _ = try Self.target(of: request, configuration)
    guard Self.isMethod(request.method) else {
      throw Failure(.invalidRequest, "the method must be one word, such as GET")
    }
    if let nonce = request.nonce, !DPoPProof.isNonce(nonce) {
      throw Failure(.invalidRequest, "the nonce holds characters that no nonce may have, or is too long")
    }
    try obtain(for: Account.Waiter(ticket: ticket, need: TokenNeed(), purpose: .proof(request)), account)
  }

  /// There is a token: the proof is for it and no other.
  func prove(_ request: ProofRequest, _ account: Account, _ grant: AccessGrant, _ ticket: Ticket) {
    do throws(Failure) {
      let proof = try proof(request, account, grant)
      if request.accessToken {
        loop.sendToken(account.describe(grant), grant, TokenRequest.Extras(), proof: proof, to: ticket)
      } else {
        let result = JSONObject([("account", .string(account.name.text)), ("dpop", .string(proof))])
        loop.send(.result(result), to: ticket)
      }
    } catch {
      loop.send(.failure(error), to: ticket)
    }
  }

  private func proof(_ request: ProofRequest, _ account: Account, _ grant: AccessGrant) throws(Failure) -> String {
    let url = try Self.target(of: request, account.configuration)
    guard let key = grant.dpopKey else {
      throw Failure(
        .missingValue, "the access token of \(account.name.text) is not bound to a key, so it needs no proof",
        hint: "to bind it: agent login \(account.name.text) --dpop")
    }
    let prover = services.prover(key)
    if let nonce = request.nonce { prover.note(nonce: nonce, of: url, as: .resourceServer) }
    do {
      return try prover.proof(
        method: request.method, url: url, as: .resourceServer, accessToken: grant.accessToken
      ).signed(by: key)
    } catch {
      throw Failure(.oauth(error), account: account.name.text)
    }
  }

  private static func target(of request: ProofRequest, _ configuration: AccountConfiguration) throws(Failure) -> URI {
    guard let url = try? URI(request.url) else { throw Failure(.invalidRequest, "the URL is not valid") }
    guard configuration.mayUseToken(at: url) else {
      throw Failure(
        .invalidRequest, "a token goes to https URLs only",
        hint: "for a development server on this machine: agent account set NAME --allow-http-loopback")
    }
    return url
  }

  /// A token of RFC 9110 section 5.6.2, of at most 32 characters.
  private static func isMethod(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
