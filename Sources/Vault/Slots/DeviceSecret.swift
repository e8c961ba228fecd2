internal import Crypto
internal import Platform

/// The file `device.key`: 32 random bytes that never change, shared by all machines that use the state directory.
enum DeviceSecret {
  static let fileName = "device.key"
  static let byteCount = 32

  /// Throws `deviceSecretMissing`, `badPermissions` if others could have read or replaced it, or `damaged` if it has
  /// the wrong length.
  static func read(from directory: borrowing PrivateDirectory) throws(VaultError) -> SecretBytes {
    let path = "\(directory.path)/\(fileName)"
    var bytes: [UInt8]
    do {
      bytes = try directory.readFile(fileName, limit: byteCount)
    } catch {
      throw error.isNotFound ? VaultError(.deviceSecretMissing, path: path) : VaultError(reading: error, path: path)
    }
    defer { wipe(&bytes) }
    guard bytes.count == byteCount else { throw VaultError(.damaged, path: path) }
    return try mapCryptoError { () throws(CryptoError) in try SecretBytes(copying: bytes.span) }
  }

  /// Reads or creates the secret. Concurrent processes use the first one created, even without locks.
  static func readOrCreate(in directory: borrowing PrivateDirectory) throws(VaultError) -> SecretBytes {
    if !directory.exists(fileName) { try create(in: directory) }
    return try read(from: directory)
  }

  /// Renames a damaged secret, to be replaced. Returns the new path, or nil if undamaged.
  static func setAsideIfDamaged(in directory: borrowing PrivateDirectory) throws(VaultError) -> String? {
    do throws(VaultError) { _ = try read(from: directory) } catch {
      guard error.code == .damaged else { return nil }
      do throws(SystemError) { return try directory.setAside(fileName) } catch {
        throw VaultError(error, path: "\(directory.path)/\(fileName)")
      }
    }
    return nil
  }

  private static func create(in directory: borrowing PrivateDirectory) throws(VaultError) {
    let secret = try mapCryptoError { () throws(CryptoError) in try SecretBytes.random(byteCount) }
    do {
      try secret.withBytes { (bytes) throws(SystemError) in try directory.createFile(fileName, with: bytes) }
    } catch {
      if !error.isNameTaken { throw VaultError(error, path: "\(directory.path)/\(fileName)") }
    }
  }

  /// Wipes a buffer that the file reader does not wipe.
  private static func wipe(_ bytes: inout [UInt8]) {
    for index in bytes.indices { bytes[index] = 0 }
  }
}
