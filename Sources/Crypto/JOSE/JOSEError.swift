/// Why a token, key or key set was rejected. Contains no part of it.
package struct JOSEError: Error, Hashable, Sendable {
  package enum Code: Sendable {
    // A token's text.

    /// The text does not have three parts (RFC 7515 section 7.1).
    case notCompact
    /// The token, key or set is longer than its limit.
    case tooLong
    /// A character outside the base64url alphabet and the dot.
    case invalidCharacter
    /// A part with an impossible length or stray bits.
    case invalidBase64URL
    case emptySignature

    // The header.

    /// The header is not a JSON object, or a member is repeated or of the wrong type (RFC 7515 section 4).
    case invalidHeader
    /// No `alg` (RFC 7515 section 4.1.1).
    case missingAlgorithm
    /// `alg` is not accepted by the caller (RFC 8725 section 3.1).
    case algorithmNotAllowed
    /// `alg` is `none` (RFC 7518 section 3.6).
    case unsecured
    /// `crit` or `b64` is present (RFC 7515 section 4.1.11, RFC 7797 section 7). No extension is supported.
    case criticalHeader
    /// An encrypted token (RFC 7516), which is not supported.
    case encrypted
    /// The header or a key contains private or symmetric key material.
    case embeddedPrivateKey
    /// `typ` is not accepted by the caller (RFC 8725 section 3.11).
    case wrongType
    /// A nested token (RFC 7519 section 5.2), which is not supported.
    case nested

    // Keys.

    /// No key in the set has the token's `kid`, or none is suitable for a token without one. Fetching the set again may
    /// help.
    case unknownKey
    /// Several keys in the set are suitable, so none is tried.
    case ambiguousKey
    /// The key with this `kid` is for another algorithm or use.
    case unsuitableKey
    /// The key with this `kid` was skipped: malformed, too weak, unsupported or secret.
    case malformedSetKey, weakSetKey, unsupportedSetKey, secretSetKey
    /// A missing or invalid member, or a point that is not on its curve.
    case invalidKey
    /// An RSA key with an unsupported size or exponent (RFC 7518 section 3.3).
    case weakKey
    /// An unsupported `kty`, `crv` or `alg` of a key.
    case unsupportedKey
    /// A key set that is not a JSON object with a `keys` array (RFC 7517 section 5).
    case invalidKeySet
    /// A private key encrypted with a passphrase.
    case passphraseNeeded
    /// A device key that requires authorization for each use.
    case authorizationNeeded
    /// A device key that is not for ECDSA on P-256, or is bound to a policy.
    case unsuitableDeviceKey
    /// More keys than the limit.
    case tooManyKeys
    /// A set with both symmetric and public keys.
    case mixedKeySet

    // The outcome.

    /// The signature is invalid. Do not trust the payload.
    case badSignature
    /// The payload is not a JSON object (RFC 7519 section 7.2).
    case invalidPayload
    /// A claim is of the wrong type or out of range.
    case invalidClaim
    /// libcrypto failed for another reason, for example lack of memory.
    case library

    /// The error for a token whose key in the set was skipped for this reason.
    var forSkippedKey: Self {
      switch self {
      case .weakKey: .weakSetKey
      case .unsupportedKey: .unsupportedSetKey
      case .embeddedPrivateKey: .secretSetKey
      default: .malformedSetKey
      }
    }
  }

  package var code: Code

  /// Whether newer keys may work (OpenID Connect Core section 10.1.1): the issuer may have added a key, replaced one
  /// with the same `kid`, or corrected the set.
  package var needsNewKeys: Bool {
    switch code {
    case .unknownKey, .ambiguousKey, .unsuitableKey, .badSignature: true
    case .malformedSetKey, .weakSetKey, .unsupportedSetKey, .secretSetKey: true
    default: false
    }
  }

  package init(_ code: Code) {
    self.code = code
  }

  init(_ error: CryptoError) {
    switch error.code {
    case .invalidKey, .invalidLength: self.init(.invalidKey)
    case .unsupportedAlgorithm: self.init(.unsuitableKey)
    case .authenticationFailed, .secureHeapFull, .libraryFailure: self.init(.library)
    // A TPM is never used to verify signatures.
    case .noProvider, .unreachable, .refused, .wrongAuthorization, .lockedOut, .foreignKey: self.init(.library)
    }
  }
}
