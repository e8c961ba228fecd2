internal import Vocabulary

extension OAuthError {
  /// The kind of error. The raw values are stable names.
  package enum Code: String, Sendable, CaseIterable {
    /// This machine has no memory for the request or its answer.
    case noMemory
    // A value from the user or from a document is not usable.
    case insecureURL, invalidURL, invalidIssuer, issuerMismatch, metadataMissing, metadataInvalid
    case resourceMismatch
    case endpointMissing, invalidScope, invalidTarget, invalidAuthorizationDetails, invalidClientID
    // No answer, or none that may be used.
    case network, proxyFailed, connectionLost, timeout, tlsFailure, pinMismatch, redirectRefused, responseTooLarge
    case certificateRejected, certificateExpired, certificateNotYetValid, certificateOfOtherHost
    case serverUnavailable, rateLimited, cancelled, malformedResponse, notJSON, internalFailure, cryptoFailure
    // The answer is not what the protocol promises.
    case unsupportedTokenType, missingIDToken, idTokenRejected, userInfoMismatch, userInfoRejected
    case codeChallengeUnsupported, codeChallengeUnannounced, responseIssuerMismatch, responseIssuerMissing
    /// An ID Token is signed with a key that is not in the issuer's key set.
    case keyNotPublished
    // About proofs of possession (RFC 9449).
    case proofRejected, proofNeeded, tokenNotBound, bindingUnsupported
    /// The TPM that holds a key cannot be used now.
    case keyUnavailable
    /// A key is in another TPM, or was in this one before it was cleared.
    case keyForeign
    /// Less than the account's security profile demands: see ``OAuthError/breach``.
    case profileBroken
    // The server said no.
    case accessDenied, expiredToken, invalidGrant, invalidClient, unauthorizedClient, invalidRequest
    case unsupportedGrantType, invalidScopeAnswer, invalidTargetAnswer, invalidToken, insufficientScope
    case unsupportedTokenRevocation, otherServerError
    // The server wants the person, but has not ended the grant.
    case interactionRequired, refreshRefused
    /// A refresh was refused without an error of OAuth, as by a gateway or a firewall.
    case refreshBlocked
    /// A part of the scope that was demanded is missing in the answer.
    case scopeWithheld
    case codeRejected, assertionRejected
    // Dynamic registration.
    case registrationMissing, registrationRejected, registrationUnusable, registrationGone
  }
}

extension OAuthError.Code {
  package init(_ failure: HTTPFailure) {
    self =
      switch failure.code {
      case .resolve, .connect: .network
      case .proxy: .proxyFailed
      case .send, .receive: .connectionLost
      case .tls: .tlsFailure
      case .clientKeyUnavailable: .keyUnavailable
      case .clientKeyForeign: .keyForeign
      case .certificate: .certificateRejected
      case .certificateTime:
        failure.problem == .certificateNotYetValid ? .certificateNotYetValid : .certificateExpired
      case .certificateHost: .certificateOfOtherHost
      case .pin: .pinMismatch
      case .timeout: .timeout
      case .tooLarge: .responseTooLarge
      case .malformed, .tokenReturned: .malformedResponse
      case .redirect: .redirectRefused
      case .cancelled: .cancelled
      case .memory: .noMemory
      case .setup, .content: .internalFailure
      }
  }
}

extension OAuthError.Code {
  /// The meaning of an error for the grant that a request used, and for a repetition of the request.
  package enum Meaning: Sendable {
    /// The server ended the grant (RFC 6749 section 5.2).
    case grantEnded
    /// The grant stays, and only a sign-in is sure to help.
    case signInNeeded
    /// The grant stays, and the same request may succeed later without anyone doing anything.
    case passing
    /// The grant stays, and the same request would fail again.
    case lasting
  }
}
