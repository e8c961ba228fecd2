internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions

extension ClientSecret {
  private static let maximumFileBytes = 65_536

  /// Reads a private key in PEM or as a JSON Web Key.
  ///
  /// - Parameter device: The TPM, for a key in it.
  static func readKey(
    _ source: SharedDescriptor, in device: any KeyDevice, _ cancellation: Cancellation
  ) throws(SessionError) -> ClientKeyFile {
    let unusable = SessionError.configuration(ConfigurationError(.clientKey(.malformed), ""))
    return try SecretContent.read(source, upTo: maximumFileBytes - 1, or: unusable, cancellation) {
      (text) throws(SessionError) in
      try ClientKeyFile(text, in: device)
    }
  }

  /// Reads certificates in PEM. They are validated later, together with their key.
  static func readCertificates(
    _ source: SharedDescriptor, _ cancellation: Cancellation
  ) throws(SessionError) -> SharedSecret {
    let unusable = SessionError.configuration(ConfigurationError(.clientCertificate, ""))
    return try SecretContent.read(source, upTo: maximumFileBytes - 1, or: unusable, cancellation) {
      (text) throws(SessionError) in
      for index in text.indices where text[index] >= 0x7F || text[index] == 0 { throw unusable }
      return try SecretContent.shared(text)
    }
  }
}
