internal import Encoding
internal import OAuth
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes a protocol error for people.
  ///
  /// - Parameters:
  ///   - name: The account's name after a space, or empty.
  ///   - login: The command that signs in to it.
  init(_ error: OAuthError, name: String, _ login: SignInCommand) {
    let message =
      error.code.isAboutHost && !name.isEmpty ? Phrase("\(String(name.dropFirst())): \(Phrase(error))") : Phrase(error)
    self.init(
      FailureCode(error.code), message,
      hint: error.claims.map { login.with([.init("claims-challenge", $0.challenge)]) } ?? error.secretHint(login)
        ?? error.advice.map { Phrase(advice: $0) } ?? error.waitHint ?? error.keyHint ?? error.slashHint(login)
        ?? error.code.hint(name, login))
  }
}

extension OAuthError {
  /// Time at which the server accepts requests again, if known.
  fileprivate var waitHint: Phrase? {
    if let retryAfterSeconds {
      let wait = Phrase("try again in \(retryAfterSeconds) s")
      if code == .keyNotPublished {
        return Phrase("\(wait), when the keys are fetched again; if it stays so, the server must publish its key")
      }
      return followsSuccess ? Phrase("the server's answer was stored: \(wait)") : wait
    }
    return followsSuccess ? Phrase("the server's answer was stored: try again in a minute") : nil
  }

  /// The sign-in with the secret of the client, where the server's own words or the provider's advice are about that:
  /// Google says `invalid_request` and "client_secret is missing."
  fileprivate func secretHint(_ login: SignInCommand) -> Phrase? {
    if code == .invalidClient, let advice {
      guard advice.hasPart("secret"), !advice.hasPart("--") else { return nil }
      return Phrase("\(Phrase(advice: advice)): \(login.askingForSecret)")
    }
    guard code == .invalidRequest, serverDescription?.hasPart("client_secret") == true else { return nil }
    return Phrase("if the client has a secret: \(login.askingForSecret)")
  }

  /// A sign-in makes a new key for tokens, and not for the client.
  fileprivate var keyHint: Phrase? {
    guard code == .keyForeign, subject.utf8.elementsEqual(OAuthError.clientKey.utf8) else { return nil }
    return Phrase(
      "sign in with another key of the client, \("--client-key-file"), or with a new client, \("--register")")
  }

  /// The sign-in at the issuer that was meant.
  fileprivate func slashHint(_ login: SignInCommand) -> Phrase? {
    issuerMeant.map { Phrase("the slash at the end counts: \(login.with([.init("issuer", $0)]))") }
  }
}

extension FailureCode {
  init(_ code: OAuthError.Code) {
    self =
      switch code {
      case .network, .proxyFailed, .connectionLost: .network
      case .timeout: .timeout
      case .serverUnavailable, .rateLimited, .tlsFailure, .keyNotPublished: .serverUnavailable
      case .certificateRejected, .certificateExpired, .certificateNotYetValid, .certificateOfOtherHost:
        .certificateRejected
      case .pinMismatch: .pinMismatch
      case .cancelled: .cancelled
      case .accessDenied, .scopeWithheld: .accessDenied
      case .assertionRejected: .assertionRejected
      case .interactionRequired, .refreshRefused, .keyForeign: .interactionRequired
      case .keyUnavailable: .tpmUnavailable
      case .expiredToken: .codeExpired
      case .invalidGrant: .sessionExpired
      case .invalidClient, .unauthorizedClient, .unsupportedGrantType, .registrationRejected,
        .proofNeeded:
        .clientRejected
      case .insecureURL, .invalidURL, .invalidIssuer, .invalidScope, .invalidClientID,
        .metadataMissing,
        .endpointMissing, .bindingUnsupported, .registrationMissing, .profileBroken:
        .invalidConfiguration
      case .resourceMismatch, .issuerMismatch, .metadataInvalid, .malformedResponse, .notJSON,
        .responseTooLarge,
        .redirectRefused, .unsupportedTokenType, .missingIDToken, .userInfoMismatch,
        .userInfoRejected,
        .codeChallengeUnsupported, .codeChallengeUnannounced,
        .responseIssuerMismatch, .responseIssuerMissing:
        .serverMisbehaved
      case .idTokenRejected: .tokenRejected
      case .tokenNotBound: .tokenNotBound
      case .invalidTarget, .invalidAuthorizationDetails: .invalidRequest
      case .registrationUnusable, .registrationGone, .proofRejected, .invalidScopeAnswer,
        .invalidTargetAnswer,
        .insufficientScope, .invalidRequest, .invalidToken, .unsupportedTokenRevocation,
        .otherServerError,
        .codeRejected:
        .serverRejected
      case .noMemory: .tooBusy
      case .internalFailure, .cryptoFailure: .internalError
      }
  }
}

extension OAuthError.Code {
  /// Hint for people; nil if there is none.
  fileprivate func hint(_ name: String, _ login: SignInCommand) -> Phrase? {
    switch self {
    case .certificateRejected:
      Phrase(
        "if the server has a certificate authority of its own, name the file of its certificate with \("--ca-file")")
    case .certificateExpired, .certificateNotYetValid: Phrase("check this machine's clock")
    case .network, .timeout: Phrase("check the URL and the network; some servers are behind a VPN or a proxy")
    case .proxyFailed:
      Phrase("check the proxy, which the variable \("https_proxy") names at the sign-in")
    case .certificateOfOtherHost: Phrase("check the host name in the URL")
    case .notJSON:
      Phrase("a proxy may have answered, or the sign-in page of a network: open any page in a browser, and try again")
    case .expiredToken: login.phrase
    case .scopeWithheld: Phrase("sign in with this scope among those that \("--scope") names")
    case .invalidClient: Phrase("check the client id; if the client has a secret: \(login.askingForSecret)")
    case .unauthorizedClient, .unsupportedGrantType:
      login.options.isEmpty
        ? Phrase("check the client id and how the client is registered at the server")
        : Phrase("check the client id and how the client is registered at the server, then: \(login.phrase)")
    case .accessDenied: login.options.isEmpty ? nil : login.phrase
    case .insecureURL: Phrase("for a development server on this machine: \(login.allowingHTTPLoopback)")
    case .invalidURL, .invalidIssuer, .invalidScope, .invalidClientID, .metadataMissing, .issuerMismatch:
      Phrase("check the issuer's URL")
    case .registrationMissing:
      Phrase("register a client at the server, and name it with \("--client-id")")
    case .registrationRejected:
      Phrase(
        "give the token that the server may want for it with \("--initial-access-token-file"), or name a client with \("--client-id")"
      )
    case .endpointMissing: Phrase("to name the endpoint yourself, see agent help --all login")
    case .resourceMismatch:
      Phrase("use the resource's URL exactly as in its metadata, including a slash at the end")
    case .tokenNotBound, .bindingUnsupported:
      Phrase(
        "to use Bearer tokens, which work for anyone who steals them: agent account set\(name) --unset dpop")
    case .keyUnavailable:
      // Only a sign-in that says how has a key yet to be made.
      login.options.isEmpty
        ? "agent vault check"
        : Phrase("to have the key in the vault, where it can be copied: \(login.with([.init("key", "vault")]))")
    case .profileBroken: Phrase("have that changed, or do without \("--profile fapi2")")
    case .proofNeeded: login.with("dpop")
    case .proofRejected: Phrase("check this machine's clock")
    case .assertionRejected:
      Phrase(
        "the server must trust the issuer (iss), know the subject (sub) and take the audience (aud) of the JWT; for another audience: \("--assertion-audience")"
      )
    case .codeRejected: Phrase("try again: \(login.phrase)")
    default: meaning == .grantEnded || meaning == .signInNeeded ? login.phrase : nil
    }
  }
}

extension Failure {
  /// An ID Token has too little time left, and a refresh has brought no other.
  static func spentIDToken(of account: String) -> Failure {
    Failure(
      .missingValue, "the ID Token of \(account) has expired, and the server gives no new one",
      hint: "agent login \(account)")
  }
}
