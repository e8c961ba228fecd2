package import Encoding

/// Why a token is invalid. Codes are fixed: scripts depend on them.
package enum TokenProblemCode: String, Sendable, CaseIterable {
  case tooLong = "token_too_long"
  /// Not in JWS compact serialization (RFC 7515).
  case notCompact = "not_compact"
  case invalidCharacter = "invalid_character"
  case invalidBase64URL = "invalid_base64url"
  case missingSignature = "missing_signature"
  case invalidHeader = "invalid_header"
  case missingAlgorithm = "missing_algorithm"
  case unsupportedAlgorithm = "unsupported_algorithm"
  /// `alg` is `none`.
  case unsecured = "unsecured_token"
  /// `crit` names an unsupported extension.
  case criticalHeader = "critical_header"
  case encrypted = "encrypted_token"
  case embeddedPrivateKey = "embedded_private_key"
  /// The payload is another JWT.
  case nested = "nested_token"

  case algorithmNotAllowed = "algorithm_not_allowed"
  case wrongType = "wrong_type"
  case unknownKey = "unknown_key"
  /// Several keys match the token's header.
  case ambiguousKey = "ambiguous_key"
  /// No key is for this algorithm and use.
  case unsuitableKey = "unsuitable_key"
  case badSignature = "bad_signature"
  /// The token needs newer keys, which are unavailable.
  case keysUnavailable = "keys_unavailable"

  case invalidClaims = "invalid_claims"
  case invalidClaim = "invalid_claim"
  case expired = "token_expired"
  case notYetValid = "not_yet_valid"
  case issuedInFuture = "issued_in_future"
  case wrongIssuer = "wrong_issuer"
  case wrongAudience = "wrong_audience"
  case missingClaim = "missing_claim"
  case unexpectedClaim = "unexpected_claim"
  case wrongClaim = "wrong_claim"

  case internalError = "internal_error"

  /// Whether a later check may succeed.
  package var isUndecided: Bool { self == .keysUnavailable || self == .internalError }
}

/// Why a token is invalid.
package struct TokenProblem: Error, Sendable, Hashable {
  package var code: TokenProblemCode

  /// In lowercase, without a full stop or any part of the token.
  package var message: String

  /// The missing, unexpected, malformed or wrong claim, if any.
  package var claim: String?

  package init(_ code: TokenProblemCode, _ message: String, claim: String? = nil) {
    self.code = code
    self.message = message
    self.claim = claim
  }

  /// `{"valid":false,"code":…,"message":…,"claim":…}`.
  package var json: JSONObject {
    var object = JSONObject([("valid", false), ("code", .string(code.rawValue)), ("message", .string(message))])
    object["claim"] = claim.map { .string($0) }
    return object
  }
}
