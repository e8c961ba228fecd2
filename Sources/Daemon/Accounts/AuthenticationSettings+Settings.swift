internal import Sessions
internal import Wire

extension AuthenticationSettings {
  /// Applies the settings that the request names; keeps all others.
  mutating func apply(_ given: ClientAuthenticationSettings) {
    if given.basicUnencoded { isBasicUnencoded = true }
    if given.certificate { showsCertificate = true }
    keyAlgorithm = given.keyAlgorithm ?? keyAlgorithm
    keyID = given.keyID ?? keyID
    assertionAudience = given.assertionAudience?.rawValue ?? assertionAudience
  }

  /// The settings in the form of a request.
  var settings: ClientAuthenticationSettings {
    var settings = ClientAuthenticationSettings()
    settings.basicUnencoded = isBasicUnencoded
    settings.certificate = showsCertificate
    settings.keyAlgorithm = keyAlgorithm
    settings.keyID = keyID
    settings.assertionAudience = assertionAudience.flatMap { .init(rawValue: $0) }
    return settings
  }
}

extension ConfigurationError.KeyProblem {
  /// Text that follows "the client's key" in a message.
  var message: String {
    switch self {
    case .malformed: "is neither a private key in PEM form nor a JSON Web Key"
    case .encrypted: "is protected by a passphrase; decrypt it first, for example with openssl pkey"
    case .unsupported: "is of a kind that is not supported, or not for signatures"
    case .weak: "is too weak: RSA keys need 2048 bits at least"
    }
  }
}
