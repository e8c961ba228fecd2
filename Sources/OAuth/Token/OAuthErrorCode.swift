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
      case .malformed: .malformedResponse
      case .redirect: .redirectRefused
      case .cancelled: .cancelled
      case .memory: .noMemory
      case .setup, .content: .internalFailure
      }
  }

  /// Whether it is about a host and not about what the host says.
  package var isAboutHost: Bool {
    switch self {
    case .network, .proxyFailed, .connectionLost, .timeout, .tlsFailure, .pinMismatch, .certificateRejected,
      .certificateExpired, .certificateNotYetValid, .certificateOfOtherHost:
      true
    default: false
    }
  }

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

  /// Decided here and nowhere else.
  package var meaning: Meaning {
    switch self {
    case .invalidGrant: .grantEnded
    case .interactionRequired, .refreshRefused, .keyForeign: .signInNeeded
    case .network, .proxyFailed, .connectionLost, .timeout, .tlsFailure, .serverUnavailable, .rateLimited, .noMemory,
      .keyNotPublished:
      .passing
    case .insecureURL, .invalidURL, .invalidIssuer, .issuerMismatch, .metadataMissing, .metadataInvalid,
      .resourceMismatch, .endpointMissing, .invalidScope, .invalidTarget, .invalidAuthorizationDetails,
      .invalidTargetAnswer, .invalidClientID,
      .certificateRejected, .certificateExpired, .certificateNotYetValid, .certificateOfOtherHost, .pinMismatch,
      .redirectRefused,
      .responseTooLarge, .cancelled, .malformedResponse, .notJSON, .internalFailure, .cryptoFailure,
      .unsupportedTokenType, .missingIDToken, .idTokenRejected, .userInfoMismatch, .userInfoRejected, .invalidRequest,
      .unsupportedTokenRevocation, .otherServerError, .codeChallengeUnsupported, .codeChallengeUnannounced,
      .responseIssuerMismatch,
      .responseIssuerMissing, .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScopeAnswer,
      .insufficientScope, .scopeWithheld, .expiredToken, .accessDenied, .invalidToken, .codeRejected,
      .assertionRejected,
      .registrationMissing, .registrationRejected, .registrationUnusable, .registrationGone, .proofRejected,
      .proofNeeded, .tokenNotBound, .bindingUnsupported, .keyUnavailable, .profileBroken:
      .lasting
    }
  }

  package func sentence(about subject: String) -> String {
    switch self {
    case .insecureURL: "\(subject) is not an https URL"
    case .invalidURL: "\(subject) is not a valid URL"
    case .invalidIssuer: "not a valid issuer URL: it must be https, without query and fragment"
    case .issuerMismatch: "the server's metadata is for another issuer than \(subject)"
    case .resourceMismatch: "the resource's metadata is for another resource than \(subject)"
    case .metadataMissing: "no metadata was found at \(subject)"
    case .metadataInvalid: "the server's metadata is not usable: \(subject)"
    case .endpointMissing: "the server does not name \(subject)"
    case .invalidScope: "\(subject) is not a valid scope"
    case .invalidTarget: "\(subject) is not valid: a resource is an absolute URI without a fragment"
    case .invalidAuthorizationDetails: "\(subject) must be a JSON array of objects with a type"
    case .invalidClientID: "\(subject) is not a valid client id"
    case .network: "cannot reach \(subject)"
    case .proxyFailed: "cannot get through the proxy \(subject)"
    case .connectionLost: "the connection to \(subject) was interrupted"
    case .timeout: "no answer from \(subject)"
    case .tlsFailure: "the secure connection to \(subject) failed"
    case .certificateRejected: "the certificate of \(subject) is not trusted"
    case .certificateExpired: "the certificate of \(subject) has expired"
    case .certificateNotYetValid: "the certificate of \(subject) is not valid yet"
    case .certificateOfOtherHost: "the certificate of \(subject) is for another host"
    case .pinMismatch: "the public key of \(subject) is not one of the pinned keys"
    case .redirectRefused: "\(subject) answered with a redirect that is not followed"
    case .responseTooLarge: "the answer of \(subject) is too large"
    case .serverUnavailable: "\(subject) is not available at the moment"
    case .rateLimited: "too many requests to \(subject)"
    case .cancelled: "the request to \(subject) was cancelled"
    case .malformedResponse: "the answer of \(subject) is malformed"
    case .notJSON: "\(subject) did not answer with JSON"
    case .internalFailure: "the request to \(subject) could not be made on this machine"
    case .noMemory: "this machine has no memory left for the answer of \(subject)"
    case .cryptoFailure: "the cryptographic library failed for \(subject)"
    case .unsupportedTokenType: "\(subject) issued a token of a type that is not supported"
    case .missingIDToken: "\(subject) issued no ID Token although one was asked for"
    case .idTokenRejected: "the ID Token was rejected: \(subject)"
    case .keyNotPublished: "the ID Token was signed with none of the usable keys that \(subject) publishes"
    case .userInfoRejected: "the answer of the UserInfo endpoint was rejected: \(subject)"
    case .userInfoMismatch: "the answer of \(subject) is about another user"
    case .codeChallengeUnsupported: "\(subject) announces PKCE without the method S256, so its codes are not safe"
    case .codeChallengeUnannounced:
      "\(subject) does not announce PKCE (code_challenge_methods_supported), without which no code is taken for a resource"
    case .responseIssuerMismatch: "the answer to the sign-in is from another issuer than \(subject)"
    case .responseIssuerMissing: "the answer to the sign-in does not say that it is from \(subject)"
    case .registrationMissing: "\(subject) does not register clients by itself"
    case .registrationRejected: "\(subject) does not register this client"
    case .registrationUnusable: "the server's registration of the client cannot be used: \(subject)"
    case .registrationGone: "\(subject) no longer knows the client, or its token"
    case .proofRejected: "\(subject) did not accept the proof of the account's key (DPoP)"
    case .proofNeeded: "\(subject) gives this client only tokens that are bound to a key (DPoP)"
    case .tokenNotBound: "\(subject) issued a token that is not bound to the account's key (DPoP)"
    case .bindingUnsupported: "\(subject) does not bind tokens to a key by DPoP with ES256, PS256 or RS256"
    case .keyUnavailable: "\(subject) is in the TPM, which cannot be used now"
    case .keyForeign: "\(subject) is in the TPM of another machine, or the TPM was cleared"
    case .profileBroken: "less than the FAPI 2.0 Security Profile demands, rule \(subject)"
    case .codeRejected: "\(subject) does not accept the authorization code"
    case .assertionRejected: "\(subject) does not accept the assertion"
    case .accessDenied: "sign-in was denied"
    case .expiredToken: "the code has expired at \(subject)"
    case .invalidGrant: "\(subject) no longer accepts this sign-in"
    case .invalidClient: "\(subject) does not accept this client's id or secret"
    case .unauthorizedClient: "\(subject) does not allow this client to sign in this way"
    case .invalidRequest: "\(subject) rejected the request"
    case .unsupportedGrantType: "\(subject) does not support this way to sign in"
    case .invalidScopeAnswer: "\(subject) rejected the scope"
    case .invalidTargetAnswer: "\(subject) gives no token for that resource, audience or authorization"
    case .invalidToken: "\(subject) rejected the access token"
    case .insufficientScope: "\(subject) wants a scope that the access token does not have"
    case .unsupportedTokenRevocation: "\(subject) cannot revoke this kind of token"
    case .otherServerError: "\(subject) reported an error"
    case .interactionRequired: "\(subject) requires the user to sign in again"
    case .refreshRefused: "\(subject) refused the refresh and gave no reason"
    case .scopeWithheld: "\(subject) withheld a part of the scope"
    }
  }
}
