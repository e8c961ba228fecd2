package import Crypto
package import Encoding

/// Creates an account's DPoP proofs. Learns nonces and clock offsets from responses.
package struct DPoPProver: Sendable {
  /// In seconds. Network delay may cause smaller differences.
  private static let toleratedClockOffset = 30

  package let key: DPoPKey
  private let memory: DPoPMemory
  private let wallSeconds: @Sendable () -> Int

  /// `wallSeconds` returns unix seconds.
  package init(key: DPoPKey, memory: DPoPMemory, wallSeconds: @escaping @Sendable () -> Int) {
    self.key = key
    self.memory = memory
    self.wallSeconds = wallSeconds
  }

  /// `nonce` defaults to the server's latest one.
  package func proof(
    method: String, url: URI, as role: DPoPMemory.Role, accessToken: SharedSecret?, nonce: String? = nil
  ) -> DPoPProof {
    DPoPProof(
      method: method, url: url, accessToken: accessToken,
      nonce: nonce ?? memory.nonce(for: key, role, origin: url.origin),
      issuedAt: now(of: url, role))
  }

  package func store(nonce: String, of url: URI, as role: DPoPMemory.Role) {
    memory.store(nonce: nonce, for: key, role, origin: url.origin)
  }

  /// The server's time, in unix seconds.
  private func now(of url: URI, _ role: DPoPMemory.Role) -> Int {
    let (now, overflow) = wallSeconds().addingReportingOverflow(
      memory.clockOffset(for: key, role, origin: url.origin))
    return overflow ? 0 : now
  }

  /// Why a proof was rejected, if a new proof may be accepted.
  package enum ProofProblem: Hashable, Sendable { case nonce, clock }

  /// Learns nonce and clock offset (RFC 9449 section 8.2). Returns the reason to repeat the request, if any.
  @discardableResult
  func learn(
    from response: HTTPResponse, to proof: DPoPProof?, at url: URI, as role: DPoPMemory.Role
  ) -> ProofProblem? {
    learn(from: response.headers, refusal: refusal(in: response, as: role), to: proof, at: url, as: role)
  }

  /// Like ``learn(from:to:at:as:)``, for a resource's response.
  func learn(from head: ResourceHead, to proof: DPoPProof) -> ProofProblem? {
    let refusal = Self.challengedError(in: head.headers, status: head.status)
    return learn(from: head.headers, refusal: refusal, to: proof, at: proof.url, as: .resourceServer)
  }

  private func learn(
    from headers: HTTPHeaders, refusal: String?, to proof: DPoPProof?, at url: URI, as role: DPoPMemory.Role
  ) -> ProofProblem? {
    let nonce = learnNonce(headers, url, role)
    let isNewNonce = nonce.map { !$0.hasSameBytes(as: proof?.nonce ?? "") } ?? false
    let isProofRefused = refusal == "invalid_dpop_proof" || refusal == "use_dpop_nonce"
    // A resource's other responses may be cached, with an old date.
    let isNewTime =
      (isProofRefused || role == .authorizationServer)
      && learnClock(headers, proof, url, role, isRejected: refusal == "invalid_dpop_proof")
    switch refusal {
    case "use_dpop_nonce": return isNewNonce ? .nonce : nil
    case "invalid_dpop_proof": return isNewTime ? .clock : isNewNonce ? .nonce : nil
    default: return nil
    }
  }

  /// The error code in the body or a resource's challenge (RFC 9449 sections 8 and 9).
  private func refusal(in response: HTTPResponse, as role: DPoPMemory.Role) -> String? {
    guard response.status >= 400, response.defect == nil else { return nil }
    switch role {
    case .authorizationServer: return ErrorResponse.read(response, sent: [])?.error
    case .resourceServer: return Self.challengedError(in: response.headers, status: response.status)
    }
  }

  /// The error code in a 401 response's DPoP challenge.
  static func challengedError(in headers: HTTPHeaders, status: Int) -> String? {
    guard status == 401 else { return nil }
    return Challenge.all(in: headers).first { $0.scheme == "dpop" }?["error"]
  }

  /// Stores and returns the nonce, if exactly one is valid.
  private func learnNonce(_ headers: HTTPHeaders, _ url: URI, _ role: DPoPMemory.Role) -> String? {
    let values = headers.values(of: "DPoP-Nonce")
    guard values.count == 1, DPoPProof.isNonce(values[0]) else { return nil }
    store(nonce: values[0], of: url, as: role)
    return values[0]
  }

  /// Stores the clock offset and returns true if the proof's time differed from the server's by more than
  /// ``toleratedClockOffset``, or after a rejection, at all.
  private func learnClock(
    _ headers: HTTPHeaders, _ proof: DPoPProof?, _ url: URI, _ role: DPoPMemory.Role, isRejected: Bool
  ) -> Bool {
    guard let date = headers.date else { return false }
    let (error, isAbsurd) = date.subtractingReportingOverflow(proof?.issuedAt ?? now(of: url, role))
    guard isAbsurd || error.magnitude > (isRejected ? 0 : Self.toleratedClockOffset) else { return false }
    let (clockOffset, overflow) = date.subtractingReportingOverflow(wallSeconds())
    if !overflow { memory.store(clockOffset: clockOffset, for: key, role, origin: url.origin) }
    return !overflow
  }
}
