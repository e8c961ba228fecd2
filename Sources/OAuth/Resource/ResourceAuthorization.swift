package import Crypto
package import Encoding

/// Adds the access token to resource requests. No other type does.
package struct ResourceAuthorization: Sendable {
  private let accessToken: SharedSecret
  private let prover: DPoPProver?

  /// `prover` has the token's DPoP key; nil for a Bearer token.
  package init(accessToken: SharedSecret, prover: DPoPProver? = nil) {
    self.accessToken = accessToken
    self.prover = prover
  }

  /// One attempt's secret header fields. Never reuse.
  package struct Attempt: Sendable {
    package let fields: [SecretField]
    fileprivate let proof: DPoPProof?
  }

  /// Creates the fields for an attempt now (RFC 6750 section 2.1, RFC 9449 section 7.1).
  package func attempt(method: ResourceMethod, uri: URI) throws(OAuthError) -> Attempt {
    guard let prover else {
      return Attempt(
        fields: [SecretField("Authorization", SharedSecret(try accessToken.authorization("Bearer")))], proof: nil)
    }
    let proof = prover.proof(method: method.text, url: uri, as: .resourceServer, accessToken: accessToken)
    let signed = try proof.signed(by: prover.key)
    let fields = [
      SecretField("Authorization", SharedSecret(try accessToken.authorization("DPoP"))),
      SecretField("DPoP", SharedSecret(try SharedSecret.bytes(signed))),
    ]
    return Attempt(fields: fields, proof: proof)
  }

  /// Stores a response's nonce and clock offset. Returns the reason to retry, if any.
  package func learn(from head: ResourceHead, after attempt: Attempt) -> DPoPProver.ProofProblem? {
    guard let prover, let proof = attempt.proof else { return nil }
    return prover.learn(from: head, to: proof)
  }
}

extension SharedSecret {
  /// The `Authorization` header (RFC 6750 section 2.1, RFC 9449 section 7.1).
  func authorization(_ scheme: String) throws(OAuthError) -> SecretBytes { try Self.bytes("\(scheme) ", self) }

  fileprivate static func bytes(_ text: String, _ token: SharedSecret? = nil) throws(OAuthError) -> SecretBytes {
    var value = SecretBuffer(capacity: text.utf8.count + (token?.bytes.count ?? 0))
    value.append(utf8: text)
    token?.bytes.withBytes { value.append(contentsOf: $0) }
    do { return try value.finish() } catch { throw OAuthError(.cryptoFailure, .request) }
  }
}
