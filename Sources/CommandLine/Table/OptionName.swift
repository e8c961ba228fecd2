/// Every option of every command, by its long spelling without the dashes.
///
/// Commands look values up by these names, so a misspelt name is a compile error.
enum OptionName: String, CaseIterable, Sendable {
  // Understood by every command.
  case account
  case timeout
  case noDaemon = "no-daemon"
  case noInput = "no-input"
  case quiet
  case verbose
  case json
  case help
  case version

  // `login`.
  case issuer
  case clientID = "client-id"
  case provider
  case scope
  case resource
  case audience
  case browser
  case device
  case paste
  case noOpen = "no-open"
  case start
  case resume
  case noWait = "no-wait"
  case acr
  case maxAge = "max-age"
  case prompt
  case loginHint = "login-hint"
  case clientSecretFile = "client-secret-file"
  case clientSecretEnvironment = "client-secret-env"
  case clientSecretPrompt = "client-secret-prompt"
  case clientKeyFile = "client-key-file"
  case clientCertificateFile = "client-certificate-file"
  case register
  case initialAccessTokenFile = "initial-access-token-file"
  case guest
  case clientKeyAlgorithm = "client-key-algorithm"
  case clientKeyID = "client-key-id"
  case assertionAudience = "assertion-audience"
  case idTokenAlgorithm = "id-token-algorithm"
  case userInfoAlgorithm = "userinfo-algorithm"
  case basicUnencoded = "basic-unencoded"
  case tokenEndpointAuthMethod = "token-endpoint-auth-method"
  case caFile = "ca-file"
  case pin
  case allowHTTPLoopback = "allow-http-loopback"
  case tokenEndpoint = "token-endpoint"
  case deviceAuthorizationEndpoint = "device-authorization-endpoint"
  case userinfoEndpoint = "userinfo-endpoint"
  case revocationEndpoint = "revocation-endpoint"
  case registrationEndpoint = "registration-endpoint"
  case jwksURI = "jwks-uri"
  case redirectURI = "redirect-uri"
  case keep
  case dpop
  case host
  case refresh
  case qrCode = "qr-code"
  case copyCode = "copy-code"

  // `account`.
  case refreshTokenFile = "refresh-token-file"
  case refreshTokenFD = "refresh-token-fd"

  // The vault.
  case protect
  case passphraseFile = "passphrase-file"
  case passphraseFD = "passphrase-fd"
  case pinFile = "pin-file"
  case pinFD = "pin-fd"
  case newPassphraseFile = "new-passphrase-file"
  case newPassphraseFD = "new-passphrase-fd"
  case newPINFile = "new-pin-file"
  case newPINFD = "new-pin-fd"
  case protection
  case to
  case lockAfter = "lock-after"

  // `status`.
  case check

  // `logout`.
  case all
  case local

  // `token`.
  case exchange
  case minValid = "min-valid"
  case forceRefresh = "force-refresh"
  case wait
  case header
  case idToken = "id-token"

  // `request`.
  case data
  case output
  case include

  // `verify`.
  case jwks
  case algorithms
  case type
  case signatureOnly = "signature-only"
  case clockSkew = "clock-skew"

  // `proof`.
  case nonce

  // `env` and `exec`.
  case shell
  case variable = "var"
  case unset
  case hook
  case tokenFile = "token-file"
  case signal
  case onRenewal = "on-renewal"

  // `events`.
  case follow
}
