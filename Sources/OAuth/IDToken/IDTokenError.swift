internal import Encoding
package import JOSE
internal import Vocabulary

/// The reason why an ID Token was rejected. Contains no values of the token except ``untrustedAudiences``.
package struct IDTokenError: Error, Hashable, Sendable {
  /// The rules of OpenID Connect Core 1.0 sections 3.1.3.7 and 12.2.
  package enum Code: Hashable, Sendable {
    /// The format, header or signature (steps 1, 6, 7 and 8).
    case signature(JOSEError.Code)
    case missingClaim
    /// Wrong type, or a value that is not allowed for the claim.
    case malformedClaim
    /// `iss` is not the issuer (step 2).
    case issuerMismatch
    /// `aud` does not contain our client ID (step 3).
    case audienceMismatch
    /// `aud` contains an audience that is not trusted (step 3).
    case untrustedAudience
    /// `azp` is not our client ID (steps 4 and 5).
    case authorizedPartyMismatch
    case expired
    /// `iat` is too far ahead (step 10).
    case issuedInFuture
    /// `nbf` is in the future (RFC 7519 section 4.1.5).
    case notYetValid
    /// `nonce` is not the one we sent (step 11).
    case nonceMismatch
    /// `acr` is none of the requested values (step 12).
    case insufficientAuthentication
    /// `auth_time` is longer ago than `max_age` (step 13).
    case authenticationTooOld
    /// `at_hash` does not match the access token (section 3.1.3.8).
    case accessTokenHashMismatch
    /// `c_hash` does not match the code (section 3.3.2.11).
    case codeHashMismatch
    /// A logout token, not an ID Token (OpenID Connect Back-Channel Logout 1.0 section 2.4).
    case logoutToken
    /// The claim differs from the first ID Token of this sign-in (section 12.2).
    case identityChanged
  }

  package var code: Code
  package var claim: String?
  /// The audiences that the account would have to trust, if the issuer signed the token for this client.
  package var untrustedAudiences: [String] = []
  /// By how many seconds this machine's clock is ahead of the server's, if that may be the reason.
  package var clockError: Int?

  package init(_ code: Code, _ claim: String? = nil) {
    self.code = code
    self.claim = claim
  }

  /// Whether the signature is valid but issuer, user or client are not the expected ones.
  package var isMismatch: Bool {
    switch code {
    case .issuerMismatch, .audienceMismatch, .untrustedAudience, .authorizedPartyMismatch, .identityChanged: true
    default: false
    }
  }

  /// Whether the issuer may have changed its keys: fetch them once and verify again (section 10.1.1).
  package var needsNewKeys: Bool {
    if case .signature(let reason) = code { JOSEError(reason).needsNewKeys } else { false }
  }

  /// Clock differences below this many seconds are not mentioned.
  private static let toleratedClockError = 60

  /// Adds the clock difference if a time claim was rejected. Never corrects for it, since the server's clock may be the
  /// wrong one.
  ///
  /// - Parameters:
  ///   - serverDate: The `Date` of the response that contained the token, in unix seconds.
  ///   - now: This machine's clock when it arrived.
  package func comparing(serverDate: Int?, now: Int) -> IDTokenError {
    switch code {
    case .expired, .issuedInFuture, .notYetValid, .authenticationTooOld: break
    default: return self
    }
    guard let serverDate else { return self }
    let (difference, overflow) = now.subtractingReportingOverflow(serverDate)
    guard !overflow, difference.magnitude > UInt(Self.toleratedClockError) else { return self }
    var named = self
    named.clockError = difference
    return named
  }
}

extension OAuthError {
  /// The error for a token whose key is currently not published, or published in an unusable form.
  ///
  /// - Parameters:
  ///   - keys: The latest set.
  ///   - seconds: The seconds until the keys can be fetched again.
  /// - Returns: Nil if the token was rejected for another reason.
  package init?(_ error: IDTokenError, in keys: JWKSet, retryAfter seconds: Int) {
    guard case .signature(let code) = error.code else { return nil }
    switch code {
    case .unknownKey: self.init(.keyNotPublished, .server)
    case .malformedSetKey, .weakSetKey, .unsupportedSetKey, .secretSetKey:
      let (unusable, all) = (keys.unusable, keys.keys.count + keys.skipped)
      let reason =
        unusable > 1 ? Phrase("\(code.reason) (\(unusable) of the \(all) keys are unusable)") : code.reason
      self.init(.keyUnusable, .reason(reason))
    default: return nil
    }
    retryAfterSeconds = seconds
  }

  /// Wraps a rejected ID Token as the failure of the operation.
  package init(_ error: IDTokenError) {
    self.init(.idTokenRejected, .reason(error.reason))
    clockError = error.clockError
    if clockError != nil { advice = "check this machine's clock" }
    let options = error.untrustedAudiences.map { "--trust-audience '\($0)'" }
    if !options.isEmpty, options.count <= 8, error.untrustedAudiences.allSatisfy(Self.canBeQuoted) {
      advice = Phrase("if they belong together: \(options.joined(separator: " "))")
    }
  }

  /// Whether the text can be single-quoted in a shell without escapes.
  private static func canBeQuoted(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isVisibleASCII && $0 != UInt8(ascii: "'") }
  }
}

extension JOSEError.Code {
  /// A short reason for users, with "it" for the token.
  var reason: Phrase {
    switch self {
    case .notCompact, .invalidCharacter, .invalidBase64URL: "it is not a signed token"
    case .tooLong: "it is too long"
    case .emptySignature: "it has no signature"
    case .invalidHeader, .missingAlgorithm: "its header is malformed"
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
    case .passphraseNeeded, .authorizationNeeded, .unsuitableHeldKey:
      "its key is not meant for verifying its signature"
    case .unsuitableKey, .invalidKey, .unsupportedKey, .invalidKeySet, .tooManyKeys, .mixedKeySet:
      "its key is not meant for verifying its signature"
    case .badSignature: "its signature is invalid"
    case .invalidPayload, .invalidClaim: "its claims are malformed"
    case .library: "the check itself failed, for example for lack of memory"
    }
  }
}

extension IDTokenError {
  fileprivate var reason: Phrase {
    let name = claim ?? "a claim"
    return switch code {
    case .signature(let code): code.reason
    case .missingClaim: Phrase("\(name) is missing")
    case .malformedClaim: Phrase("\(name) is malformed")
    case .issuerMismatch: "it is from another issuer"
    case .audienceMismatch: "it is for another client"
    case .untrustedAudience: "it is also for another client"
    case .authorizedPartyMismatch: "it was issued to another client"
    case .expired: "it has expired"
    case .issuedInFuture, .notYetValid: "it is from the future"
    case .nonceMismatch: "it belongs to another sign-in"
    case .insufficientAuthentication: "the user did not authenticate in the requested way"
    case .authenticationTooOld: "the user authenticated too long ago"
    case .accessTokenHashMismatch: "it belongs to another access token"
    case .codeHashMismatch: "it belongs to another authorization code"
    case .logoutToken: "it is a logout token"
    case .identityChanged: Phrase("\(name) differs from the first sign-in")
    }
  }
}
