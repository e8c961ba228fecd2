internal import Encoding
internal import Sessions

extension Phrase {
  init(_ notice: SignIn.Notice) {
    switch notice {
    case .clientFile(let path): self = "using the client ID from \(path)"
    case .clientURLHasQuery:
      self = "the client ID is a URL with a query, which some servers refuse: publish it without one"
    case .clientRegistered(let clientID): self = "the server registered a client for this account: \(clientID)"
    case .foreignManagement:
      self = "the server manages its clients on another server, so this client cannot be deleted from here"
    case .tpmUnavailable:
      self =
        "the TPM cannot be reached, so the key that binds the tokens is in the vault; to use the TPM, set \("--key tpm2") for the account later and sign in again"
    case .keysMissing:
      self =
        "the server publishes no keys to verify an ID Token, so the sign-in fails if it sends one: set the URL of its keys with \("--jwks-uri"), or remove \("openid") from \("--scope")"
    case .scopeNotLimited(let scope):
      let list = TerminalText.clean(scope.joined(separator: " "))
      self = "the server does not limit this scope to one token, so all hosts of the account get it: \(list)"
    case .earlierGrantRemains(nil): self = "the earlier session stays valid at the server until it expires there"
    case .earlierGrantRemains(let page?):
      self = "the earlier session stays valid at the server until it expires there, or until you end it: \(page)"
    }
  }
}
