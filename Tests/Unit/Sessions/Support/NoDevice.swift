import Crypto

/// A machine without a TPM.
struct NoDevice: KeyDevice {
  func makeKey() throws(CryptoError) -> TPM.Key { throw CryptoError(.unreachable, "no device") }
  func sign(digest: [UInt8], with _: TPM.Key) throws(CryptoError) -> [UInt8] {
    throw CryptoError(.unreachable, "no device")
  }
}
