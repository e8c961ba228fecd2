internal import Encoding

// Raw values appear in the settings file, requests and command line.

/// How an account's record is unlocked.
package enum Protection: String, Sendable, Hashable, CaseIterable {
  /// Automatically, only on this device.
  case device
  case passphrase
  /// With a PIN that the TPM verifies.
  case tpm2
}

/// How the vault opens automatically.
package enum VaultBinding: String, Sendable, Hashable, CaseIterable {
  /// With a key derived from device secret, machine ID and user ID.
  case host
  /// With the ``host`` key and a key that never leaves the TPM.
  case tpm2
}

/// Where private keys are generated and stored.
package enum KeyStorage: String, Sendable, Hashable, CaseIterable {
  /// In the vault and its copies.
  case vault
  case tpm2
}

/// When to renew tokens.
package enum RefreshPolicy: String, Sendable, Hashable, CaseIterable {
  /// Only on request.
  case onDemand = "on-demand"
  /// Before expiry, if the current token has been used.
  case proactive
  /// Always before expiry, from the daemon's start.
  case background
  /// Like ``proactive``, but retries temporary failures as soon as possible.
  case offline
  /// Only on request. Tokens stay in memory briefly, and are not returned shortly before expiry.
  case strict
}

/// Client authentication (RFC 6749 section 2.3, OpenID Connect Core section 9, RFC 8705 section 2).
package enum ClientAuthenticationMethod: String, Sendable, Hashable, CaseIterable {
  case none
  case secretBasic = "client_secret_basic"
  case secretPost = "client_secret_post"
  /// An assertion signed with the client's key (RFC 7523).
  case privateKeyJWT = "private_key_jwt"
  /// A client certificate issued by a certificate authority.
  case tlsClientAuth = "tls_client_auth"
  case selfSignedTLSClientAuth = "self_signed_tls_client_auth"

  package enum Credential: Sendable, Hashable {
    case none, secret, key, issuedCertificate, selfSignedCertificate
  }

  package var credential: Credential {
    switch self {
    case .none: .none
    case .secretBasic, .secretPost: .secret
    case .privateKeyJWT: .key
    case .tlsClientAuth: .issuedCertificate
    case .selfSignedTLSClientAuth: .selfSignedCertificate
    }
  }
}

/// The `aud` of assertions (RFC 7523 section 3).
package enum AssertionAudience: Sendable, Hashable {
  /// The issuer identifier, so that no other server can use the assertion.
  case issuer
  /// The token endpoint (OpenID Connect Core section 9), for older servers.
  case tokenEndpoint
  /// The endpoint of the request, as Glewlwyd requires.
  case endpoint
  /// An audience that the server defines.
  case named(String)

  private static let words: [(String, AssertionAudience)] = [
    ("issuer", .issuer), ("token_endpoint", .tokenEndpoint), ("endpoint", .endpoint),
  ]

  /// The case for a word, or ``named(_:)`` for other text.
  package init(_ text: String) {
    self = Self.words.first { $0.0 == text }?.1 ?? .named(text)
  }
}

/// How a platform's assertion gets a token.
package enum AssertionGrant: String, Sendable, Hashable, CaseIterable {
  /// As the grant (RFC 7523 section 2.1).
  case jwtBearer = "jwt-bearer"
  /// As the subject of an exchange (RFC 8693 section 2.1).
  case tokenExchange = "token-exchange"
  /// As client authentication, for the client's own tokens (RFC 7523 section 2.2, RFC 6749 section 4.4).
  case clientCredentials = "client-credentials"
}

/// Servers and responses that violate the profile are refused.
package enum SecurityProfile: String, Sendable, Hashable, CaseIterable {
  /// The final FAPI 2.0 Security Profile (February 2025).
  case fapi2
}

/// Platforms that provide assertions.
package enum AssertionPlatform: String, Sendable, Hashable, CaseIterable {
  /// From a service named by the CI job's variables.
  case gitHubActions = "github-actions"
  /// In a variable of the CI job.
  case gitLabCI = "gitlab-ci"
  /// In a file of the pod, replaced before the assertion expires.
  case kubernetes
}

/// The name of a built-in provider or of one in ``AdministratorFiles``.
package struct ProviderName: RawRepresentable, Sendable, Hashable, CaseIterable {
  /// The built-in providers.
  package static var allCases: [ProviderName] { Provider.builtIn.map(\.name) }

  package let rawValue: String

  /// Nil unless 1 to 64 lowercase letters, digits and dashes, not starting with a dash.
  package init?(rawValue: String) {
    let isDash = { $0 == UInt8(ascii: "-") }
    guard (1...64).contains(rawValue.utf8.count), rawValue.utf8.first.map(isDash) == false,
      rawValue.utf8.allSatisfy({ isDash($0) || $0.isASCIIAlphanumeric && !(65...90).contains($0) })
    else { return nil }
    self.rawValue = rawValue
  }
}

/// Signature algorithms (RFC 7518 section 3.1, RFC 8037, RFC 9864).
package enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable {
  // The names are `alg` values.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519
  case HS256, HS384, HS512

  package var isSymmetric: Bool { rawValue.hasPrefix("HS") }

  package static let asymmetric = allCases.filter { !$0.isSymmetric }
}

/// Kinds of signed tokens. None is accepted as another (RFC 8725 section 3.12).
package enum TokenProfile: String, Sendable, Hashable, CaseIterable {
  /// OpenID Connect Core sections 2 and 3.1.3.7.
  case idToken = "id-token"
  /// A JWT access token (RFC 9068).
  case accessToken = "access-token"
  /// OpenID Connect Back-Channel Logout 1.0 sections 2.4 and 2.6.
  case logoutToken = "logout-token"
}

package enum ProxySource: String, Sendable, Hashable, CaseIterable {
  case environment, option
}
