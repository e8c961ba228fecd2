internal import Wire

extension FailureCode {
  /// The meaning of the code, in the notation of ``Prose``; the switch is exhaustive, so every code has one.
  var meaning: String {
    switch self {
    case .invalidRequest: "The request or the command line is wrong."
    case .unsupportedVersion: "The request is of another version of the protocol."
    case .invalidConfiguration: "The settings, a file or a path that they name, or the installation are not valid."
    case .issuerNeeded: "The sign-in names no issuer, and there is none that it can mean."
    case .clientNeeded:
      "The sign-in names no client, and none is known; the message says how to get one. With `client_secret_needed` it"
        + " is the client's secret that is missing."
    case .accountExists: "There is such an account already."
    case .noAccount: "There is no such account, or no active one."
    case .signedOut: "The account is signed out."
    case .sessionExpired: "The session expired or was revoked."
    case .interactionRequired:
      "The server wants the user to sign in again before it renews the session, which it has not ended, or a key of the"
        + " session is in another TPM."
    case .tokenRefused: "The resource refuses the account's tokens, new ones too. The session itself is good."
    case .configurationChanged:
      "A setting is not the one that was signed in with, so nothing was sent; see agent-config(5)."
    case .endpointMoved: "The server names an endpoint at another place than at sign-in, so nothing was sent."
    case .identityChanged: "The server answered for another user than the one who signed in, or did not say for whom."
    case .stepUpNeeded: "The resource wants the user to sign in in another way, or again; see RFC 9470."
    case .originNotAllowed: "The token may not go to that place."
    case .placeNotListed: "No account lists the place that a token is wanted for."
    case .otherMachine: "There are sessions of other machines here, and none of this one."
    case .codeExpired: "The code expired, or the sign-in was not approved in time."
    case .unknownLogin: "There is no sign-in in the background by that name, or it ended a while ago."
    case .issuerNotTrusted: "A resource names an authorization server that nobody has confirmed."
    case .assertionNeeded:
      "There is no assertion that counts now: its file cannot be used, or its `exp` is past or its `nbf` ahead."
    case .network: "The server could not be reached."
    case .timeout: "There was no answer in time."
    case .serverUnavailable: "The server cannot answer now."
    case .tooBusy: "The daemon has too much to do."
    case .vaultBusy: "Another process has held the vault for too long."
    case .daemonUnavailable: "No daemon runs, it could not be started, or it ended."
    case .accessDenied: "The user or the server said no."
    case .assertionRejected:
      "The assertion is not one for this server: by its form, its claims, or the server's word."
    case .redirectUnavailable: "The answer of a sign-in in the browser cannot be received here."
    case .redirectRejected: "The address is not the answer that a sign-in waits for."
    case .certificateRejected: "The server's certificate is not trusted."
    case .pinMismatch: "The server has none of the pinned public keys."
    case .clientRejected: "The server does not accept the client identifier, its secret, or what it asks for."
    case .serverRejected: "The server refused the request."
    case .serverMisbehaved: "The server's answer breaks the rules."
    case .tokenRejected: "The ID Token is not valid."
    case .tokenNotBound: "The server gave a token that is not bound to the account's key, so it was dropped."
    case .lifetimeTooShort: "The server's tokens do not live as long as `min_valid` asks."
    case .foreignDevice: "The vault was made on another device."
    case .vaultUnusable: "The vault is damaged or of a version that is not known."
    case .storage: "A file or a directory cannot be used."
    case .missingValue: "The session lacks what was asked for, such as an ID Token or a claim."
    case .malformedToken: "What was given as a token is none."
    case .cancelled: "The request was given up."
    case .internalError: "Something happened that should not."
    case .descriptorMissing: "The descriptors that the request needs did not come with it."
    case .notPermitted: "The lease by which the request came does not permit it."
    case .leaseEnded: "The lease is over: by its time, its number of requests, or whoever gave it."
    case .locked: "The account, or the whole vault, is locked; see `agent unlock`."
    case .wrongPassphrase: "The passphrase opens nothing."
    case .wrongPIN: "The TPM does not take the PIN; it counts wrong ones."
    case .tpmLockedOut: "The TPM takes no PIN for a while, after too many wrong ones."
    case .tpmUnavailable: "The TPM cannot be used now."
    case .lastSlot: "Nothing else would open what the slot opens."
    case .noSuchSlot: "The vault has no such slot, or nothing opens that level yet."
    }
  }
}
