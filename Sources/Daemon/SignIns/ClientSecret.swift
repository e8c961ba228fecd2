internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions

/// Reads OAuth clients' secrets, keys and certificates.
enum ClientSecret {
  struct Kind {
    let maximumBytes: Int
    /// The error for an unusable secret.
    let unusable: @Sendable (ConfigurationError.SecretProblem) -> SessionError

    static let clientSecret = Kind(maximumBytes: 4095, unusable: ClientSecret.error(.clientSecret))
    /// The limit is high because some servers encode much data in their tokens.
    static let refreshToken = Kind(maximumBytes: 65_535, unusable: ClientSecret.error(.refreshToken))
    static let initialAccessToken = Kind(maximumBytes: 65_535, unusable: ClientSecret.error(.initialAccessToken))
    static let assertion = Kind(maximumBytes: BearerAssertion.maximumBytes) { _ in
      .assertion(.malformed, .signInRequest)
    }
  }

  private static func error(
    _ secret: ConfigurationError.Secret
  ) -> @Sendable (ConfigurationError.SecretProblem) -> SessionError {
    { .configuration(ConfigurationError(.unusableSecret(secret, $0), "")) }
  }

  /// Reads one line. Throws a configuration error if the secret is empty or cannot be sent.
  static func read(
    _ source: SharedDescriptor, as kind: Kind = .clientSecret, _ cancellation: Cancellation
  ) throws(SessionError) -> SharedSecret {
    try SecretReader.readLine(source, upTo: kind.maximumBytes, or: kind.unusable, cancellation) { bytes in
      bytes.indices.allSatisfy { bytes[$0].isPrintableASCII }
    }
  }

  static func secureCopy(of text: String) throws(SessionError) -> SharedSecret {
    let bytes = Array(text.utf8)
    return try SecretReader.secureCopy(of: bytes.span)
  }

  /// The maximum size of a file with a key or certificates.
  private static let maximumFileBytes = 65_535

  /// Reads PEM or a JSON Web Key. `device` is the TPM that may contain the key.
  static func readKey(
    _ source: SharedDescriptor, in device: any KeyDevice, _ cancellation: Cancellation
  ) throws(SessionError) -> ClientKeyFile {
    try SecretReader.read(source, upTo: maximumFileBytes, or: error(.clientKey), cancellation) {
      (text) throws(SessionError) in
      try ClientKeyFile(text, in: device)
    }
  }

  /// Reads PEM certificates, which are validated later with their key.
  static func readCertificates(
    _ source: SharedDescriptor, _ cancellation: Cancellation
  ) throws(SessionError) -> SharedSecret {
    let unusable = SessionError.configuration(ConfigurationError(.unusableClientCertificate, ""))
    return try SecretReader.read(source, upTo: maximumFileBytes, or: error(.clientCertificate), cancellation) {
      (text) throws(SessionError) in
      for index in text.indices where text[index] >= 0x7F || text[index] == 0 { throw unusable }
      return try SecretReader.secureCopy(of: text)
    }
  }
}
