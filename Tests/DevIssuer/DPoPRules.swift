/// What the issuer asks of proofs of possession (RFC 9449), and how it misbehaves about them.
struct DPoPRules: Sendable, Hashable {
  /// How a token answer lies about the binding.
  enum Fault: String, Sendable, Hashable, CaseIterable {
    /// A Bearer token although a key was proven.
    case bearer
    /// `use_dpop_nonce` without a nonce to use.
    case missingNonce = "missing_nonce"
    /// `use_dpop_nonce` each time, with another nonce.
    case nonceStorm = "nonce_storm"
  }

  /// Token requests without a proof are refused.
  var isRequired = false
  /// Proofs must hold a nonce of ours (section 8).
  var wantsNonce = false
  /// Answers with a good proof hand out the next nonce; the one before is then taken once more.
  var rotatesNonce = true
  /// Seconds by which `iat` may differ from our clock.
  var window = 60
  var fault: Fault?
}
