internal import Encoding
internal import JOSE
internal import OAuth

/// How the client is registered to get what the issuer says about the user (OpenID Connect Dynamic Client
/// Registration 1.0 section 2), by the names of algorithms. Nothing here is secret, and nothing here widens what is
/// accepted.
package struct SigningSettings: Sendable, Hashable {
  /// The `alg` of ID Tokens; nil takes those that the issuer announces.
  package var idTokenAlgorithm: String?
  /// The `alg` of UserInfo, which must be signed then; nil takes it as it comes.
  package var userInfoAlgorithm: String?

  package init() {}

  init(_ reader: SettingsReader) throws(ConfigurationError) {
    idTokenAlgorithm = try reader.text("id_token_algorithm")
    userInfoAlgorithm = try reader.text("userinfo_algorithm")
  }

  /// By name; nil for what is as it is for an account that never named it.
  var members: [(String, JSON?)] {
    [
      ("id_token_algorithm", idTokenAlgorithm.map { .string($0) }),
      ("userinfo_algorithm", userInfoAlgorithm.map { .string($0) }),
    ]
  }

  /// Adopts the registered values. A value that the server does not name stays as requested.
  ///
  /// - Throws: `registrationUnusable` when it registered something else than was asked for, or UserInfo under an
  ///   algorithm that we do not know.
  mutating func adopt(_ registration: ClientRegistration) throws(SessionError) {
    func agree(_ asked: String?, _ found: String?, _ what: String) throws(SessionError) {
      guard let asked, let found, !asked.utf8.elementsEqual(found.utf8) else { return }
      throw .oauth(OAuthError(.registrationUnusable, "with another signature of \(what) than was asked for"))
    }
    try agree(idTokenAlgorithm, registration.idTokenAlgorithm, "ID Tokens")
    try agree(userInfoAlgorithm, registration.userInfoAlgorithm, "UserInfo")
    // The settings pin an algorithm of a key only if a person asked for it; otherwise the announced algorithms apply.
    if let name = registration.idTokenAlgorithm, MACAlgorithm(name: name) != nil { idTokenAlgorithm = name }
    if let name = registration.userInfoAlgorithm, !name.utf8.elementsEqual("none".utf8) {
      guard JWSAlgorithm(name: name) != nil else {
        throw .oauth(OAuthError(.registrationUnusable, "with a signature of UserInfo that is not supported"))
      }
      userInfoAlgorithm = name
    }
  }

  /// The settings in the form that requests need.
  ///
  /// - Throws: `configuration` for an unknown name, or a name with HS without a client secret: a secret that a public
  ///   client has is none (OpenID Connect Core 1.0 section 3.1.3.7, step 8).
  func signing(_ credentials: ClientCredentials) throws(SessionError) -> ResponseSigning {
    var signing = ResponseSigning()
    if let name = idTokenAlgorithm {
      if let algorithm = JWSAlgorithm(name: name) {
        signing.idTokens = .key(algorithm)
      } else if let algorithm = MACAlgorithm(name: name) {
        guard let secret = credentials.secret else {
          throw .configuration(ConfigurationError(.missingClientSecret, "client_secret"))
        }
        signing.idTokens = .secret(IDTokenSecret(algorithm: algorithm, secret: secret))
      } else {
        throw .configuration(ConfigurationError(.invalid, "id_token_algorithm"))
      }
    }
    if let name = userInfoAlgorithm {
      guard let algorithm = JWSAlgorithm(name: name) else {
        throw .configuration(ConfigurationError(.invalid, "userinfo_algorithm"))
      }
      signing.userInfo = algorithm
    }
    return signing
  }
}
