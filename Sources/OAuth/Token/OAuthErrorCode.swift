extension OAuthError {
  /// The kind of an error, with a stable name.
  package enum Code: String, Sendable, CaseIterable {
    case noMemory
    // A value from the user or a document is unusable.
    case insecureURL, invalidURL, invalidIssuer, issuerMismatch, metadataMissing, metadataInvalid
    case resourceMismatch
    case endpointMissing, invalidScope, invalidTarget, invalidAuthorizationDetails, invalidClientID
    // No usable response arrived.
    case network, proxyFailed, connectionLost, timeout, tlsFailure, pinMismatch, redirectRefused, responseTooLarge
    case certificateRejected, certificateExpired, certificateNotYetValid, certificateOfOtherHost
    case serverUnavailable, rateLimited, cancelled, malformedResponse, notJSON, internalFailure, cryptoFailure
    // The response violates the protocol.
    case unsupportedTokenType, missingIDToken, idTokenRejected, userInfoMismatch, userInfoRejected
    case codeChallengeUnsupported, codeChallengeUnannounced, responseIssuerMismatch, responseIssuerMissing
    /// The ID Token's key is not published.
    case keyNotPublished
    /// The ID Token's key is published, but unusable.
    case keyUnusable
    /// The server rejected or requires a DPoP proof (RFC 9449), the token is not bound to the account's key, or there
    /// is no common algorithm.
    case proofRejected, proofNeeded, tokenNotBound, bindingUnsupported
    /// The TPM with the key is unavailable.
    case keyUnavailable
    /// The key is another TPM's, or the TPM was cleared.
    case keyForeign
    case profileBroken
    // The server refused.
    case accessDenied, expiredToken, invalidGrant, invalidClient, unauthorizedClient, invalidRequest
    case unsupportedGrantType, invalidScopeAnswer, invalidTargetAnswer, invalidToken, insufficientScope
    case unsupportedTokenRevocation, otherServerError
    // The server requires user interaction, but has not ended the grant.
    case interactionRequired, refreshRefused
    /// A refresh was rejected without an OAuth error, perhaps by a gateway.
    case refreshBlocked
    /// Less than the required scope was granted.
    case scopeWithheld
    case codeRejected, assertionRejected
    /// The server registers no clients, rejected this one, returned unusable values, or no longer knows it.
    case registrationMissing, registrationRejected, registrationUnusable, registrationGone

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

    /// The effect on the grant and on retries.
    package enum Effect: Sendable {
      /// The grant has ended (RFC 6749 section 5.2). After other effects, it remains.
      case grantEnded
      /// Only a sign-in is certain to help.
      case signInNeeded
      /// The same request may succeed later.
      case temporary
      /// The same request would fail again.
      case permanent
    }
  }
}
