/// Misbehavior of issuers, by the affected part. Each list is tested with its own daemon.
enum HostileCatalogue {
  // MARK: Sessions

  /// ID Tokens returned by a refresh (OpenID Connect Core sections 3.1.3.7 and 12.2). The refresh token beside them
  /// is kept, since the issuer accepts each one once.
  static let renewedIDTokens: [HostileRow] =
    [
      // The first row, because keys are fetched at most once a minute.
      HostileRow(.refresh, "rotate_key=1", .accepted, suite: "oidcc-client-test-signing-key-rotation"),
      HostileRow(.refresh, "break_id_token=missing", .accepted),
      HostileRow(.refresh, "break_id_token=aud_array", .accepted),
      HostileRow(.refresh, "break_id_token=no_kid", .accepted),
      HostileRow(.refresh, "break_id_token=no_nonce", .accepted),
      // No authentication context was requested.
      HostileRow(.refresh, "break_id_token=acr", .accepted),
      HostileRow(
        .refresh, "break_id_token=iss", .otherUser,
        suite: "oidcc-client-test-refresh-token-invalid-issuer"),
      HostileRow(
        .refresh, "break_id_token=sub", .otherUser,
        suite: "oidcc-client-test-refresh-token-invalid-sub"),
      HostileRow(.refresh, "break_id_token=nonce", .otherSignIn),
      HostileRow(.refresh, "break_id_token=auth_time", .accepted),
    ]
    + [
      // The key may be published late, so no other refresh token is spent until the keys can be fetched again.
      HostileRow(.refresh, "break_id_token=kid", .keyNotPublished, then: .keyNotPublished)
    ]
    + idTokenForms.map {
      let isForOther = ["aud", "second_aud", "azp"].contains($0.0)
      return HostileRow(.refresh, "break_id_token=\($0.0)", isForOther ? .otherClient : .rejected($0.1))
    }

  /// Defects of any ID Token, with the expected reason.
  private static let idTokenForms = [
    ("no_iss", "iss is missing"), ("aud", "it is for another client"), ("no_aud", "aud is missing"),
    ("second_aud", "it is also for another client"), ("azp", "it was issued to another client"),
    ("exp", "it has expired"), ("no_exp", "exp is missing"), ("exp_text", "exp is malformed"),
    ("no_iat", "iat is missing"), ("future_iat", "it is from the future"), ("no_sub", "sub is missing"),
    ("long_sub", "sub is malformed"), ("two_subs", "its claims are malformed"),
    ("at_hash", "it belongs to another access token"), ("events", "it is a logout token"),
    ("signature", noSignature), ("none", "it is not signed"), ("alg", otherAlgorithm), ("hs256", otherAlgorithm),
    ("jwk", noSignature), ("jku", noSignature),
    ("crit", "its header requires an unsupported extension"), ("typ", "it is another kind of token"),
    ("padded", "it contains a character that no token has"),
    ("five_parts", "it is encrypted, which is not supported"),
  ]

  /// The server's error description with `body=error`.
  private static let notToday = "Not today."
  private static let noSignature = "its signature is invalid"
  private static let otherAlgorithm = "its signature algorithm is not accepted"
  private static let severalKeys = "the issuer publishes several keys that may have signed it"

  /// Defects with an RSA key, which also supports PS256 (RFC 8725 section 3.1).
  static let renewedRSATokens: [HostileRow] = [
    HostileRow(
      .refresh, "break_id_token=signature", .rejected(noSignature), suite: "oidcc-client-test-invalid-sig-rs256"),
    HostileRow(.refresh, "break_id_token=alg", .rejected(otherAlgorithm)),
    HostileRow(.refresh, "break_id_token=hs256", .rejected(otherAlgorithm)),
    HostileRow(.refresh, "break_id_token=none", .rejected("it is not signed")),
  ]

  /// Responses of the token endpoint. Except for the rows with `rotation=on`, the server accepts a refresh token more
  /// than once, because an unreadable response hides the new one.
  static let tokenAnswers: [HostileRow] =
    HostileRow.bodies(
      .refresh,
      [
        "empty", "html", "array", "huge", "deep", "redirect", "type", "two_types", "two_lengths", "two_locations",
        "flood", "endless", "bomb", "crumbs", "truncated", "drop",
      ], at: .token, "body_at=token") + [
      HostileRow(.refresh, "body=error", HostileEndpoint.token.unavailable("server_error", notToday)),
      HostileRow(.refresh, "body=drop&times=1", .accepted),
      HostileRow(.refresh, "fail_next_token=1&status=503", .accepted),
      HostileRow(
        .refresh, "fail_next_token=9&status=500&error=server_error", HostileEndpoint.token.unavailable("server_error")),
      // If asked to wait a day, the client retries after five minutes, and not before (RFC 9110 section 10.2.3).
      HostileRow(
        .refresh, "fail_next_token=9&status=503&retry_after=86400",
        HostileEndpoint.token.unavailable("temporarily_unavailable", wait: "five minutes"),
        then: HostileEndpoint.token.unavailable("temporarily_unavailable", wait: "five minutes")),
      // The OAuth errors of a failing server are ignored, except those about the grant.
      HostileRow(
        .refresh, "fail_next_token=9&status=502&error=invalid_request",
        HostileEndpoint.token.unavailable("invalid_request")),
      HostileRow(.refresh, "fail_next_token=9&status=500&error=invalid_grant", .expired, then: .expired),
      HostileRow(.refresh, "fail_next_token=9&status=400&error=invalid_grant", .expired, then: .expired),
      HostileRow(
        .refresh, "fail_next_token=9&status=401&error=invalid_client",
        .refused(
          "client_rejected", 1,
          "the token endpoint does not accept this client's id or secret (invalid_client);"
            + " check the client id; if the client has a secret: agent login work --client-secret-prompt")),
      HostileRow(
        .refresh, "fail_next_token=9&status=400&error=nonsense",
        .refused(
          "interaction_required", 3,
          "the token endpoint requires the user to sign in again (nonsense); agent login work")),
      // The new refresh token is lost, and the old one has been spent.
      HostileRow(.refresh, "body=html&rotation=on", HostileEndpoint.token.outcome(of: "html"), then: .expired),
      HostileRow(.refresh, "body=drop&times=1&rotation=on", .expired, then: .expired),
    ]

  /// OpenID Connect Core section 5.3.2.
  static let userInfo: [HostileRow] =
    [
      HostileRow(
        .check, "break_userinfo=sub", .misbehaved("the answer of the UserInfo endpoint is about another user").aside,
        suite: "oidcc-client-test-userinfo-invalid-sub"),
      HostileRow(.check, "break_userinfo=no_sub", HostileEndpoint.userinfo.malformed(200, "sub").aside),
      HostileRow(.check, "body_at=userinfo&body=error", HostileEndpoint.userinfo.malformed(200, "sub").aside),
      HostileRow(
        .check, "fail_next_userinfo=9&status=503&error=server_error",
        HostileEndpoint.userinfo.unavailable("server_error").aside),
    ]
    + [
      "empty", "html", "array", "huge", "deep", "redirect", "type", "two_types", "two_lengths", "two_locations",
      "flood", "endless", "bomb", "crumbs", "truncated", "drop",
    ].map { HostileRow(.check, "body_at=userinfo&body=\($0)", HostileEndpoint.userinfo.outcome(of: $0).aside) }

  /// Responses to a sign-out. The session ends locally in any case, and their content is ignored (RFC 7009 section
  /// 2.2).
  static let revocation: [HostileRow] =
    ["html", "crumbs", "empty", "error", "type", "truncated", "bomb"].map {
      HostileRow(.signOut, "body_at=revocation&body=\($0)", .accepted, then: .signedOut)
    }
    + ["endless", "redirect", "drop", "flood", "two_lengths"].map {
      HostileRow(
        .signOut, "body_at=revocation&body=\($0)", .notRevoked(HostileEndpoint.revocation.outcome(of: $0)),
        then: .signedOut)
    }

  /// Responses of a resource. Their content may be anything, but if they are incomplete or missing, the caller's file
  /// does not change.
  static let resources: [HostileRow] =
    [
      "empty", "html", "array", "huge", "deep", "error", "redirect", "type", "two_types", "bomb", "crumbs",
      "two_locations",
    ].map { HostileRow(.request, "body_at=resource&body=\($0)", .accepted) }
    + HostileRow.bodies(.request, ["flood", "two_lengths", "drop"], at: .resource, "body_at=resource")

  // MARK: Sign-ins

  /// Defects of a first ID Token, with the corresponding test of a conformance suite.
  private static let labelledIDTokens = [
    ("iss", "it is from another issuer", "oidcc-client-test-invalid-iss"),
    ("no_iss", "iss is missing", "fapi2-security-profile-final-client-test-invalid-missing-iss"),
    ("aud", "it is for another client", "oidcc-client-test-invalid-aud"),
    ("no_aud", "aud is missing", "oidcc-client-test-missing-aud"),
    ("second_aud", "it is also for another client", "fapi2-security-profile-final-client-test-invalid-secondary-aud"),
    ("no_sub", "sub is missing", "oidcc-client-test-missing-sub"),
    ("exp", "it has expired", "fapi2-security-profile-final-client-test-invalid-expired-exp"),
    ("no_exp", "exp is missing", "fapi2-security-profile-final-client-test-invalid-missing-exp"),
    ("no_iat", "iat is missing", "oidcc-client-test-missing-iat"),
    ("nonce", "it belongs to another sign-in", "oidcc-client-test-nonce-invalid"),
    ("no_nonce", "nonce is missing", "fapi2-security-profile-final-client-test-invalid-missing-nonce"),
    ("at_hash", "it belongs to another access token", "oidcc-client-test-invalid-athash"),
    ("c_hash", "it belongs to another authorization code", "oidcc-client-test-invalid-chash"),
    ("signature", noSignature, "oidcc-client-test-invalid-sig-es256"),
    ("alg", otherAlgorithm, "fapi2-security-profile-final-client-test-invalid-alternate-alg"),
    ("none", "it is not signed", "oidcc-client-test-idtoken-sig-none"),
  ]

  /// OpenID Connect Core section 3.1.3.7.
  static let firstIDTokens: [HostileRow] =
    labelledIDTokens.map { HostileRow(.browser, "break_id_token=\($0.0)", .rejected($0.1), suite: $0.2) }
    // The others have no such test.
    + idTokenForms.filter { form in !labelledIDTokens.contains { $0.0 == form.0 } }
    .map { HostileRow(.browser, "break_id_token=\($0.0)", .rejected($0.1)) } + [
      HostileRow(
        .browser, "break_id_token=missing",
        .misbehaved("the token endpoint issued no ID Token although it was requested")),
      HostileRow(
        .browser, "break_id_token=aud_array", .accepted,
        suite: "fapi2-security-profile-final-client-test-valid-aud-as-array"),
      HostileRow(.browser, "break_id_token=no_kid", .accepted, suite: "oidcc-client-test-kid-absent-single-jwks"),
      HostileRow(
        .browser, "break_id_token=no_kid&break_jwks=several", .rejected(severalKeys),
        suite: "oidcc-client-test-kid-absent-multiple-jwks"),
      HostileRow(.browser, "break_id_token=kid", .keyNotPublished).leavingSession,
    ]

  /// Defects of metadata (RFC 8414 section 3.3) and JWK Sets (RFC 7517).
  static let documents: [HostileRow] =
    [
      HostileRow(
        .browser, "break_metadata=issuer",
        otherIssuer(
          ": SERVER/",
          "the final slash matters: agent login new --allow-http-loopback --json --client-id agent-cli --browser --issuer SERVER/"
        ),
        suite: "oidcc-client-test-discovery-issuer-mismatch"),
      HostileRow(
        .browser, "body_at=metadata&body=error", .misbehaved("the answer of the metadata endpoint is malformed")),
      HostileRow(
        .browser, "break_metadata=http_endpoint", .misbehaved("the server's metadata cannot be used: token_endpoint")),
      HostileRow(
        .browser, "break_metadata=plain",
        .misbehaved("the server announces PKCE without the method S256, so its codes are not safe")),
      HostileRow(.browser, "break_metadata=no_s256", .accepted),
      HostileRow(.browser, "break_metadata=no_iss_parameter", .accepted),
      HostileRow(
        .browser, "fail_next_metadata=9&status=503&retry_after=60",
        HostileEndpoint.metadata.unavailable("HTTP status 503", wait: "60 s")),
      HostileRow(
        .browser, "fail_next_jwks=9&status=503&retry_after=60",
        HostileEndpoint.jwks.unavailable("HTTP status 503").withTokensKept
      ).leavingSession,
      HostileRow(.browser, "break_jwks=several", .accepted),
      HostileRow(.browser, "break_jwks=many", HostileEndpoint.jwks.outcome(of: "empty")),
      HostileRow(
        .browser, "break_jwks=mixed", HostileEndpoint.jwks.malformed(200, nil, ": symmetric keys beside public ones")),
      HostileRow(.browser, "body_at=jwks&body=error", HostileEndpoint.jwks.malformed(200)),
    ]
    // A failed fetch is not repeated within the same minute.
    + [("empty", HostileRow.Outcome.keyNotPublished), ("private", .keySecret), ("weak", .keyWeak)].map {
      HostileRow(.browser, "break_jwks=\($0)", $1, then: $1.leavingOther).leavingSession
    } + [HostileRow(.browser, "break_jwks=duplicate", .rejected(severalKeys), then: .rejected(severalKeys))]
    + [("metadata", HostileEndpoint.metadata), ("jwks", .jwks)].flatMap {
      HostileRow.bodies(
        .browser,
        [
          "empty", "html", "array", "deep", "bomb", "redirect", "two_lengths", "two_locations", "flood", "endless",
          "huge", "crumbs", "drop", "truncated", "type", "two_types",
        ], at: $0.1, "body_at=\($0.0)"
      ).map { $0.leavingSession(["drop", "truncated"], at: "jwks") }
    }

  /// - Parameter named: The issuer in the metadata.
  private static func otherIssuer(
    _ named: String, _ hint: String = "check the issuer's URL"
  ) -> HostileRow.Outcome {
    .refused(
      "server_misbehaved", 1, "the server's metadata is for an issuer other than the configured one\(named); \(hint)")
  }

  /// Unusable keys after a rotation. They are not fetched again within the same minute.
  static let renewedKeys: [HostileRow] =
    [
      "empty", "html", "array", "huge", "deep", "redirect", "two_lengths", "flood", "endless", "bomb", "drop",
      "truncated",
    ]
    .map {
      let outcome = HostileEndpoint.jwks.outcome(of: $0).withTokensKept
      return HostileRow(.refresh, "body_at=jwks&body=\($0)", outcome, then: outcome)
    }
    + [("many", ""), ("mixed", ": symmetric keys beside public ones")].map {
      let outcome = HostileEndpoint.jwks.malformed(200, nil, $1).withTokensKept
      return HostileRow(.refresh, "break_jwks=\($0)", outcome, then: outcome)
    }
    + [("empty", HostileRow.Outcome.keyNotPublished), ("private", .keySecret), ("weak", .keyWeak)].map {
      HostileRow(.refresh, "break_jwks=\($0)", $1, then: $1)
    } + [
      HostileRow(.refresh, "break_jwks=duplicate", .rejected(severalKeys), then: .rejected(severalKeys)),
      HostileRow(.refresh, "body_at=jwks&body=crumbs", .accepted),
      HostileRow(
        .refresh, "fail_next_jwks=9&status=503", HostileEndpoint.jwks.unavailable("HTTP status 503").withTokensKept,
        then: HostileEndpoint.jwks.unavailable("HTTP status 503").withTokensKept),
    ]

  /// RFC 7591 section 3.2.1.
  static let registrations: [HostileRow] =
    HostileRow.bodies(
      .register,
      [
        "empty", "html", "array", "deep", "huge", "redirect", "type", "two_types", "two_lengths", "two_locations",
        "flood", "endless", "bomb", "crumbs", "truncated", "drop",
      ], at: .registration, "body_at=registration") + [
      HostileRow(
        .register, "body_at=registration&body=error", HostileEndpoint.registration.unavailable("server_error", notToday)
      )
    ]

  /// Other requests during a sign-in. The browser tests cover a wrong, missing or repeated `state`.
  static let signIns: [HostileRow] =
    // Pushed requests may fail unless the server requires them, since the plain request has the same content.
    ["break_par=status", "body_at=par&body=drop", "body_at=par&body=truncated"].map {
      HostileRow(.browser, $0, .accepted)
    } + [
      HostileRow(
        .browser, "fail_next_par=9&status=503&retry_after=60",
        HostileEndpoint.par.unavailable("temporarily_unavailable", wait: "60 s")),
      HostileRow(
        .device, "fail_next_device=9&status=429&retry_after=60",
        HostileEndpoint.device.unavailable("temporarily_unavailable", wait: "60 s")),
      HostileRow(
        .browser, "fail_next_token=9&status=503&retry_after=60",
        HostileEndpoint.token.unavailable("temporarily_unavailable", wait: "60 s")),
      // Polling continues after temporary failures (RFC 8628 section 3.5).
      HostileRow(.device, "fail_next_token=1&status=503", .accepted),
      // The lost response contained the tokens, and a device code is single-use.
      HostileRow(
        .device, "body_at=token&body=drop&times=1",
        .refused(
          "session_expired", 3,
          "the token endpoint no longer accepts this sign-in (invalid_grant): unknown device code, or used already;"
            + " agent login new --issuer SERVER --allow-http-loopback --json --client-id agent-cli --device")),
      HostileRow(
        .device, "body_at=token&body=html&times=1",
        .refused(
          "session_expired", 3,
          "the token endpoint no longer accepts this sign-in (invalid_grant): unknown device code, or used already;"
            + " agent login new --issuer SERVER --allow-http-loopback --json --client-id agent-cli --device")),
      HostileRow(.browser, "break_par=malformed", HostileEndpoint.par.malformed(201, "request_uri")),
      HostileRow(.browser, "break_par=missing", HostileEndpoint.par.malformed(201, "request_uri")),
      HostileRow(
        .browser, "break_authorization=wrong_iss",
        .misbehaved(
          "the answer to the sign-in is from an issuer other than the configured one: https://issuer.invalid")),
      HostileRow(
        .browser, "break_authorization=missing_iss",
        .misbehaved("the answer to the sign-in does not identify the issuer")),
      HostileRow(.browser, "break_authorization=duplicate", HostileEndpoint.authorization.malformed()),
      HostileRow(.browser, "break_authorization=access_token", HostileEndpoint.authorization.malformed()),
      HostileRow(.browser, "body_at=token&body=error", HostileEndpoint.token.unavailable("server_error", notToday)),
      HostileRow(.device, "body_at=device&body=error", HostileEndpoint.device.unavailable("server_error", notToday)),
    ]
    + [
      (HostileRow.Action.browser, "par", HostileEndpoint.par), (.browser, "token", .token),
      (.device, "device", .device),
    ]
    .flatMap {
      HostileRow.bodies(
        $0.0,
        [
          "empty", "html", "array", "redirect", "type", "two_types", "endless", "huge", "flood", "bomb", "deep",
          "two_lengths", "two_locations", "crumbs",
        ], at: $0.2, "body_at=\($0.1)"
      ).map { $0.leavingSession(["type", "two_types", "deep", "two_lengths"], at: "token") }
    }
    + HostileRow.bodies(.browser, ["drop", "truncated"], at: .token, "body_at=token")
    .map { $0.leavingSession(["truncated"], at: "token") }
    + HostileRow.bodies(.device, ["drop", "truncated"], at: .device, "body_at=device")
    // A refusal without an error code does not end a sign-in before its code expires.
    + HostileRow.bodies(
      .device, ["empty", "redirect", "type", "endless", "flood", "deep", "two_lengths"], at: .token,
      "body_at=token"
    ).map { $0.leavingSession(["type", "deep", "two_lengths"], at: "token") }
}
