/// Why a token, key or key set was rejected. Contains no part of it.
package struct JOSEError: Error, Hashable, Sendable {
  package enum Code: Sendable {

    /// Not three parts (RFC 7515 section 7.1).
    case notCompact
    case tooLong
    /// Outside the base64url alphabet and the dot.
    case invalidCharacter
    /// Impossible length or stray bits.
    case invalidBase64URL
    case emptySignature

    /// Not a JSON object, or a member is repeated or of the wrong type (RFC 7515 section 4).
    case invalidHeader
    /// No `alg` (RFC 7515 section 4.1.1).
    case missingAlgorithm
    /// `alg` is not accepted by the caller (RFC 8725 section 3.1).
    case algorithmNotAllowed
    /// `alg` is `none` (RFC 7518 section 3.6).
    case unsecured
    /// `crit` or `b64` is present (RFC 7515 section 4.1.11, RFC 7797 section 7).
    case criticalHeader
    /// Encrypted tokens are unsupported (RFC 7516).
    case encrypted
    /// The header or a key contains private or symmetric key material.
    case embeddedPrivateKey
    /// `typ` is not accepted by the caller (RFC 8725 section 3.11).
    case wrongType
    /// Nested tokens are unsupported (RFC 7519 section 5.2).
    case nested

    /// No key has the token's `kid`, or none is suitable without one.
    case unknownKey
    /// Several keys are suitable, so none is tried.
    case ambiguousKey
    /// The key with the `kid` is for another algorithm or use.
    case unsuitableKey
    /// The key with the `kid` was skipped.
    case malformedSetKey, weakSetKey, unsupportedSetKey, secretSetKey
    /// A missing or invalid member, or a point not on its curve.
    case invalidKey
    /// An RSA key of unsupported size or exponent (RFC 7518 section 3.3).
    case weakKey
    /// An unsupported `kty`, `crv` or `alg` of a key.
    case unsupportedKey
    /// Not a JSON object with a `keys` array (RFC 7517 section 5).
    case invalidKeySet
    case passphraseNeeded
    /// A device key that requires authorization for each use.
    case authorizationNeeded
    /// A device key not for ECDSA on P-256, or bound to a policy.
    case unsuitableDeviceKey
    case tooManyKeys
    /// A set with both symmetric and public keys.
    case mixedKeySet

    case badSignature
    /// Not a JSON object (RFC 7519 section 7.2).
    case invalidPayload
    /// Wrong type or out of range.
    case invalidClaim
    /// Another failure of libcrypto, such as lack of memory.
    case library

    /// The error for a token whose key was skipped for this reason.
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

  /// Whether newer keys may work (OpenID Connect Core section 10.1.1).
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
