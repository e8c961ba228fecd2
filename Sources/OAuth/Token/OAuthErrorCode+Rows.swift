extension OAuthError.Code {
  /// An error code's properties.
  package struct Row: Sendable {
    package let effect: Effect
    package let failure: FailureCode
    /// In lowercase, without full stop.
    package let sentence: Phrase
    package let hint: Phrase?
    /// Whether the error is about reaching a host.
    package let isAboutHost: Bool
    /// Matching `error` values.
    let names: [ErrorValues]

    fileprivate init(
      _ effect: Effect, _ failure: FailureCode, _ sentence: Phrase, hint: Phrase? = nil, isAboutHost: Bool = false,
      names: [ErrorValues] = []
    ) {
      (self.effect, self.failure, self.sentence, self.hint) = (effect, failure, sentence, hint)
      (self.isAboutHost, self.names) = (isAboutHost, names)
    }
  }

  /// Values of `error` with the same meaning.
  struct ErrorValues: Sendable, ExpressibleByStringLiteral {
    let values: [String]
    /// The kinds of request with this meaning. Empty for all.
    let kinds: [RequestKind]

    init(for kinds: RequestKind..., values: String...) { (self.values, self.kinds) = (values, kinds) }
    init(stringLiteral value: String) { self.init(values: value) }
  }

  private static let names: [(name: ErrorValues, code: Self)] = allCases.flatMap { code in
    code.row().names.map { ($0, code) }
  }

  /// The code for an `error` value. Without `kind`, ignores values limited to some kinds.
  static func named(_ value: String, in kind: RequestKind? = nil) -> Self? {
    let found = names.filter { $0.name.values.contains { $0 == value } }
    let own = kind.flatMap { kind in found.first { $0.name.kinds.contains(kind) } }
    return (own ?? found.first { $0.name.kinds.isEmpty })?.code
  }

  static func isKnown(_ value: String) -> Bool {
    names.contains { $0.name.values.contains { $0 == value } }
  }

  package var effect: Effect { row().effect }
  package var isAboutHost: Bool { row().isAboutHost }

  /// The hint contains `login`, the account's sign-in command.
  package func row(_ login: SignInCommand = SignInCommand(nil), about subject: Phrase = "") -> Row {
    switch self {
    case .noMemory: Row(.temporary, .tooBusy, "out of memory for the answer of \(subject)")
    case .insecureURL:
      Row(
        .permanent, .invalidConfiguration, "\(subject) is not an https URL",
        hint: "for a development server on this machine: \(login.withHTTPLoopback)")
    case .invalidURL: Row(.permanent, .invalidConfiguration, "\(subject) is not a valid URL", hint: checkIssuer)
    case .invalidIssuer:
      Row(
        .permanent, .invalidConfiguration, "not a valid issuer URL: it must be https, without query and fragment",
        hint: checkIssuer)
    case .issuerMismatch:
      Row(
        .permanent, .serverMisbehaved, "the server's metadata is for an issuer other than \(subject)", hint: checkIssuer
      )
    case .metadataMissing:
      Row(.permanent, .invalidConfiguration, "no metadata was found at \(subject)", hint: checkIssuer)
    case .metadataInvalid: Row(.permanent, .serverMisbehaved, "the server's metadata cannot be used: \(subject)")
    case .resourceMismatch:
      Row(
        .permanent, .serverMisbehaved, "the resource's metadata is for a resource other than \(subject)",
        hint: "use the resource's URL exactly as in its metadata, including any final slash")
    case .endpointMissing:
      Row(
        .permanent, .invalidConfiguration, "the server does not name \(subject)",
        hint: "to set the endpoint yourself, see agent help --all account set")
    case .invalidScope: Row(.permanent, .invalidConfiguration, "\(subject) is not a valid scope")
    case .invalidTarget:
      Row(.permanent, .invalidRequest, "\(subject) is not valid: a resource is an absolute URI without a fragment")
    case .invalidAuthorizationDetails:
      Row(.permanent, .invalidRequest, "\(subject) must be a JSON array of objects with a type")
    case .invalidClientID:
      Row(.permanent, .invalidConfiguration, "\(subject) is not a valid client id", hint: checkIssuer)
    case .network: Row(.temporary, .network, "cannot reach \(subject)", hint: checkNetwork, isAboutHost: true)
    case .proxyFailed:
      Row(
        .temporary, .network, "cannot get through the proxy \(subject)",
        hint: "check the proxy; without it: \(login.withoutProxy)", isAboutHost: true)
    case .connectionLost: Row(.temporary, .network, "the connection to \(subject) was interrupted", isAboutHost: true)
    case .timeout: Row(.temporary, .timeout, "no answer from \(subject)", hint: checkNetwork, isAboutHost: true)
    case .tlsFailure:
      Row(.temporary, .serverUnavailable, "the secure connection to \(subject) failed", isAboutHost: true)
    case .pinMismatch:
      Row(.permanent, .pinMismatch, "the public key of \(subject) is not one of the pinned keys", isAboutHost: true)
    case .redirectRefused:
      Row(.permanent, .serverMisbehaved, "\(subject) answered with a redirect that is not followed")
    case .responseTooLarge: Row(.permanent, .serverMisbehaved, "the answer of \(subject) is too large")
    case .certificateRejected:
      Row(
        .permanent, .certificateRejected, "the certificate of \(subject) is not trusted",
        hint:
          "if the server has its own certificate authority, set the file of its certificate with \("--ca-file")",
        isAboutHost: true)
    case .certificateExpired:
      Row(
        .permanent, .certificateRejected, "the certificate of \(subject) has expired", hint: checkClock,
        isAboutHost: true)
    case .certificateNotYetValid:
      Row(
        .permanent, .certificateRejected, "the certificate of \(subject) is not valid yet", hint: checkClock,
        isAboutHost: true)
    case .certificateOfOtherHost:
      Row(
        .permanent, .certificateRejected, "the certificate of \(subject) is for another host",
        hint: "check the host name in the URL", isAboutHost: true)
    case .serverUnavailable:
      Row(
        .temporary, .serverUnavailable, "\(subject) is not available at the moment",
        names: [
          "server_error", "temporarily_unavailable", "service_unavailable", "internal_error", "internal_server_error",
        ])
    case .rateLimited:
      Row(
        .temporary, .serverUnavailable, "too many requests to \(subject)",
        names: ["slow_down", "rate_limit_exceeded", "too_many_requests"])
    case .cancelled: Row(.permanent, .cancelled, "the request to \(subject) was cancelled")
    case .malformedResponse: Row(.permanent, .serverMisbehaved, "the answer of \(subject) is malformed")
    case .notJSON:
      Row(
        .temporary, .serverUnavailable, "\(subject) did not answer with JSON",
        hint: "a proxy may have answered, or the sign-in page of a network: open any page in a browser, and try again")
    case .internalFailure: Row(.permanent, .internalError, "cannot make the request to \(subject) on this machine")
    case .cryptoFailure: Row(.permanent, .internalError, "the cryptographic library failed for \(subject)")
    case .unsupportedTokenType:
      Row(.permanent, .serverMisbehaved, "\(subject) issued a token of an unsupported type")
    case .missingIDToken: Row(.permanent, .serverMisbehaved, "\(subject) issued no ID Token although it was requested")
    case .idTokenRejected: Row(.permanent, .idTokenRejected, "the ID Token was rejected: \(subject)")
    case .userInfoMismatch: Row(.permanent, .serverMisbehaved, "the answer of \(subject) is about another user")
    case .userInfoRejected:
      Row(.permanent, .serverMisbehaved, "the answer of the UserInfo endpoint was rejected: \(subject)")
    case .codeChallengeUnsupported:
      Row(.permanent, .serverMisbehaved, "\(subject) announces PKCE without the method S256, so its codes are not safe")
    case .codeChallengeUnannounced:
      Row(
        .permanent, .serverMisbehaved,
        "\(subject) does not announce PKCE (code_challenge_methods_supported), which is required for resources"
      )
    case .responseIssuerMismatch:
      Row(.permanent, .serverMisbehaved, "the answer to the sign-in is from an issuer other than \(subject)")
    case .responseIssuerMissing:
      Row(.permanent, .serverMisbehaved, "the answer to the sign-in does not identify \(subject)")
    case .keyNotPublished:
      Row(
        .temporary, .serverUnavailable, "the ID Token was not signed with any usable key of \(subject)")
    case .keyUnusable: Row(.temporary, .serverUnavailable, "the ID Token was rejected: \(subject)")
    case .proofRejected:
      Row(
        .permanent, .serverRejected, "\(subject) did not accept the proof of the account's key (DPoP)",
        hint: checkClock,
        names: ["use_dpop_nonce", "invalid_dpop_proof"])
    case .proofNeeded:
      Row(
        .permanent, .clientRejected, "\(subject) issues this client only tokens that are bound to a key (DPoP)",
        hint: login.with("dpop"))
    case .tokenNotBound:
      Row(
        .permanent, .tokenNotBound, "\(subject) issued a token that is not bound to the account's key (DPoP)",
        hint: bearer(login))
    case .bindingUnsupported:
      Row(
        .permanent, .invalidConfiguration,
        "\(subject) binds tokens to a key by DPoP only with other algorithms than agent's",
        hint: bearer(login))
    case .keyUnavailable:
      Row(
        .permanent, .tpmUnavailable, "\(subject) is in the TPM, which cannot be used at the moment",
        hint: keyInVault(login))
    case .keyForeign:
      Row(
        .signInNeeded, .interactionRequired, "\(subject) is in the TPM of another machine, or the TPM was cleared",
        hint: login.phrase)
    case .profileBroken:
      Row(
        .permanent, .invalidConfiguration, "does not meet the FAPI 2.0 Security Profile, rule \(subject)",
        hint: "change that, or remove the account's setting \("profile")")
    case .accessDenied:
      Row(
        .permanent, .accessDenied, "sign-in was denied", hint: login.options.isEmpty ? nil : login.phrase,
        names: ["access_denied", "authorization_declined"])
    case .expiredToken:
      Row(
        .permanent, .codeExpired, "the code has expired at \(subject)", hint: login.phrase,
        names: ["expired_token", "token_expired"])
    // Other names for `invalid_grant`: GitHub, Entra, Glewlwyd.
    case .invalidGrant:
      Row(
        .grantEnded, .sessionExpired, "\(subject) no longer accepts this sign-in", hint: login.phrase,
        names: [
          "invalid_grant", .init(for: .refresh, values: "bad_refresh_token"),
          .init(for: .devicePoll, values: "incorrect_device_code"),
          .init(for: .devicePoll, .code, values: "bad_verification_code", "invalid_code"),
        ])
    case .invalidClient:
      Row(
        .permanent, .clientRejected, "\(subject) does not accept this client's id or secret",
        hint: login.namesSecret
          ? Phrase("check the client id and the secret at the server")
          : Phrase("check the client id; if the client has a secret: \(login.withSecretPrompt)"),
        names: ["invalid_client", "incorrect_client_credentials"])
    case .unauthorizedClient:
      Row(
        .permanent, .clientRejected, "\(subject) does not allow this client to sign in this way",
        hint: checkClient(login), names: ["unauthorized_client", "device_flow_disabled"])
    case .invalidRequest:
      Row(.permanent, .serverRejected, "\(subject) rejected the request", names: ["invalid_request"])
    case .unsupportedGrantType:
      Row(
        .permanent, .clientRejected, "\(subject) does not support this way to sign in", hint: checkClient(login),
        names: ["unsupported_grant_type"])
    case .invalidScopeAnswer:
      Row(
        .permanent, .serverRejected, "\(subject) rejected the scope",
        hint: "sign in with other scopes in \("--scope")", names: ["invalid_scope"])
    // RFC 8707 section 2, RFC 9396 section 5.
    case .invalidTargetAnswer:
      Row(
        .permanent, .serverRejected, "\(subject) issues no token for that resource, audience or authorization",
        names: ["invalid_target", "invalid_authorization_details", "invalid_resource"])
    case .invalidToken:
      Row(.permanent, .serverRejected, "\(subject) rejected the access token", names: ["invalid_token"])
    case .insufficientScope:
      Row(
        .permanent, .serverRejected, "\(subject) requires a scope that the access token does not have",
        names: ["insufficient_scope"])
    case .unsupportedTokenRevocation:
      Row(.permanent, .serverRejected, "\(subject) cannot revoke this kind of token", names: ["unsupported_token_type"])
    case .otherServerError: Row(.permanent, .serverRejected, "\(subject) reported an error")
    // UAA and Spring Security return `invalid_token` for an expired refresh token, Auth0 `access_denied` if a rule
    // rejects the user (OpenID Connect Core section 3.1.2.6).
    case .interactionRequired:
      Row(
        .signInNeeded, .interactionRequired, "\(subject) requires the user to sign in again", hint: login.phrase,
        names: [
          .init(for: .refresh, values: "invalid_token", "access_denied"),
          .init(
            for: .refresh, .exchange, values: "interaction_required", "login_required", "consent_required",
            "account_selection_required"),
        ])
    case .refreshRefused:
      Row(.signInNeeded, .interactionRequired, "\(subject) refuses to renew the session", hint: login.phrase)
    case .refreshBlocked:
      Row(
        .temporary, .serverUnavailable, "\(subject) refused the refresh without an OAuth error",
        hint: "a gateway or a firewall may have answered: try again later")
    case .scopeWithheld:
      Row(
        .permanent, .accessDenied, "\(subject) did not grant the full scope",
        hint: "sign in with this scope included in \("--scope")")
    case .codeRejected:
      Row(
        .permanent, .serverRejected, "\(subject) does not accept the authorization code",
        hint: "try again: \(login.phrase)")
    case .assertionRejected:
      Row(
        .permanent, .assertionRejected, "\(subject) does not accept the assertion",
        hint:
          "the server must trust the issuer (iss), know the subject (sub) and accept the audience (aud) of the JWT; for another audience: \("--assertion-audience")"
      )
    case .registrationMissing:
      Row(
        .permanent, .invalidConfiguration, "\(subject) does not offer client registration",
        hint: "register a client at the server, and use it with \("--client-id")")
    // RFC 7591 section 3.2.2; for the initial access token, RFC 6750 section 3.1.
    case .registrationRejected:
      Row(
        .permanent, .clientRejected, "\(subject) does not register this client",
        hint:
          "pass an initial access token with \("--client-secret-file"), or use a registered client with \("--client-id")",
        names: [
          .init(
            for: .registration, values: "invalid_redirect_uri", "invalid_client_metadata", "invalid_software_statement",
            "unapproved_software_statement", "access_denied")
        ])
    case .registrationUnusable:
      Row(.permanent, .serverRejected, "cannot use the server's registration of the client: \(subject)")
    case .registrationGone: Row(.permanent, .serverRejected, "\(subject) no longer knows the client, or its token")
    }
  }

  private var checkClock: Phrase { Phrase("check this machine's clock") }
  private var checkIssuer: Phrase { Phrase("check the issuer's URL") }
  private var checkNetwork: Phrase {
    Phrase("check the URL and the network; some servers require a VPN or a proxy")
  }

  private func checkClient(_ login: SignInCommand) -> Phrase {
    login.options.isEmpty
      ? Phrase("check the client id and how the client is registered at the server")
      : Phrase("check the client id and how the client is registered at the server, then: \(login.phrase)")
  }

  /// Hints to use Bearer tokens instead of DPoP.
  private func bearer(_ login: SignInCommand) -> Phrase {
    let name = login.account.map { " \($0)" } ?? ""
    return Phrase("to use Bearer tokens, which work for anyone who steals them: agent account set\(name) --unset dpop")
  }

  /// Hints to check the TPM or, in a sign-in, keep the key in the vault.
  private func keyInVault(_ login: SignInCommand) -> Phrase {
    login.options.isEmpty
      ? Phrase(verbatim: "agent vault check")
      : Phrase("to keep the key in the vault, where it can be copied: \(login.with([.init("key", "vault")]))")
  }
}
