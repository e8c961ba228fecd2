// The closed sets that settings choose from. The raw values are those in the settings file, in requests and on the
// command line.

/// How the record of an account opens.
package enum Protection: String, Sendable, Hashable, CaseIterable {
  /// In the background, by this device alone.
  case device
  /// Only while unlocked by a passphrase.
  case passphrase
  /// Only while unlocked by a PIN that the TPM verifies.
  case tpm2
}

/// The automatic ways to open the vault.
package enum VaultBinding: String, Sendable, Hashable, CaseIterable {
  /// The device secret, the machine and the user.
  case host
  /// The device secret, the machine, the user, and a key that never leaves the TPM.
  case tpm2
}

/// Where the private keys of an account are made and stay.
package enum KeyStorage: String, Sendable, Hashable, CaseIterable {
  /// In the vault, whose copies hold them too.
  case vault
  /// In the TPM, which they never leave.
  case tpm2
}

/// When the tokens of an account are renewed.
package enum RefreshPolicy: String, Sendable, Hashable, CaseIterable {
  /// Only on request.
  case onDemand = "on-demand"
  /// Before the token expires, if it was used.
  case proactive
  /// Always before the token expires, from the daemon's start on.
  case background
  /// As ``proactive``; a refresh that fails for a passing reason is made as soon as it can be.
  case offline
  /// Only on request; a token stays in memory for a short time and is never given out when little of its lifetime is
  /// left.
  case strict
}

/// The ways in which a client can prove who it is (RFC 6749 section 2.3, OpenID Connect Core 1.0 section 9,
/// RFC 8705 section 2), by their names in metadata.
package enum ClientAuthenticationMethod: String, Sendable, Hashable, CaseIterable {
  case none
  case secretBasic = "client_secret_basic"
  case secretPost = "client_secret_post"
  case privateKeyJWT = "private_key_jwt"
  case tlsClientAuth = "tls_client_auth"
  case selfSignedTLSClientAuth = "self_signed_tls_client_auth"
}

/// The `aud` of assertions (RFC 7523 section 3): of those that a client signs, and of those that a platform hands out.
package enum AssertionAudience: Sendable, Hashable {
  /// The issuer identifier and nothing else, which no other server can make use of.
  case issuer
  /// The token endpoint, which OpenID Connect Core 1.0 section 9 names and older servers require.
  case tokenEndpoint
  /// The endpoint that the request goes to, as Glewlwyd requires.
  case endpoint
  /// This text, where a server has a name of its own for it.
  case named(String)

  private static let words: [(String, AssertionAudience)] = [
    ("issuer", .issuer), ("token_endpoint", .tokenEndpoint), ("endpoint", .endpoint),
  ]

  /// Any text but the words of the other cases is ``named(_:)``.
  package init(_ text: String) {
    self = Self.words.first { $0.0.utf8.elementsEqual(text.utf8) }?.1 ?? .named(text)
  }
}

/// How an assertion that a platform hands out gets a token.
package enum AssertionGrant: String, Sendable, Hashable, CaseIterable {
  /// It is the grant itself (RFC 7523 section 2.1).
  case jwtBearer = "jwt-bearer"
  /// It is the subject of an exchange (RFC 8693 section 2.1).
  case tokenExchange = "token-exchange"
  /// It proves who the client is, which gets tokens for itself (RFC 7523 section 2.2, RFC 6749 section 4.4).
  case clientCredentials = "client-credentials"
}

/// The security profiles that an account can demand.
package enum SecurityProfile: String, Sendable, Hashable, CaseIterable {
  /// The FAPI 2.0 Security Profile (OpenID Foundation, final of February 2025).
  case fapi2
}

/// The platforms that hand out assertions in a way of their own.
package enum AssertionPlatform: String, Sendable, Hashable, CaseIterable {
  /// A service of the platform gives them, which two variables of the job name.
  case gitHubActions = "github-actions"
  /// A variable of the job holds one.
  case gitLabCI = "gitlab-ci"
  /// A file of the pod holds one, and is replaced before that expires.
  case kubernetes
}

/// The providers that have built-in settings.
package enum ProviderName: String, Sendable, Hashable, CaseIterable {
  case apple, atlassian, auth0, authentik, bitbucket, codeberg, cognito, dex, discord, dropbox, entra, forgejo, gitea,
    github
  case gitlab, gmail, google, huggingface, keycloak, okta, outlook, salesforce, slack, twitch, yahoo, zitadel
}

/// The signature algorithms of ID Tokens, UserInfo and assertions (RFC 7518 section 3.1, RFC 8037, RFC 9864).
package enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable {
  // The names are those on the wire.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519
  case HS256, HS384, HS512

  /// Whether the key is a shared secret.
  package var isSymmetric: Bool {
    switch self {
    case .HS256, .HS384, .HS512: true
    default: false
    }
  }

  /// The algorithms whose key is a pair.
  package static let asymmetric = allCases.filter { !$0.isSymmetric }
}

/// The kinds of signed tokens with rules of their own, which exclude each other (RFC 8725 section 3.12).
package enum TokenProfile: String, Sendable, Hashable, CaseIterable {
  /// OpenID Connect Core 1.0 sections 2 and 3.1.3.7.
  case idToken = "id-token"
  /// RFC 9068.
  case accessToken = "access-token"
  /// OpenID Connect Back-Channel Logout 1.0 sections 2.4 and 2.6.
  case logoutToken = "logout-token"
}
