internal import Crypto

/// The reason why a token, a key or a key set is not accepted. It never contains a byte of one.
package struct JOSEError: Error, Hashable, Sendable {
  /// The reason.
  package enum Code: Sendable {
    // The text of a token.

    /// Not three parts between two dots (RFC 7515 section 7.1), or the JSON serialization.
    case notCompact
    /// Longer than the limit.
    case tooLong
    /// A character outside the base64url alphabet and the dot.
    case invalidCharacter
    /// A part that is not base64url: an impossible length or stray bits.
    case invalidBase64URL
    /// The signature part is empty.
    case emptySignature

    // The header.

    /// Not a JSON object, a member twice, or a member of the wrong type (RFC 7515 section 4).
    case invalidHeader
    /// No `alg` (RFC 7515 section 4.1.1).
    case missingAlgorithm
    /// The caller does not accept this `alg` (RFC 8725 section 3.1).
    case algorithmNotAllowed
    /// `alg` is `none` (RFC 7518 section 3.6).
    case unsecured
    /// `crit` or `b64` is present; no extension is supported (RFC 7515 section 4.1.11, RFC 7797 section 7).
    case criticalHeader
    /// An encrypted token (RFC 7516), which is not supported.
    case encrypted
    /// The header or a key holds private or symmetric key material.
    case embeddedPrivateKey
    /// The caller does not accept this `typ` (RFC 8725 section 3.11).
    case wrongType
    /// A token inside a token (RFC 7519 section 5.2), which is not supported.
    case nested

    // Keys.

    /// No key of the set has the `kid`, or none fits a token without one. Fetching the set again may help.
    case unknownKey
    /// More than one key of the set fits. They are not tried one after the other.
    case ambiguousKey
    /// The key with this `kid` is not meant for the token's algorithm or for verifying.
    case unsuitableKey
    /// The key with this `kid` is in the set, and was left out: it is malformed, too weak, not supported, or secret.
    case malformedSetKey, weakSetKey, unsupportedSetKey, secretSetKey
    /// A key lacks a member, has a bad one, or is no point of its curve.
    case invalidKey
    /// An RSA key with an unsupported size or exponent (RFC 7518 section 3.3).
    case weakKey
    /// A `kty`, `crv` or `alg` of a key that is not supported.
    case unsupportedKey
    /// A key set that is not a JSON object with an array `keys` (RFC 7517 section 5).
    case invalidKeySet
    /// A private key that is encrypted with a passphrase.
    case passphraseNeeded
    /// A private key in a device that wants an authorization at each use.
    case authorizationNeeded
    /// A private key in a device that is not one for ECDSA on P-256, or is bound to a policy.
    case unsuitableHeldKey
    /// More keys than the limit.
    case tooManyKeys
    /// A set that holds symmetric and public keys together.
    case mixedKeySet

    // The outcome.

    /// The signature does not fit. No byte of the payload may be trusted.
    case badSignature
    /// The payload is not a JSON object (RFC 7519 section 7.2).
    case invalidPayload
    /// A claim is of the wrong type or out of range.
    case invalidClaim
    /// libcrypto failed for another reason, such as lack of memory.
    case library
  }

  /// The reason.
  package var code: Code

  /// Whether the issuer's current keys may fit where the cached ones do not (OpenID Connect Core 1.0 section 10.1.1):
  /// the issuer may have added a key, replaced one with the same `kid`, or corrected the set.
  package var needsNewKeys: Bool {
    switch code {
    case .unknownKey, .ambiguousKey, .unsuitableKey, .badSignature: true
    case .malformedSetKey, .weakSetKey, .unsupportedSetKey, .secretSetKey: true
    default: false
    }
  }

  /// Makes an error of a kind.
  package init(_ code: Code) {
    self.code = code
  }
}

extension JOSEError.Code {
  /// The same reason for the key of a set that a token names.
  var ofSetKey: Self {
    switch self {
    case .weakKey: .weakSetKey
    case .unsupportedKey: .unsupportedSetKey
    case .embeddedPrivateKey: .secretSetKey
    default: .malformedSetKey
    }
  }
}

extension JOSEError {
  /// The error for a failure of the cryptographic library with a key or a signature.
  init(_ error: CryptoError) {
    switch error.code {
    case .invalidKey, .invalidLength: self.init(.invalidKey)
    case .unsupportedAlgorithm: self.init(.unsuitableKey)
    case .authenticationFailed, .secureHeapFull, .libraryFailure: self.init(.library)
    // No key that verifies is in a TPM.
    case .noProvider, .unreachable, .refused, .wrongAuthorization, .lockedOut, .foreignKey: self.init(.library)
    }
  }
}
