internal import COpenSSL

/// Called on the signing thread after each signature, with the error if it failed.
package typealias SignatureObserver = @Sendable (CryptoError?) -> Void

extension PrivateKey {
  /// Returns a libcrypto key for signing. For a device key, it has only the public half, and calls the device on the
  /// signing thread.
  borrowing func signingHandle(_ observer: @escaping SignatureObserver) throws(CryptoError) -> KeyHandle {
    guard let deviceKey else { return try handle.copy() }
    return try DeviceSigner(deviceKey, observer).makeHandle()
  }
}

/// Signs for a libcrypto key that owns this signer.
private final class DeviceSigner: Sendable {
  private let key: DeviceKey
  private let observer: SignatureObserver

  init(_ key: DeviceKey, _ observer: @escaping SignatureObserver) {
    self.key = key
    self.observer = observer
  }

  /// Where a libcrypto key stores its signer.
  private static let index = unsafe agent_ec_key_index(
    { _, _, data, _, _, _ in
      guard let signer = unsafe data?.pointee else { return 1 }
      _ = unsafe Unmanaged<DeviceSigner>.fromOpaque(signer).retain()
      return 1
    },
    { _, signer, _, _, _, _ in
      guard let signer = unsafe signer else { return }
      unsafe Unmanaged<DeviceSigner>.fromOpaque(signer).release()
    })

  /// libcrypto's functions that sign with a device. Never freed.
  nonisolated(unsafe) private static let method: OpaquePointer? = unsafe agent_ec_method {
    _, digest, count, signature, signatureCount, _, _, key in
    guard let key = unsafe key, let digest = unsafe digest, let signature = unsafe signature,
      let pointer = unsafe agent_ec_key_data(key, DeviceSigner.index)
    else { return 0 }
    let signer = unsafe Unmanaged<DeviceSigner>.fromOpaque(pointer).takeUnretainedValue()
    guard let made = unsafe signer.sign(Array(UnsafeBufferPointer(start: digest, count: Int(count)))) else { return 0 }
    // libcrypto's buffer is large enough for the longest signature of the curve.
    unsafe signature.update(from: made, count: made.count)
    unsafe signatureCount?.pointee = UInt32(made.count)
    return 1
  }

  func makeHandle() throws(CryptoError) -> KeyHandle {
    guard case .ec(.p256, let x, let y) = key.key.publicComponents else {
      throw CryptoError(.unsupportedAlgorithm, "held key")
    }
    ErrorQueue.clear()
    guard let made = unsafe makeObject(x, y) else { throw .library("EC_KEY_new", code: .invalidKey) }
    return unsafe KeyHandle(owning: made)
  }

  private func makeObject(_ x: [UInt8], _ y: [UInt8]) -> OpaquePointer? {
    guard Self.index >= 0, let method = unsafe Self.method else { return nil }
    let first = unsafe BN_bin2bn(x, Int32(x.count), nil)
    defer { unsafe BN_free(first) }
    let second = unsafe BN_bin2bn(y, Int32(y.count), nil)
    defer { unsafe BN_free(second) }
    let owned = unsafe Unmanaged.passRetained(self)
    var made: OpaquePointer?
    if unsafe agent_ec_key(&made, first, second, method, Self.index, owned.toOpaque()) == 1 { return unsafe made }
    unsafe owned.release()
    return nil
  }

  /// Signs a SHA-256 hash. Returns DER, or nil on failure.
  private func sign(_ digest: [UInt8]) -> [UInt8]? {
    do throws(CryptoError) {
      guard digest.count == Digest.sha256.byteCount else { throw CryptoError(.unsupportedAlgorithm, "held key") }
      let signature = try key.device.sign(digest: digest, with: key.key)
      let der = try ECDSASignature.encodeDER(signature.span)
      observer(nil)
      return der
    } catch {
      observer(error)
      return nil
    }
  }
}
