internal import Crypto
internal import Platform
internal import Sessions

extension ClientSecret {
  private static let mostFileBytes = 65_536

  /// A private key, in PEM form or as a JSON Web Key.
  static func readKey(_ source: SharedDescriptor) throws(SessionError) -> ClientKeyFile {
    let unusable = SessionError.configuration(ConfigurationError(.clientKey(.malformed), ""))
    return try readWhole(source, orThrow: unusable) { (text) throws(SessionError) in try ClientKeyFile(text) }
  }

  /// Certificates in PEM form; whether they are is seen when they are used with their key.
  static func readCertificates(_ source: SharedDescriptor) throws(SessionError) -> SharedSecret {
    let unusable = SessionError.configuration(ConfigurationError(.clientCertificate, ""))
    return try readWhole(source, orThrow: unusable) { (text) throws(SessionError) in
      for index in text.indices where text[index] >= 0x7F || text[index] == 0 { throw unusable }
      do { return SharedSecret(try SecretBytes(copying: text)) } catch { throw .memory }
    }
  }

  private static func readWhole<Result>(
    _ source: SharedDescriptor, orThrow unusable: SessionError, _ body: (Span<UInt8>) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    var buffer: SecretBytes
    do { buffer = try SecretBytes(zeroed: mostFileBytes) } catch { throw .memory }
    let count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try source.readToEnd(into: &bytes, patience: patience)
      }
    } catch {
      throw unusable
    }
    guard count > 0, count < mostFileBytes else { throw unusable }
    return try buffer.withBytes { (bytes) throws(SessionError) in try body(bytes.extracting(0..<count)) }
  }
}
