/// What issuers do wrong, by what it strikes. Each list is for a daemon of its own.
enum HostileCatalogue {
  // MARK: Sessions

  /// ID Tokens that come with a renewed access token (OpenID Connect Core 1.0 sections 3.1.3.7 and 12.2). The
  /// refresh token that came along is kept: the issuer takes each one once.
  static let renewedIDTokens: [HostileRow] =
    [
      // First, because keys are fetched again once in a minute.
      HostileRow(.refresh, "rotate_key=1", .accepted, suite: "oidcc-client-test-signing-key-rotation"),
      HostileRow(.refresh, "break_id_token=missing", .accepted),
      HostileRow(.refresh, "break_id_token=aud_array", .accepted),
      HostileRow(.refresh, "break_id_token=no_kid", .accepted),
      HostileRow(.refresh, "break_id_token=no_nonce", .accepted),
      // Nothing was asked of how somebody signs in.
      HostileRow(.refresh, "break_id_token=acr", .accepted),
      HostileRow(.refresh, "break_id_token=iss", .rejected, suite: "oidcc-client-test-refresh-token-invalid-issuer"),
      HostileRow(
        .refresh, "break_id_token=sub", .otherUser, then: .otherUser,
        suite: "oidcc-client-test-refresh-token-invalid-sub"),
      HostileRow(.refresh, "break_id_token=nonce", .otherUser, then: .otherUser),
      HostileRow(.refresh, "break_id_token=auth_time", .otherUser, then: .otherUser),
    ]
    + [
      "no_iss", "aud", "no_aud", "second_aud", "azp", "exp", "no_exp", "exp_text", "no_iat", "future_iat", "no_sub",
      "long_sub", "two_subs", "at_hash", "events", "signature", "none", "alg", "hs256", "kid", "jwk", "jku", "crit",
      "typ", "padded", "five_parts",
    ].map { HostileRow(.refresh, "break_id_token=\($0)", .rejected) }

  /// The other algorithm, PS256, is one that the same key could serve (RFC 8725 section 3.1).
  static let renewedRSATokens: [HostileRow] = [
    HostileRow(.refresh, "break_id_token=signature", .rejected, suite: "oidcc-client-test-invalid-sig-rs256"),
    HostileRow(.refresh, "break_id_token=alg", .rejected),
    HostileRow(.refresh, "break_id_token=hs256", .rejected),
    HostileRow(.refresh, "break_id_token=none", .rejected),
  ]

  /// Answers of the token endpoint. All rows but the marked ones are for a server that takes a refresh token
  /// more than once, because who cannot read an answer cannot have the new one.
  static let tokenAnswers: [HostileRow] =
    ["empty", "html", "array", "huge", "deep", "redirect", "type", "two_types", "two_lengths", "two_locations"].map {
      HostileRow(.refresh, "body=\($0)", .misbehaved)
    } + [
      HostileRow(.refresh, "body=flood", .misbehaved),
      HostileRow(.refresh, "body=endless", .misbehaved),
      HostileRow(.refresh, "body=bomb", .misbehaved),
      HostileRow(.refresh, "body=crumbs", .accepted),
      HostileRow(.refresh, "body=error", .unavailable),
      HostileRow(.refresh, "body=truncated", .unreachable),
      HostileRow(.refresh, "body=drop", .unreachable),
      HostileRow(.refresh, "body=drop&times=1", .accepted),
      HostileRow(.refresh, "fail_next_token=1&status=503", .accepted),
      HostileRow(.refresh, "fail_next_token=9&status=500&error=server_error", .unavailable),
      // RFC 9110 section 10.2.3: whoever is asked to wait for a day comes back in five minutes, and not before.
      HostileRow(
        .refresh, "fail_next_token=9&status=503&retry_after=86400", .unavailable, then: .unavailable),
      HostileRow(.refresh, "fail_next_token=9&status=400&error=invalid_grant", .expired, then: .expired),
      HostileRow(.refresh, "fail_next_token=9&status=401&error=invalid_client", .refused("client_rejected", 1)),
      HostileRow(.refresh, "fail_next_token=9&status=400&error=nonsense", .refused("server_rejected", 1)),
      // The new refresh token is lost on its way, and the old one is spent.
      HostileRow(.refresh, "body=html&rotation=on", .misbehaved, then: .expired),
      HostileRow(.refresh, "body=drop&times=1&rotation=on", .expired, then: .expired),
    ]

  /// Answers about the user (OpenID Connect Core 1.0 section 5.3.2).
  static let userInfo: [HostileRow] =
    [
      HostileRow(
        .check, "break_userinfo=sub", .refused("server_misbehaved", 0), suite: "oidcc-client-test-userinfo-invalid-sub")
    ]
    + [
      "empty", "html", "array", "huge", "deep", "error", "redirect", "type", "two_types", "two_lengths",
      "two_locations", "flood", "endless", "bomb",
    ].map { HostileRow(.check, "body_at=userinfo&body=\($0)", .refused("server_misbehaved", 0)) } + [
      HostileRow(.check, "break_userinfo=no_sub", .refused("server_misbehaved", 0)),
      HostileRow(.check, "fail_next_userinfo=9&status=503&error=server_error", .refused("server_unavailable", 0)),
      HostileRow(.check, "body_at=userinfo&body=crumbs", .accepted),
      HostileRow(.check, "body_at=userinfo&body=truncated", .refused("network", 0)),
      HostileRow(.check, "body_at=userinfo&body=drop", .refused("network", 0)),
    ]

  /// Answers to a sign-out, which ends the session here whatever they are. Their content does not count
  /// (RFC 7009 section 2.2).
  static let revocation: [HostileRow] =
    ["html", "crumbs"].map { HostileRow(.signOut, "body_at=revocation&body=\($0)", .accepted, then: .signedOut) }
    + ["endless", "redirect", "drop"].map {
      HostileRow(.signOut, "body_at=revocation&body=\($0)", .refused("not revoked", 0), then: .signedOut)
    }

  /// Answers of a resource are the caller's to judge, whatever is in them, if only it is clear where they end. Where
  /// it is not, or where there is none, the caller's file stays as it was.
  static let resources: [HostileRow] =
    [
      "empty", "html", "array", "huge", "deep", "error", "redirect", "type", "two_types", "bomb", "crumbs",
      "two_locations",
    ].map { HostileRow(.request, "body_at=resource&body=\($0)", .accepted) } + [
      HostileRow(.request, "body_at=resource&body=flood", .misbehaved),
      HostileRow(.request, "body_at=resource&body=two_lengths", .misbehaved),
      HostileRow(.request, "body_at=resource&body=drop", .unreachable),
    ]

  // MARK: Sign-ins

  /// ID Tokens of the code flow (OpenID Connect Core 1.0 section 3.1.3.7).
  static let firstIDTokens: [HostileRow] =
    [
      ("iss", "oidcc-client-test-invalid-iss"),
      ("no_iss", "fapi2-security-profile-final-client-test-invalid-missing-iss"),
      ("aud", "oidcc-client-test-invalid-aud"),
      ("no_aud", "oidcc-client-test-missing-aud"),
      ("second_aud", "fapi2-security-profile-final-client-test-invalid-secondary-aud"),
      ("no_sub", "oidcc-client-test-missing-sub"),
      ("exp", "fapi2-security-profile-final-client-test-invalid-expired-exp"),
      ("no_exp", "fapi2-security-profile-final-client-test-invalid-missing-exp"),
      ("no_iat", "oidcc-client-test-missing-iat"),
      ("nonce", "oidcc-client-test-nonce-invalid"),
      ("no_nonce", "fapi2-security-profile-final-client-test-invalid-missing-nonce"),
      ("at_hash", "oidcc-client-test-invalid-athash"),
      ("c_hash", "oidcc-client-test-invalid-chash"),
      ("signature", "oidcc-client-test-invalid-sig-es256"),
      ("hs256", "oidcc-client-test-invalid-sig-hs256"),
      ("alg", "fapi2-security-profile-final-client-test-invalid-alternate-alg"),
      ("none", "oidcc-client-test-idtoken-sig-none"),
    ].map { HostileRow(.browser, "break_id_token=\($0.0)", .rejected, suite: $0.1) } + [
      HostileRow(.browser, "break_id_token=missing", .misbehaved),
      HostileRow(
        .browser, "break_id_token=aud_array", .accepted,
        suite: "fapi2-security-profile-final-client-test-valid-aud-as-array"),
      HostileRow(.browser, "break_id_token=no_kid", .accepted, suite: "oidcc-client-test-kid-absent-single-jwks"),
      HostileRow(
        .browser, "break_id_token=no_kid&break_jwks=several", .rejected,
        suite: "oidcc-client-test-kid-absent-multiple-jwks"),
    ]

  /// Metadata (RFC 8414 section 3.3) and JWK Sets (RFC 7517).
  static let documents: [HostileRow] =
    [
      HostileRow(
        .browser, "break_metadata=issuer", .misbehaved, suite: "oidcc-client-test-discovery-issuer-mismatch"),
      HostileRow(.browser, "break_metadata=http_endpoint", .misbehaved),
      HostileRow(.browser, "break_metadata=plain", .misbehaved),
      HostileRow(.browser, "break_metadata=no_s256", .accepted),
      HostileRow(.browser, "break_metadata=no_iss_parameter", .accepted),
      HostileRow(.browser, "fail_next_metadata=9&status=503&retry_after=60", .unavailable),
      HostileRow(.browser, "fail_next_jwks=9&status=503&retry_after=60", .unavailable),
      HostileRow(.browser, "break_jwks=several", .accepted),
      HostileRow(.browser, "break_jwks=many", .misbehaved),
      HostileRow(.browser, "break_jwks=mixed", .misbehaved),
    ]
    // What was fetched in vain is not fetched again in the same minute.
    + ["empty", "private", "weak", "duplicate"].map {
      HostileRow(.browser, "break_jwks=\($0)", .rejected, then: .rejected)
    }
    + ["empty", "html", "array", "deep", "bomb"].map { HostileRow(.browser, "body_at=metadata&body=\($0)", .unusable) }
    + ["error", "redirect", "two_lengths", "two_locations", "flood", "endless", "huge"].map {
      HostileRow(.browser, "body_at=metadata&body=\($0)", .misbehaved)
    }
    + [
      "empty", "html", "deep", "error", "redirect", "two_lengths", "two_locations", "flood", "endless", "bomb", "huge",
    ]
    .map { HostileRow(.browser, "body_at=jwks&body=\($0)", .misbehaved) }
    + ["metadata", "jwks"].flatMap { endpoint in
      [
        HostileRow(.browser, "body_at=\(endpoint)&body=crumbs", .accepted),
        HostileRow(.browser, "body_at=\(endpoint)&body=drop", .unreachable),
        HostileRow(.browser, "body_at=\(endpoint)&body=truncated", .unreachable),
      ]
    }

  /// Answers to the registration of a client (RFC 7591 section 3.2.1).
  static let registrations: [HostileRow] =
    ["empty", "html", "deep", "huge", "redirect", "two_types", "two_lengths", "flood", "endless", "bomb"].map {
      HostileRow(.register, "body_at=registration&body=\($0)", .misbehaved)
    } + [
      HostileRow(.register, "body_at=registration&body=crumbs", .accepted),
      HostileRow(.register, "body_at=registration&body=error", .unavailable),
      HostileRow(.register, "body_at=registration&body=drop", .unreachable),
    ]

  /// What else is asked during a sign-in.
  static let signIns: [HostileRow] =
    // First, because keys are fetched again once in a minute.
    [
      HostileRow(
        .browser, "rotate_key=1", .accepted, suite: "oidcc-client-test-signing-key-rotation-just-before-signing"),
      HostileRow(.browser, "break_par=status", .accepted),
      HostileRow(.browser, "fail_next_par=9&status=503&retry_after=60", .unavailable),
      HostileRow(.device, "fail_next_device=9&status=429&retry_after=60", .unavailable),
    ]
    + ["wrong_iss", "missing_iss", "duplicate", "access_token"].map {
      HostileRow(.browser, "break_authorization=\($0)", .misbehaved)
    }
    + ["malformed", "missing"].map {
      HostileRow(.browser, "break_par=\($0)", .misbehaved)
    }
    + ["html", "redirect", "endless", "flood", "bomb", "deep", "two_lengths"].flatMap { fault in
      [
        HostileRow(.browser, "body_at=par&body=\(fault)", .misbehaved),
        HostileRow(.browser, "body_at=token&body=\(fault)", .misbehaved),
        HostileRow(.device, "body_at=device&body=\(fault)", .misbehaved),
      ]
    } + [
      HostileRow(.browser, "body_at=par&body=crumbs", .accepted),
      HostileRow(.browser, "body_at=token&body=crumbs", .accepted),
      HostileRow(.device, "body_at=device&body=crumbs", .accepted),
      HostileRow(.browser, "body_at=token&body=error", .unavailable),
      HostileRow(.browser, "body_at=token&body=drop", .unreachable),
      HostileRow(.device, "body_at=device&body=error", .unavailable),
      HostileRow(.device, "body_at=device&body=drop", .unreachable),
    ]
}
