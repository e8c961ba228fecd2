/// The protocol's error codes, each with an exit status.
package enum FailureCode: String, Sendable, CaseIterable {
  case invalidRequest = "invalid_request"
  case unknownRequest = "unknown_request"
  case unsupportedVersion = "unsupported_version"
  case descriptorMissing = "descriptor_missing"
  case invalidConfiguration = "invalid_configuration"
  case accountExists = "account_exists"
  /// The account depends on the caller's directory, which the request lacks.
  case directoryNeeded = "directory_needed"
  case issuerNeeded = "issuer_needed"
  case clientNeeded = "client_needed"

  case noAccount = "no_account"
  case signedOut = "signed_out"
  case sessionExpired = "session_expired"
  /// The server requires a sign-in to refresh the session.
  case interactionRequired = "interaction_required"
  /// The resource refuses even new tokens of the account.
  case tokenRefused = "token_refused"
  /// A sealed setting has changed since the sign-in.
  case configurationChanged = "configuration_changed"
  case endpointMoved = "endpoint_moved"
  case identityChanged = "identity_changed"
  /// The resource requires another sign-in (RFC 9470).
  case stepUpNeeded = "step_up_needed"
  /// The vault has sessions of other machines only.
  case otherMachine = "other_machine"
  case codeExpired = "code_expired"
  case unknownLogin = "unknown_login"
  case issuerNotTrusted = "issuer_not_trusted"

  case assertionNeeded = "assertion_needed"

  case network = "network"
  case timeout = "timeout"
  case serverUnavailable = "server_unavailable"
  case tooBusy = "too_busy"
  case vaultBusy = "vault_busy"
  case daemonUnavailable = "daemon_unavailable"
  case daemonStopped = "daemon_stopped"

  case accessDenied = "access_denied"
  case assertionRejected = "assertion_rejected"

  case redirectUnavailable = "redirect_unavailable"
  case redirectRejected = "redirect_rejected"

  case originNotAllowed = "origin_not_allowed"
  /// No account lists the origin that needs a token.
  case originNotListed = "place_not_listed"
  case certificateRejected = "certificate_rejected"
  case pinMismatch = "pin_mismatch"
  case clientRejected = "client_rejected"
  case serverRejected = "server_rejected"
  case serverMisbehaved = "server_misbehaved"
  case idTokenRejected = "id_token_rejected"
  /// A token is not bound to a key but must be, or is bound but must not be.
  case tokenNotBound = "token_not_bound"
  case lifetimeTooShort = "lifetime_too_short"
  /// The vault was created on another device.
  case foreignDevice = "foreign_device"
  case vaultUnusable = "vault_unusable"
  /// A file or directory cannot be used.
  case storage = "storage"
  /// The session lacks a value, such as a claim.
  case missingValue = "missing_value"
  case malformedToken = "malformed_token"
  case cancelled = "cancelled"
  case internalError = "internal_error"

  case notPermitted = "not_permitted"
  case leaseEnded = "lease_ended"
  /// The response to a lease's request contained the token.
  case tokenReturned = "token_returned"

  case locked = "locked"
  case wrongPassphrase = "wrong_passphrase"
  case wrongPIN = "wrong_pin"

  case tpmLockedOut = "tpm_locked_out"
  case tpmUnavailable = "tpm_unavailable"
  /// A protection level's only key slot cannot be removed.
  case lastSlot = "last_slot"
  case noSuchSlot = "no_such_slot"

  private var properties: (status: ExitStatus, meaning: String) {
    switch self {
    case .invalidRequest: (.usage, "The request or the command line is invalid.")
    case .unknownRequest: (.usage, "The daemon is older and does not know the request.")
    case .unsupportedVersion: (.failed, "The request has another protocol version.")
    case .descriptorMissing: (.usage, "The request lacks descriptors.")
    case .invalidConfiguration:
      (.failed, "The settings, a file or path in them, or the installation are invalid.")
    case .accountExists: (.failed, "An account with this name exists.")
    case .directoryNeeded:
      (.usage, "The account depends on the client's directory, which the request does not contain; see `directory`.")
    case .issuerNeeded: (.usage, "No issuer was given, and none can be inferred.")
    case .clientNeeded:
      (
        .usage,
        "No client ID was given, and none is known; the message describes how to get one. With `client_secret_needed`,"
          + " only the client's secret is missing."
      )
    case .noAccount: (.signInNeeded, "There is no such account, or no active one.")
    case .signedOut: (.signInNeeded, "The account is signed out.")
    case .sessionExpired: (.signInNeeded, "The session expired or was revoked.")
    case .interactionRequired:
      (
        .signInNeeded,
        "The server requires a new sign-in to refresh the session, although it has not ended; or a key of the session is"
          + " in another TPM."
      )
    case .tokenRefused:
      (.signInNeeded, "The resource refuses the account's tokens, even new ones. The session itself is valid.")
    case .configurationChanged:
      (.signInNeeded, "A setting has changed since the sign-in, so nothing was sent; see agent-config(5).")
    case .endpointMoved:
      (.signInNeeded, "An endpoint of the server has moved to another origin since the sign-in, so nothing was sent.")
    case .identityChanged:
      (.signInNeeded, "The server identified another user, or none.")
    case .stepUpNeeded:
      (.signInNeeded, "The resource requires another sign-in (RFC 9470).")
    case .otherMachine: (.signInNeeded, "The vault only has sessions of other machines.")
    case .codeExpired: (.signInNeeded, "The sign-in was not approved in time.")
    case .unknownLogin: (.signInNeeded, "There is no background sign-in with this ID now.")
    case .issuerNotTrusted: (.signInNeeded, "A resource names an authorization server that the user has not confirmed.")
    case .assertionNeeded:
      (
        .signInNeeded,
        "There is no valid assertion: its file cannot be used, it has expired, or it is not valid yet."
      )
    case .network: (.tryLater, "The server could not be reached.")
    case .timeout: (.tryLater, "There was no response in time.")
    case .serverUnavailable: (.tryLater, "The server is temporarily unavailable.")
    case .tooBusy: (.tryLater, "The daemon has too many requests.")
    case .vaultBusy: (.tryLater, "Another process locked the vault for too long.")
    case .daemonUnavailable: (.tryLater, "The daemon is not running, or ended.")
    case .daemonStopped: (.tryLater, "The user has stopped the daemon.")
    case .accessDenied: (.denied, "The user or the server denied the request.")
    case .assertionRejected:
      (.denied, "The assertion was rejected: its form or claims do not suit this server, or the server refused it.")
    case .redirectUnavailable: (.failed, "The redirect cannot be received.")
    case .redirectRejected: (.failed, "The URL is not the redirect of this sign-in.")
    case .originNotAllowed: (.failed, "The token may not be sent to this origin.")
    case .originNotListed: (.failed, "No account lists the origin that needs a token.")
    case .certificateRejected: (.failed, "The server's certificate is not trusted.")
    case .pinMismatch: (.failed, "The server has none of the pinned public keys.")
    case .clientRejected:
      (.failed, "The server does not accept the client ID, its secret, or its request.")
    case .serverRejected: (.failed, "The server refused the request.")
    case .serverMisbehaved: (.failed, "The server's response violates the protocol.")
    case .idTokenRejected: (.failed, "The ID Token is not valid.")
    case .tokenNotBound: (.failed, "A token is not bound to a key but must be, or is but must not be.")
    case .lifetimeTooShort: (.failed, "The server's tokens are not valid for as long as `min_valid` requires.")
    case .foreignDevice: (.failed, "The vault was made on another device.")
    case .vaultUnusable: (.failed, "The vault is damaged or has an unknown version.")
    case .storage: (.failed, "A file or a directory cannot be used.")
    case .missingValue: (.failed, "The session lacks the value, such as a claim.")
    case .malformedToken: (.tokenNotValid, "The given text is not a token.")
    case .cancelled: (.failed, "The request was cancelled.")
    case .internalError: (.failed, "There is a bug in `agent`.")
    case .notPermitted: (.denied, "The lease does not permit this request.")
    case .leaseEnded: (.denied, "The lease has ended, by its limits or its owner.")
    case .tokenReturned:
      (.failed, "The response to a lease's request contained the access token, so the rest was withheld.")
    case .locked: (.locked, "The account or vault is locked; see `agent unlock`.")
    case .wrongPassphrase: (.locked, "The passphrase is wrong.")
    case .wrongPIN: (.locked, "The TPM rejected the PIN; it counts failed attempts.")
    case .tpmLockedOut: (.tryLater, "Too many failed attempts: the TPM is locked.")
    case .tpmUnavailable: (.failed, "The TPM is unavailable.")
    case .lastSlot: (.failed, "It is the last key slot of this level.")
    case .noSuchSlot: (.failed, "The vault has no such slot, or none for this level.")
    }
  }

  package var exitStatus: ExitStatus { properties.status }

  /// For agent-protocol(7), in mdoc notation.
  package var meaning: String { properties.meaning }
}

/// The exit statuses of `agent`, fixed because scripts depend on them.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case done = 0
  case failed = 1
  case usage = 2
  case signInNeeded = 3
  case tryLater = 4
  case locked = 5
  case denied = 6
  case tokenNotValid = 7
}
