internal import Sessions
internal import Wire

extension Phrase {
  /// Describes a notice of a sign-in to users.
  init(_ notice: SignIn.Notice) {
    switch notice {
    case .clientFile(let path): self = "the client id is from \(path)"
    case .clientQuery: self = "the client id is a URL with a query, which some servers refuse: publish it without one"
    case .clientRegistered(let clientID): self = "the server registered a client for this account: \(clientID)"
    case .foreignManagement:
      self = "the server names a place of another server to manage the client at, so it cannot be deleted from here"
    case .tpmAway:
      self =
        "the TPM cannot be reached now, so the key that the tokens are bound to is in the vault; to have it in the TPM, sign in later with \("--key tpm2")"
    case .keysMissing:
      self =
        "the server names no keys to verify an ID Token with, so the sign-in fails if it sends one: name the URL of its keys with \("--jwks-uri"), or leave \("openid") out of \("--scope")"
    case .earlierSession(nil): self = "the earlier session stays valid at the server until it expires there"
    case .earlierSession(let page?):
      self = "the earlier session stays valid at the server until it expires there, or until you end it: \(page)"
    }
  }
}
