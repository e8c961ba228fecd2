package import Encoding

/// Why a request failed, in the words of the wire; each code has one exit status.
package enum FailureCode: String, Sendable, CaseIterable {
  // The request itself.
  case invalidRequest = "invalid_request"
  case unsupportedVersion = "unsupported_version"
  case invalidConfiguration = "invalid_configuration"
  case accountExists = "account_exists"

  // Only a sign-in helps.
  case noAccount = "no_account"
  case signedOut = "signed_out"
  case sessionExpired = "session_expired"
  case configurationChanged = "configuration_changed"
  case endpointMoved = "endpoint_moved"
  case identityChanged = "identity_changed"
  /// A resource wants the person to sign in in another way (RFC 9470).
  case stepUpNeeded = "step_up_needed"
  case otherMachine = "other_machine"
  case codeExpired = "code_expired"
  /// A sign-in that was started in the background is not, or no longer, known.
  case unknownLogin = "unknown_login"
  /// A resource names an authorization server that nobody has said to be trusted.
  case issuerNotTrusted = "issuer_not_trusted"

  // Passing.
  case network = "network"
  case timeout = "timeout"
  case serverUnavailable = "server_unavailable"
  case tooBusy = "too_busy"
  case vaultBusy = "vault_busy"
  case daemonUnavailable = "daemon_unavailable"

  // A person or the server said no.
  case accessDenied = "access_denied"

  // The answer of a sign-in in the browser.
  /// It cannot be received here.
  case redirectUnavailable = "redirect_unavailable"
  /// What was handed over is not it.
  case redirectRejected = "redirect_rejected"

  // Something must be put right first.
  /// The token may not go to that place.
  case originNotAllowed = "origin_not_allowed"
  case certificateRejected = "certificate_rejected"
  case pinMismatch = "pin_mismatch"
  case clientRejected = "client_rejected"
  case serverRejected = "server_rejected"
  case serverMisbehaved = "server_misbehaved"
  case tokenRejected = "id_token_rejected"
  /// The server gave a Bearer token where one that is bound to a key was asked for.
  case tokenNotBound = "token_not_bound"
  case lifetimeTooShort = "lifetime_too_short"
  case foreignDevice = "foreign_device"
  case vaultUnusable = "vault_unusable"
  case storage = "storage"
  /// The session lacks a value that was asked for, such as an ID Token.
  case missingValue = "missing_value"
  /// A text that is no token.
  case malformedToken = "malformed_token"
  case cancelled = "cancelled"
  case internalError = "internal_error"

  // Only an unlock helps.
  case locked = "locked"
  case wrongPassphrase = "wrong_passphrase"
  case wrongPIN = "wrong_pin"

  // How the vault opens.
  /// The TPM refuses every PIN for a while.
  case tpmLockedOut = "tpm_locked_out"
  case tpmUnavailable = "tpm_unavailable"
  /// Without it nothing would open what is sealed.
  case lastSlot = "last_slot"
  case noSuchSlot = "no_such_slot"

  /// What the command exits with.
  package var exitStatus: ExitStatus {
    switch self {
    case .invalidRequest: .usage
    case .noAccount, .signedOut, .sessionExpired, .configurationChanged, .endpointMoved, .identityChanged,
      .otherMachine, .codeExpired, .unknownLogin, .stepUpNeeded, .issuerNotTrusted:
      .signInNeeded
    case .network, .timeout, .serverUnavailable, .tooBusy, .vaultBusy, .daemonUnavailable, .tpmLockedOut:
      .tryLater
    case .accessDenied: .denied
    case .locked, .wrongPassphrase, .wrongPIN: .locked
    case .malformedToken: .tokenNotValid
    case .originNotAllowed, .unsupportedVersion, .invalidConfiguration, .accountExists, .certificateRejected,
      .pinMismatch,
      .clientRejected, .serverRejected, .serverMisbehaved, .tokenRejected, .tokenNotBound, .lifetimeTooShort,
      .foreignDevice,
      .vaultUnusable, .storage, .missingValue, .cancelled, .internalError,
      .redirectUnavailable, .redirectRejected, .tpmUnavailable, .lastSlot, .noSuchSlot:
      .failed
    }
  }
}

/// A failed request as it crosses the socket and as a person reads it.
package struct Failure: Error, Sendable {
  /// What scripts branch on.
  package var code: FailureCode

  /// What happened: one sentence, lower case, no full stop, already cleaned for a terminal.
  package var text: Phrase

  /// What helps, mostly a command, when there is something.
  package var advice: Phrase?

  /// ``text`` in English.
  package var message: String { text.english }

  /// ``advice`` in English.
  package var hint: String? { advice?.english }

  package init(_ code: FailureCode, _ text: Phrase, hint: Phrase? = nil) {
    self.code = code
    self.text = text
    advice = hint
  }

  /// For texts that are put together and so have no translation; a literal makes a ``Phrase``.
  @_disfavoredOverload
  package init(_ code: FailureCode, _ message: String, hint: String? = nil) {
    self.init(code, Phrase(verbatim: message), hint: hint.map { Phrase(verbatim: $0) })
  }

  /// `{"code","message","hint"}`, and where there are values in them the templates they stand in.
  package var json: JSON {
    var object = JSONObject([("code", .string(code.rawValue))])
    text.addMembers(to: &object, as: "message")
    advice?.addMembers(to: &object, as: "hint")
    return .object(object)
  }

  /// Reads what ``json`` writes; an unknown code, from a newer daemon, becomes `internal_error`.
  package init?(json: JSON) {
    guard let code = json["code"]?.string, let message = Phrase(json, "message") else { return nil }
    self.init(FailureCode(rawValue: code) ?? .internalError, message, hint: Phrase(json, "hint"))
  }
}

/// Failures are the same when people read the same.
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

/// The exit statuses of `agent`; scripts branch on them, so a meaning never moves.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case done = 0
  case failed = 1
  case usage = 2
  /// There is no session, or it ended: only a sign-in helps.
  case signInNeeded = 3
  /// The network or the server failed in a passing way.
  case tryLater = 4
  case locked = 5
  /// The user or the server said no.
  case denied = 6
  case tokenNotValid = 7
}
