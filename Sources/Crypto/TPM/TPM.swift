internal import Encoding
internal import COpenSSL

/// A connection to the TPM through libcrypto's provider `tpm2` (tpm2-openssl). Calls block until the TPM responds.
/// Without a resource manager, a TPM accepts only one connection at a time.
///
/// The provider is in a separate instance of libcrypto, unaffected by configuration files and environment variables. It
/// and its libraries do not wipe all of their memory.
package struct TPM: ~Copyable {
  /// A key that never leaves the TPM.
  package struct Key: Sendable, Hashable {
    /// The private half, sealed by the TPM: `TSS2 PRIVATE KEY` in DER.
    package let serialized: [UInt8]
    /// The public half, on P-256.
    package let publicComponents: PublicComponents

    package init(serialized: [UInt8], publicComponents: PublicComponents) {
      self.serialized = serialized
      self.publicComponents = publicComponents
    }
  }

  package static let maximumKeyLength = 2048
  /// The longest authorization that every TPM accepts, in bytes.
  static let maximumAuthorizationLength = 32

  private static let properties = "provider=tpm2"
  private let library: LibraryContext

  /// The directory of libcrypto's providers.
  package static var modulesDirectory: String {
    guard let folder = unsafe OPENSSL_info(OPENSSL_INFO_MODULES_DIR) else { return "" }
    return unsafe String(cString: folder)
  }

  /// Loads the provider's library and connects to the TPM named by the variable `TPM2OPENSSL_TCTI`. The variable must
  /// be set, since the default includes a local TCP port that any user can listen on.
  ///
  /// - Throws: `noProvider` if the library cannot be loaded; `unreachable` if the TPM does not respond.
  package init(module: String) throws(CryptoError) {
    guard Self.isPlain(module) else { throw CryptoError(.noProvider, "TPM provider") }
    do {
      library = try Self.connect(module: module)
    } catch {
      throw TPMFailure.interpret(error, otherwise: .noProvider)
    }
  }

  private static func connect(module: String) throws(CryptoError) -> LibraryContext {
    ErrorQueue.clear()
    var library = try LibraryContext()
    try library.loadProvider("default")
    try library.setProviderFile("tpm2", module: module)
    try library.loadProvider("tpm2")
    return library
  }

  /// Whether no character is special in a configuration.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.count <= 4096
      && path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+@".utf8.contains($0) }
  }

  /// Generates a key that only this TPM can use, until it is cleared.
  ///
  /// - Parameter authorization: Required for each use, at most 32 bytes; empty for none.
  /// - Throws: `refused` or `unreachable`.
  package borrowing func makeKey(authorization: borrowing SecretBytes) throws(CryptoError) -> Key {
    guard authorization.count <= Self.maximumAuthorizationLength else {
      throw CryptoError(.invalidLength, "TPM authorization")
    }
    ErrorQueue.clear()
    let context = try KeyContext(newKeyNamed: "EC", in: library, properties: Self.properties)
    try check(unsafe EVP_PKEY_keygen_init(context.raw), "EVP_PKEY_keygen_init")
    try setParameters(of: context, authorization: authorization)
    var made: OpaquePointer?
    guard unsafe EVP_PKEY_generate(context.raw, &made) == 1, let made = unsafe made else {
      throw TPMFailure.error("EVP_PKEY_generate", otherwise: .refused)
    }
    let key = unsafe KeyHandle(owning: made)
    let width = Curve.p256.coordinateByteCount
    let x = try key.number(OSSL_PKEY_PARAM_EC_PUB_X, width: width)
    let y = try key.number(OSSL_PKEY_PARAM_EC_PUB_Y, width: width)
    return Key(serialized: try serialize(key), publicComponents: .ec(curve: .p256, x: x, y: y))
  }

  /// Like ``PrivateKey/sharedSecret(with:)``, for the TPM key with this ``Key/serialized``. The TPM limits wrong
  /// authorizations.
  ///
  /// - Parameter peer: A public key on P-256.
  /// - Throws: `invalidKey` for an invalid point; the TPM's `foreignKey`, `wrongAuthorization`, `lockedOut`, `refused`
  ///   or `unreachable`.
  package borrowing func sharedSecret(
    with serialized: [UInt8], authorization: borrowing SecretBytes, peer: PublicComponents
  ) throws(CryptoError) -> SecretBytes {
    guard case .ec(.p256, let x, let y) = peer else { throw CryptoError(.unsupportedAlgorithm, "ECDH") }
    let other = try ECPoint.makeKey(curve: .p256, x: x, y: y)
    ErrorQueue.clear()
    let key = try loadKey(serialized, authorization: authorization)
    do {
      return try KeyContext(for: key, in: library, properties: Self.properties).sharedSecret(with: other)
    } catch {
      if error.code == .secureHeapFull { throw error }
      throw TPMFailure.interpret(error, otherwise: .refused)
    }
  }

  /// Signs like ``KeyDevice/sign(digest:with:)`` with the ``Key/serialized`` of a key without authorization. Throws
  /// `foreignKey`, `refused` or `unreachable`.
  package borrowing func sign(digest: [UInt8], with serialized: [UInt8]) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    let key = try loadKey(serialized, authorization: SecretBytes())
    do {
      let context = try KeyContext(for: key, in: library, properties: Self.properties)
      return try ECDSASignature.decodeDER(try context.sign(digest), curve: .p256)
    } catch {
      throw TPMFailure.interpret(error, otherwise: .refused)
    }
  }

  private borrowing func setParameters(
    of context: borrowing KeyContext, authorization: borrowing SecretBytes
  ) throws(CryptoError) {
    var group = "P-256".utf8CString
    var secret = try authorization.copy()
    let count = secret.count
    // The parameters point into the group and the secret.
    let status = unsafe group.withUnsafeMutableBufferPointer { group in
      secret.withMutableBytes { secret in
        unsafe secret.withUnsafeMutableBytes { secret in
          var parameters = unsafe [OSSL_PARAM_construct_utf8_string(agent_name_group(), group.baseAddress, 0)]
          if count > 0 {
            let bytes = unsafe secret.baseAddress?.assumingMemoryBound(to: CChar.self)
            unsafe parameters.append(
              OSSL_PARAM_construct_utf8_string(agent_name_user_authorization(), bytes, count))
          }
          unsafe parameters.append(OSSL_PARAM_construct_end())
          return unsafe EVP_PKEY_CTX_set_params(context.raw, parameters)
        }
      }
    }
    try check(status, "EVP_PKEY_CTX_set_params")
  }

  private borrowing func serialize(_ key: borrowing KeyHandle) throws(CryptoError) -> [UInt8] {
    guard let encoder = unsafe agent_tpm_key_encoder(key.raw) else { throw .library("OSSL_ENCODER_CTX_new_for_pkey") }
    defer { unsafe OSSL_ENCODER_CTX_free(encoder) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    try check(unsafe OSSL_ENCODER_to_data(encoder, &bytes, &count), "OSSL_ENCODER_to_data")
    defer { unsafe agent_free(bytes) }
    guard (1...Self.maximumKeyLength).contains(count) else { throw CryptoError(.libraryFailure, "TPM key") }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  private borrowing func loadKey(
    _ serialized: [UInt8], authorization: borrowing SecretBytes
  ) throws(CryptoError) -> KeyHandle {
    guard (1...Self.maximumKeyLength).contains(serialized.count) else { throw CryptoError(.invalidKey, "TPM key") }
    var made: OpaquePointer?
    // The decoder stores the result's address until it runs.
    let isRead = try unsafe withUnsafeMutablePointer(to: &made) { (pointer) throws(CryptoError) in
      try unsafe decode(serialized, authorization: authorization, into: pointer)
    }
    guard isRead, let made = unsafe made else {
      unsafe EVP_PKEY_free(made)
      throw TPMFailure.loading("OSSL_DECODER_from_data")
    }
    return unsafe KeyHandle(owning: made)
  }

  /// Returns false for trailing bytes.
  private borrowing func decode(
    _ serialized: [UInt8], authorization: borrowing SecretBytes, into pointer: UnsafeMutablePointer<OpaquePointer?>
  ) throws(CryptoError) -> Bool {
    guard let decoder = unsafe agent_tpm_key_decoder(pointer, library.raw) else {
      throw .library("OSSL_DECODER_CTX_new_for_pkey")
    }
    defer { unsafe OSSL_DECODER_CTX_free(decoder) }
    if authorization.count > 0 {
      let status = authorization.withBytes { bytes in
        unsafe bytes.withUnsafeBufferPointer {
          unsafe OSSL_DECODER_CTX_set_passphrase(decoder, $0.baseAddress, $0.count)
        }
      }
      try check(status, "OSSL_DECODER_CTX_set_passphrase")
    }
    return unsafe serialized.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      var left = buffer.count
      return unsafe OSSL_DECODER_from_data(decoder, &position, &left) == 1 && left == 0
    }
  }
}
