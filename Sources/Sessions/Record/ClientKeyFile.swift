package import Crypto
internal import Encoding
internal import OAuth

/// A client's private key file, split for the vault and the settings.
package struct ClientKeyFile: Sendable {
  /// In the format of ``ClientCredentials/key``.
  package let key: SharedSecret
  /// Nil if not in the file.
  package let keyID: String?
  /// The file's only permitted algorithm, if any.
  package let algorithm: SigningAlgorithm?

  /// Parses PEM or a JSON Web Key on the secure heap. Does not contact `device`, which may contain the key.
  package init(_ text: Span<UInt8>, in device: any KeyDevice) throws(SessionError) {
    do throws(JOSEError) {
      let read = try ImportedPrivateKey.read(text, in: device)
      keyID = read.keyID
      algorithm = read.algorithm.flatMap { SigningAlgorithm(rawValue: $0.rawValue) }
      key = try Self.encode(read.key)
    } catch {
      let problem: ConfigurationError.KeyProblem =
        switch error.code {
        case .passphraseNeeded: .encrypted
        case .unsupportedKey, .unsuitableKey: .unsupported
        case .weakKey: .weak
        case .authorizationNeeded: .tpmKeyNeedsPassword
        case .unsuitableDeviceKey: .tpmKeyUnsuitable
        default: .malformed
        }
      throw .configuration(ConfigurationError(.unusableClientKey(problem), ""))
    }
  }

  /// Generates a key for registering a client, in the vault if `device` is nil.
  package static func generate(in device: (any KeyDevice)? = nil) throws(SessionError) -> ClientKeyFile {
    do throws(CryptoError) {
      if let device { return ClientKeyFile(key: try encoded(try .make(in: device))) }
      return ClientKeyFile(key: try encoded(try .generateEC(.p256)))
    } catch {
      throw error.code == .unreachable ? .oauth(OAuthError(.keyUnavailable, .clientKey)) : .memory
    }
  }

  private init(key: SharedSecret) {
    self.key = key
    keyID = nil
    algorithm = nil
  }

  private static func encode(_ key: borrowing PrivateKey) throws(JOSEError) -> SharedSecret {
    do { return try encoded(key) } catch { throw JOSEError(.library) }
  }

  private static func encoded(_ key: borrowing PrivateKey) throws(CryptoError) -> SharedSecret {
    var text = SecretBuffer(capacity: 512)
    try key.serializedForVault().withBytes { Base64URL.append($0, to: &text) }
    return SharedSecret(try text.finish())
  }
}
