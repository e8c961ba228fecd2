package import Encoding

/// The error codes of the protocol. Each has one exit status.
package enum FailureCode: String, Sendable, CaseIterable {
  // The request itself.
  case invalidRequest = "invalid_request"
  case unsupportedVersion = "unsupported_version"
  /// The descriptors of a request did not come with it.
  case descriptorMissing = "descriptor_missing"
  case invalidConfiguration = "invalid_configuration"
  case accountExists = "account_exists"
  /// A sign-in names no issuer, and there is none that it can mean.
  case issuerNeeded = "issuer_needed"
  /// A sign-in names no client, and none is known.
  case clientNeeded = "client_needed"

  // Only a sign-in helps.
  case noAccount = "no_account"
  case signedOut = "signed_out"
  case sessionExpired = "session_expired"
  /// The server requires the user to sign in again, but has not ended the session.
  case interactionRequired = "interaction_required"
  /// A resource refuses the account's tokens, new ones too. The session itself is good.
  case tokenRefused = "token_refused"
  case configurationChanged = "configuration_changed"
  case endpointMoved = "endpoint_moved"
  case identityChanged = "identity_changed"
  /// A resource requires another way to sign in (RFC 9470).
  case stepUpNeeded = "step_up_needed"
  case otherMachine = "other_machine"
  case codeExpired = "code_expired"
  /// There is no such background sign-in, or it has ended.
  case unknownLogin = "unknown_login"
  /// A resource names an authorization server that the user has not confirmed.
  case issuerNotTrusted = "issuer_not_trusted"

  /// There is no assertion that counts now: what it comes from gives none, or its time is over or has not come.
  case assertionNeeded = "assertion_needed"

  // Temporary.
  case network = "network"
  case timeout = "timeout"
  case serverUnavailable = "server_unavailable"
  case tooBusy = "too_busy"
  case vaultBusy = "vault_busy"
  case daemonUnavailable = "daemon_unavailable"

  // The user or the server denied it.
  case accessDenied = "access_denied"
  /// An assertion is not one that this server takes.
  case assertionRejected = "assertion_rejected"

  // The response of a sign-in in the browser.
  /// It cannot be received here.
  case redirectUnavailable = "redirect_unavailable"
  /// The URL is not the response of this sign-in.
  case redirectRejected = "redirect_rejected"

  // The user must correct something first.
  /// The token may not be sent to that origin.
  case originNotAllowed = "origin_not_allowed"
  /// No account lists the place that a token is wanted for.
  case placeNotListed = "place_not_listed"
  case certificateRejected = "certificate_rejected"
  case pinMismatch = "pin_mismatch"
  case clientRejected = "client_rejected"
  case serverRejected = "server_rejected"
  case serverMisbehaved = "server_misbehaved"
  case tokenRejected = "id_token_rejected"
  /// The server issued a Bearer token instead of one bound to a key.
  case tokenNotBound = "token_not_bound"
  case lifetimeTooShort = "lifetime_too_short"
  case foreignDevice = "foreign_device"
  case vaultUnusable = "vault_unusable"
  case storage = "storage"
  /// The session lacks a requested value, such as an ID Token.
  case missingValue = "missing_value"
  /// A text that is no token.
  case malformedToken = "malformed_token"
  case cancelled = "cancelled"
  case internalError = "internal_error"

  /// A lease does not allow it.
  case notPermitted = "not_permitted"
  /// The lease is over.
  case leaseEnded = "lease_ended"

  // Only an unlock helps.
  case locked = "locked"
  case wrongPassphrase = "wrong_passphrase"
  case wrongPIN = "wrong_pin"

  // How the vault opens.
  /// The TPM rejects every PIN for a while.
  case tpmLockedOut = "tpm_locked_out"
  case tpmUnavailable = "tpm_unavailable"
  /// The slot is the last one that opens its key.
  case lastSlot = "last_slot"
  case noSuchSlot = "no_such_slot"

  /// The exit status of the command.
  package var exitStatus: ExitStatus {
    switch self {
    case .invalidRequest, .descriptorMissing, .issuerNeeded, .clientNeeded: .usage
    case .noAccount, .signedOut, .sessionExpired, .interactionRequired, .tokenRefused, .configurationChanged,
      .endpointMoved, .identityChanged,
      .otherMachine, .codeExpired, .unknownLogin, .stepUpNeeded, .issuerNotTrusted, .assertionNeeded:
      .signInNeeded
    case .network, .timeout, .serverUnavailable, .tooBusy, .vaultBusy, .daemonUnavailable, .tpmLockedOut:
      .tryLater
    case .accessDenied, .assertionRejected, .notPermitted, .leaseEnded: .denied
    case .locked, .wrongPassphrase, .wrongPIN: .locked
    case .malformedToken: .tokenNotValid
    case .originNotAllowed, .placeNotListed, .unsupportedVersion, .invalidConfiguration, .accountExists,
      .certificateRejected,
      .pinMismatch,
      .clientRejected, .serverRejected, .serverMisbehaved, .tokenRejected, .tokenNotBound, .lifetimeTooShort,
      .foreignDevice,
      .vaultUnusable, .storage, .missingValue, .cancelled, .internalError,
      .redirectUnavailable, .redirectRejected, .tpmUnavailable, .lastSlot, .noSuchSlot:
      .failed
    }
  }
}

/// The failure of a request, for the protocol and for people.
package struct Failure: Error, Sendable {
  /// The code that scripts branch on.
  package var code: FailureCode

  /// The message: one sentence, lower case, no full stop, safe for a terminal.
  package var text: Phrase

  /// The hint, mostly a command, if there is one.
  package var advice: Phrase?

  /// It is the secret of the client that is missing; its id is known.
  package var needsClientSecret = false

  /// The variables that the caller may hand over, after which the same request can succeed.
  package var variables: [String] = []

  /// No text is printed for it, because the reader of standard output has gone. It is not part of the wire format.
  package var isUntold = false

  /// ``text`` in English.
  package var message: String { text.english }

  /// ``advice`` in English.
  package var hint: String? { advice?.english }

  package init(_ code: FailureCode, _ text: Phrase, hint: Phrase? = nil) {
    self.code = code
    self.text = text
    advice = hint
  }

  /// For a hint that is a command, which has no translation; a literal makes a ``Phrase``.
  @_disfavoredOverload
  package init(_ code: FailureCode, _ text: Phrase, hint: String?) {
    self.init(code, text, hint: hint.map { Phrase(verbatim: $0) })
  }

  /// For composed texts, which have no translation.
  package init(_ code: FailureCode, verbatim message: String, hint: String? = nil) {
    self.init(code, Phrase(verbatim: message), hint: hint)
  }

  /// `{"code","message","hint"}`, and the templates of texts with values; `client_secret_needed`, `variables`.
  package var json: JSON {
    var object = JSONObject([("code", .string(code.rawValue))])
    text.addMembers(to: &object, as: "message")
    advice?.addMembers(to: &object, as: "hint")
    if needsClientSecret { object["client_secret_needed"] = true }
    if !variables.isEmpty { object["variables"] = .array(variables.map(JSON.string)) }
    return .object(object)
  }

  /// Reads what ``json`` writes; an unknown code, from a newer daemon, becomes `internal_error`.
  package init?(json: JSON) {
    guard let code = json["code"]?.string, let message = Phrase(json, "message") else { return nil }
    self.init(FailureCode(rawValue: code) ?? .internalError, message, hint: Phrase(json, "hint"))
    needsClientSecret = json["client_secret_needed"]?.bool ?? false
    variables = json["variables"]?.array?.compactMap(\.string) ?? []
  }
}

/// Failures are equal if their code and English texts are equal.
extension Failure: Hashable {
  package static func == (one: Failure, other: Failure) -> Bool {
    one.code == other.code && one.message == other.message && one.hint == other.hint
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(hint)
  }
}

/// The exit statuses of `agent`. Scripts branch on them, so a meaning never changes.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case done = 0
  case failed = 1
  case usage = 2
  /// There is no session, or it has ended: only a sign-in helps.
  case signInNeeded = 3
  /// A temporary failure of the network or the server.
  case tryLater = 4
  case locked = 5
  /// The user or the server denied it.
  case denied = 6
  case tokenNotValid = 7
}

extension Failure {
  /// The daemon takes no notice of a request, or of a connection.
  package static let noAnswerInTime = Failure(.timeout, "the daemon did not answer in time")
  /// The time of a lease is over.
  package static let leaseTimeOver = Failure(.leaseEnded, "the time of the lease is over")
  /// A lease has no uses left.
  package static let leaseUsedUp = Failure(.leaseEnded, "the lease was used as often as it may be")

  /// The message for a name that no account has.
  package static func noAccount(named name: String) -> Phrase {
    Phrase("there is no account named \(TerminalText.clean(name, limit: 64))")
  }

  /// The failure of a request for an ID Token that the account does not have.
  package static func missingIDToken(of account: String) -> Failure {
    Failure(
      .missingValue, "\(account) has no ID Token: none was asked for, or the server gave none",
      hint: idTokenHint(account: account))
  }

  /// The hint for an account that has no ID Token.
  package static func idTokenHint(account: String) -> Phrase {
    Phrase("sign in again, with openid among the scopes: agent login \(account)")
  }
}
