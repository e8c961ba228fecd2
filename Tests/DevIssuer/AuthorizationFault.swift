/// What the answer of the authorization endpoint can have wrong.
enum AuthorizationFault: String, Sendable, Hashable, CaseIterable {
  /// Another issuer's name (RFC 9207 section 2.4).
  case wrongISS = "wrong_iss"
  case missingISS = "missing_iss"
  case wrongState = "wrong_state"
  case missingState = "missing_state"
  /// The code comes twice in one answer (RFC 6749 section 3.1).
  case duplicate
  /// An access token comes along (RFC 9700 section 2.1.2).
  case accessToken = "access_token"
  /// The code of the answer before.
  case replayedCode = "replayed_code"
  /// The browser brings the whole answer twice.
  case twice
}
