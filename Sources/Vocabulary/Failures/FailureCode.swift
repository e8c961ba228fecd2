/// The error codes of the protocol. Each has one exit status.
package enum FailureCode: String, Sendable, CaseIterable {
  // The request itself.
  case invalidRequest = "invalid_request"
  case unknownRequest = "unknown_request"
  case unsupportedVersion = "unsupported_version"
  case descriptorMissing = "descriptor_missing"
  case invalidConfiguration = "invalid_configuration"
  case accountExists = "account_exists"
  case directoryNeeded = "directory_needed"
  case issuerNeeded = "issuer_needed"
  case clientNeeded = "client_needed"

  // Only a sign-in helps.
  case noAccount = "no_account"
  case signedOut = "signed_out"
  case sessionExpired = "session_expired"
  case interactionRequired = "interaction_required"
  case tokenRefused = "token_refused"
  case configurationChanged = "configuration_changed"
  case endpointMoved = "endpoint_moved"
  case identityChanged = "identity_changed"
  case stepUpNeeded = "step_up_needed"
  case otherMachine = "other_machine"
  case codeExpired = "code_expired"
  case unknownLogin = "unknown_login"
  case issuerNotTrusted = "issuer_not_trusted"

  case assertionNeeded = "assertion_needed"

  // Temporary failures.
  case network = "network"
  case timeout = "timeout"
  case serverUnavailable = "server_unavailable"
  case tooBusy = "too_busy"
  case vaultBusy = "vault_busy"
  case daemonUnavailable = "daemon_unavailable"
  case daemonStopped = "daemon_stopped"

  // The user or the server denied it.
  case accessDenied = "access_denied"
  case assertionRejected = "assertion_rejected"

  // The redirect of a sign-in in the browser.
  case redirectUnavailable = "redirect_unavailable"
  case redirectRejected = "redirect_rejected"

  // The user must correct something first.
  case originNotAllowed = "origin_not_allowed"
  case placeNotListed = "place_not_listed"
  case certificateRejected = "certificate_rejected"
  case pinMismatch = "pin_mismatch"
  case clientRejected = "client_rejected"
  case serverRejected = "server_rejected"
  case serverMisbehaved = "server_misbehaved"
  case tokenRejected = "id_token_rejected"
  case tokenNotBound = "token_not_bound"
  case lifetimeTooShort = "lifetime_too_short"
  case foreignDevice = "foreign_device"
  case vaultUnusable = "vault_unusable"
  case storage = "storage"
  case missingValue = "missing_value"
  case malformedToken = "malformed_token"
  case cancelled = "cancelled"
  case internalError = "internal_error"

  case notPermitted = "not_permitted"
  case leaseEnded = "lease_ended"
  case tokenReturned = "token_returned"

  // Only unlocking helps.
  case locked = "locked"
  case wrongPassphrase = "wrong_passphrase"
  case wrongPIN = "wrong_pin"

  // How the vault opens.
  case tpmLockedOut = "tpm_locked_out"
  case tpmUnavailable = "tpm_unavailable"
  case lastSlot = "last_slot"
  case noSuchSlot = "no_such_slot"

  /// The exit status of the command, and the meaning for agent-protocol(7) in mdoc notation.
  private var row: (status: ExitStatus, meaning: String) {
    switch self {
    case .invalidRequest: (.usage, "The request or the command line is wrong.")
    case .unknownRequest: (.usage, "The daemon does not know the request, because it is of an older version.")
    case .unsupportedVersion: (.failed, "The request is of another version of the protocol.")
    case .descriptorMissing: (.usage, "The descriptors that the request needs did not come with it.")
    case .invalidConfiguration:
      (.failed, "The settings, a file or a path that they name, or the installation are not valid.")
    case .accountExists: (.failed, "There is such an account already.")
    case .directoryNeeded:
      (.usage, "The account depends on the client's directory, and the request does not tell it; see `directory`.")
    case .issuerNeeded: (.usage, "The sign-in names no issuer, and there is none that it can mean.")
    case .clientNeeded:
      (
        .usage,
        "The sign-in names no client, and none is known; the message says how to get one. With `client_secret_needed`"
          + " it is the client's secret that is missing."
      )
    case .noAccount: (.signInNeeded, "There is no such account, or no active one.")
    case .signedOut: (.signInNeeded, "The account is signed out.")
    case .sessionExpired: (.signInNeeded, "The session expired or was revoked.")
    case .interactionRequired:
      (
        .signInNeeded,
        "The server wants the user to sign in again before it renews the session, which it has not ended, or a key of"
          + " the session is in another TPM."
      )
    case .tokenRefused:
      (.signInNeeded, "The resource refuses the account's tokens, new ones too. The session itself is good.")
    case .configurationChanged:
      (.signInNeeded, "A setting is not the one that was signed in with, so nothing was sent; see agent-config(5).")
    case .endpointMoved:
      (.signInNeeded, "The server names an endpoint at another place than at sign-in, so nothing was sent.")
    case .identityChanged:
      (.signInNeeded, "The server answered for another user than the one who signed in, or did not say for whom.")
    case .stepUpNeeded:
      (.signInNeeded, "The resource wants the user to sign in in another way, or again; see RFC 9470.")
    case .otherMachine: (.signInNeeded, "There are sessions of other machines here, and none of this one.")
    case .codeExpired: (.signInNeeded, "The code expired, or the sign-in was not approved in time.")
    case .unknownLogin: (.signInNeeded, "There is no sign-in in the background by that name, or it ended a while ago.")
    case .issuerNotTrusted: (.signInNeeded, "A resource names an authorization server that nobody has confirmed.")
    case .assertionNeeded:
      (
        .signInNeeded,
        "There is no assertion that counts now: its file cannot be used, or its `exp` is past or its `nbf` ahead."
      )
    case .network: (.tryLater, "The server could not be reached.")
    case .timeout: (.tryLater, "There was no answer in time.")
    case .serverUnavailable: (.tryLater, "The server cannot answer now.")
    case .tooBusy: (.tryLater, "The daemon has too much to do.")
    case .vaultBusy: (.tryLater, "Another process has held the vault for too long.")
    case .daemonUnavailable: (.tryLater, "No daemon runs, it could not be started, or it ended.")
    case .daemonStopped: (.tryLater, "A person has stopped the daemon, so it is not started again for this request.")
    case .accessDenied: (.denied, "The user or the server said no.")
    case .assertionRejected:
      (.denied, "The assertion is not one for this server: by its form, its claims, or the server's word.")
    case .redirectUnavailable: (.failed, "The answer of a sign-in in the browser cannot be received here.")
    case .redirectRejected: (.failed, "The address is not the answer that a sign-in waits for.")
    case .originNotAllowed: (.failed, "The token may not go to that place.")
    case .placeNotListed: (.failed, "No account lists the place that a token is wanted for.")
    case .certificateRejected: (.failed, "The server's certificate is not trusted.")
    case .pinMismatch: (.failed, "The server has none of the pinned public keys.")
    case .clientRejected:
      (.failed, "The server does not accept the client identifier, its secret, or what it asks for.")
    case .serverRejected: (.failed, "The server refused the request.")
    case .serverMisbehaved: (.failed, "The server's answer breaks the rules.")
    case .tokenRejected: (.failed, "The ID Token is not valid.")
    case .tokenNotBound: (.failed, "The server gave a token that is not bound to the account's key, so it was dropped.")
    case .lifetimeTooShort: (.failed, "The server's tokens do not live as long as `min_valid` asks.")
    case .foreignDevice: (.failed, "The vault was made on another device.")
    case .vaultUnusable: (.failed, "The vault is damaged or of a version that is not known.")
    case .storage: (.failed, "A file or a directory cannot be used.")
    case .missingValue: (.failed, "The session lacks what was asked for, such as an ID Token or a claim.")
    case .malformedToken: (.tokenNotValid, "What was given as a token is none.")
    case .cancelled: (.failed, "The request was given up.")
    case .internalError: (.failed, "Something happened that should not.")
    case .notPermitted: (.denied, "The lease by which the request came does not permit it.")
    case .leaseEnded: (.denied, "The lease is over: by its time, its number of requests, or whoever gave it.")
    case .tokenReturned:
      (.failed, "The answer to a lease's request contained the access token, so the rest was withheld.")
    case .locked: (.locked, "The account, or the whole vault, is locked; see `agent unlock`.")
    case .wrongPassphrase: (.locked, "The passphrase opens nothing.")
    case .wrongPIN: (.locked, "The TPM does not take the PIN; it counts wrong ones.")
    case .tpmLockedOut: (.tryLater, "The TPM takes no PIN for a while, after too many wrong ones.")
    case .tpmUnavailable: (.failed, "The TPM cannot be used now.")
    case .lastSlot: (.failed, "Nothing else would open what the slot opens.")
    case .noSuchSlot: (.failed, "The vault has no such slot, or nothing opens that level yet.")
    }
  }

  package var exitStatus: ExitStatus { row.status }

  /// The meaning for agent-protocol(7), in mdoc notation.
  package var meaning: String { row.meaning }
}

/// The exit statuses of `agent`. Scripts depend on them, so a meaning never changes.
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
