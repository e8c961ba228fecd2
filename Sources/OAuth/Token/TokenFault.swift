package import Crypto

/// Why a token is invalid. Contains nothing of the token but the audiences of ``untrustedAudience(_:)``.
package enum TokenFault: Error, Hashable, Sendable {
  /// Invalid format or header.
  case form(JOSEError.Code)
  /// Invalid key, algorithm or signature.
  case signature(JOSEError.Code)
  /// The payload is no JSON object (RFC 7519 section 7.2).
  case noClaims
  /// A claim of the wrong type or out of range.
  case malformedClaim(String)
  case missingClaim(String)
  /// A claim that the profile forbids.
  case unexpectedClaim(String)
  /// `exp`, in unix seconds, has passed.
  case expired(at: Int)
  /// `nbf`, in unix seconds, is in the future.
  case notYetValid(until: Int)
  /// `iat`, in unix seconds, is in the future.
  case issuedInFuture(at: Int)
  /// `auth_time` is older than `max_age` (OpenID Connect Core section 3.1.3.7, step 13).
  case authenticationTooOld
  case wrongIssuer(isMissing: Bool)
  case wrongAudience(isMissing: Bool)
  /// `aud` also contains untrusted audiences (OpenID Connect Core section 3.1.3.7, step 3), listed only if `azp` is the
  /// client.
  case untrustedAudience([String])
  /// `azp` is not the client (steps 4 and 5).
  case wrongAuthorizedParty
  /// `nonce` is not the one sent (step 11).
  case wrongNonce
  /// `acr` is not a requested value (step 12).
  case insufficientAuthentication
  /// `at_hash` or `c_hash` does not match (sections 3.1.3.8 and 3.3.2.11).
  case wrongHash(claim: String)
  /// The claim differs from the first ID Token's (section 12.2).
  case identityChanged(claim: String)
  /// A logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4), shown by `events` or the missing `exp`.
  case logoutToken(claim: String)
  case wrongValue(ClaimRequirement)

  /// Whether newer keys may help (OpenID Connect Core section 10.1.1).
  package var needsNewKeys: Bool {
    if case .signature(let reason) = self { JOSEError(reason).needsNewKeys } else { false }
  }

  /// The claim of another issuer, audience, client or user, if any.
  package var mismatchedClaim: String? {
    switch self {
    case .wrongIssuer: return "iss"
    case .wrongAudience, .untrustedAudience: return "aud"
    case .wrongAuthorizedParty: return "azp"
    case .identityChanged(let claim): return claim
    default: return nil
    }
  }

  var mayBeClockProblem: Bool {
    switch self {
    case .expired, .notYetValid, .issuedInFuture, .authenticationTooOld: true
    default: false
    }
  }

  /// The reason for users, with "it" for the token.
  package var reason: Phrase {
    switch self {
    case .form(let code), .signature(let code): code.reason
    case .noClaims: "its payload is not a JSON object"
    case .malformedClaim(let name): Phrase("\(name) is malformed")
    case .missingClaim(let name): Phrase("\(name) is missing")
    case .unexpectedClaim(let name): Phrase("it must not have \(name)")
    case .expired: "it has expired"
    case .issuedInFuture, .notYetValid: "it is from the future"
    case .authenticationTooOld: "the user authenticated too long ago"
    case .wrongIssuer: "it is from another issuer"
    case .wrongAudience: "it is for another client"
    case .untrustedAudience: "it is also for another client"
    case .wrongAuthorizedParty: "it was issued to another client"
    case .wrongNonce: "it belongs to another sign-in"
    case .insufficientAuthentication: "the user did not authenticate in the requested way"
    case .wrongHash(claim: "c_hash"): "it belongs to another authorization code"
    case .wrongHash: "it belongs to another access token"
    case .identityChanged(let name): Phrase("\(name) differs from the first sign-in")
    case .logoutToken: "it is a logout token"
    case .wrongValue(let demand): Phrase("\(demand.name) has another value")
    }
  }
}

extension JOSEError.Code {
  package var reason: Phrase {
    switch self {
    case .notCompact: "it does not have three parts separated by dots"
    case .invalidCharacter: "it contains a character that no token has"
    case .invalidBase64URL: "a part of it is not base64url; it may be cut off"
    case .tooLong: "it is too long"
    case .emptySignature: "it has no signature"
    case .invalidHeader: "its header is malformed"
    case .missingAlgorithm: "its header names no algorithm"
    case .unsecured: "it is not signed"
    case .algorithmNotAllowed: "its signature algorithm is not accepted"
    case .criticalHeader: "its header requires an unsupported extension"
    case .encrypted: "it is encrypted, which is not supported"
    case .embeddedPrivateKey: "its header contains a private or symmetric key"
    case .wrongType: "it is another kind of token"
    case .nested: "it contains another token, which is not supported"
    case .unknownKey: "it was not signed with any usable key of the issuer"
    case .ambiguousKey: "the issuer publishes several keys that may have signed it"
    case .malformedSetKey: "its key is published but malformed"
    case .weakSetKey: "its key is published but too weak"
    case .unsupportedSetKey: "its key is published but has an unsupported type"
    case .secretSetKey: "its key is published with its private or symmetric part"
    case .weakKey: "the secret that signs it is too short"
    case .passphraseNeeded, .authorizationNeeded, .unsuitableDeviceKey, .unsuitableKey, .invalidKey, .unsupportedKey,
      .invalidKeySet, .tooManyKeys, .mixedKeySet:
      "its key is not meant for verifying its signature"
    case .badSignature: "its signature is invalid"
    case .invalidPayload, .invalidClaim: "its claims are malformed"
    case .library: "the check itself failed, for example for lack of memory"
    }
  }
}
