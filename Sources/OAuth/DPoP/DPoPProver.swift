package import Crypto
package import Encoding

/// Makes the proofs of one account, and learns from answers what the next ones need.
package struct DPoPProver: Sendable {
  /// A server's clock that is further from ours than this, in seconds, is believed as soon as it is seen:
  /// more than an answer may take.
  private static let toleratedClockError = 30

  package let key: DPoPKey
  private let memory: DPoPMemory
  private let wallSeconds: @Sendable () -> Int

  /// - Parameter wallSeconds: This machine's clock.
  package init(key: DPoPKey, memory: DPoPMemory, wallSeconds: @escaping @Sendable () -> Int) {
    self.key = key
    self.memory = memory
    self.wallSeconds = wallSeconds
  }

  /// Makes the proof of a request.
  ///
  /// - Parameters:
  ///   - accessToken: The token in the `Authorization` header of the request.
  ///   - nonce: One that the caller got from the server; otherwise the last that came here.
  package func proof(
    method: String, url: URI, as role: DPoPMemory.Role, accessToken: SharedSecret?, nonce: String? = nil
  ) -> DPoPProof {
    DPoPProof(
      method: method, url: url, accessToken: accessToken,
      nonce: nonce ?? memory.nonce(for: key, role, origin: url.origin),
      issuedAt: now(of: url, role))
  }

  /// Remembers a nonce that was received elsewhere.
  package func note(nonce: String, of url: URI, as role: DPoPMemory.Role) {
    memory.note(nonce: nonce, for: key, role, origin: url.origin)
  }

  /// A server's time, as far as it is known to differ from ours.
  private func now(of url: URI, _ role: DPoPMemory.Role) -> Int {
    let (now, overflow) = wallSeconds().addingReportingOverflow(
      memory.clockError(for: key, role, origin: url.origin))
    return overflow ? 0 : now
  }

  /// The problem of a server with a proof that a new proof can fix.
  package enum ProofProblem: Hashable, Sendable { case nonce, clock }

  /// Takes the nonce and the clock of an endpoint over (RFC 9449 section 8.2).
  ///
  /// - Parameter proof: The proof that was sent; nil for a request without a proof.
  /// - Returns: Why the request is worth repeating, if it is.
  @discardableResult
  func learn(
    from response: HTTPResponse, to proof: DPoPProof?, at url: URI, as role: DPoPMemory.Role
  ) -> ProofProblem? {
    learn(from: response.headers, refusal: refusal(in: response, as: role), to: proof, at: url, as: role)
  }

  /// The same for the answer of a resource.
  func learn(from head: ResourceHead, to proof: DPoPProof) -> ProofProblem? {
    let refusal = Self.challengedError(in: head.headers, status: head.status)
    return learn(from: head.headers, refusal: refusal, to: proof, at: proof.url, as: .resourceServer)
  }

  private func learn(
    from headers: HTTPHeaders, refusal: String?, to proof: DPoPProof?, at url: URI, as role: DPoPMemory.Role
  ) -> ProofProblem? {
    let nonce = takeNonce(headers, url, role)
    let isNewNonce = nonce.map { !($0.utf8.elementsEqual((proof?.nonce ?? "").utf8)) } ?? false
    let isProofRefused = refusal == "invalid_dpop_proof" || refusal == "use_dpop_nonce"
    // A resource's other answers may come from a cache, with an old date.
    let isNewTime =
      (isProofRefused || role == .authorizationServer)
      && takeTime(headers, proof, url, role, isDoubted: refusal == "invalid_dpop_proof")
    switch refusal {
    case "use_dpop_nonce": return isNewNonce ? .nonce : nil
    case "invalid_dpop_proof": return isNewTime ? .clock : isNewNonce ? .nonce : nil
    default: return nil
    }
  }

  /// The error that an authorization server names in its answer, and a resource server in its challenge
  /// (RFC 9449 sections 8 and 9).
  private func refusal(in response: HTTPResponse, as role: DPoPMemory.Role) -> String? {
    guard response.status >= 400, response.defect == nil else { return nil }
    switch role {
    case .authorizationServer: return ErrorAnswer.read(response, sent: [])?.error
    case .resourceServer: return Self.challengedError(in: response.headers, status: response.status)
    }
  }

  static func challengedError(in headers: HTTPHeaders, status: Int) -> String? {
    guard status == 401 else { return nil }
    return Challenge.all(in: headers).first { $0.scheme.utf8.elementsEqual("dpop".utf8) }?["error"]
  }

  private func takeNonce(_ headers: HTTPHeaders, _ url: URI, _ role: DPoPMemory.Role) -> String? {
    let values = headers.values(of: "DPoP-Nonce")
    guard values.count == 1, DPoPProof.isNonce(values[0]) else { return nil }
    note(nonce: values[0], of: url, as: role)
    return values[0]
  }

  /// - Parameter isDoubted: The server refused the proof, so that even a small difference may be the reason.
  /// - Returns: Whether the proof named another time than the server's.
  private func takeTime(
    _ headers: HTTPHeaders, _ proof: DPoPProof?, _ url: URI, _ role: DPoPMemory.Role, isDoubted: Bool
  ) -> Bool {
    guard let date = headers.date else { return false }
    let (error, isAbsurd) = date.subtractingReportingOverflow(proof?.issuedAt ?? now(of: url, role))
    guard isAbsurd || error.magnitude > (isDoubted ? 0 : Self.toleratedClockError) else { return false }
    let (clockError, overflow) = date.subtractingReportingOverflow(wallSeconds())
    if !overflow { memory.note(clockError: clockError, for: key, role, origin: url.origin) }
    return !overflow
  }
}
