internal import Crypto
internal import Encoding
internal import Platform

/// This machine's vault file: `vault.` and a hash of the machine ID, or `vault.unbound`.
struct VaultLocation: Sendable {
  private static let fileNamePrefix = "vault."
  private static let unboundSuffix = "unbound"
  /// In hexadecimal digits.
  private static let hashLength = 16
  private static let lockName = "vault.lock"

  let directory: String
  let fileName: String

  var path: String { "\(directory)/\(fileName)" }

  /// `machineIdentity` is hashed, so that a shared directory does not reveal it.
  init(directory: String, machineIdentity: [UInt8]?) throws(VaultError) {
    self.directory = directory
    guard let machineIdentity else {
      fileName = Self.fileNamePrefix + Self.unboundSuffix
      return
    }
    let input = Array("agent vault name".utf8) + machineIdentity
    do {
      let hash = try Digest.sha256.hash(input.span)
      fileName = Self.fileNamePrefix + HexDigit.text(Array(hash.prefix(Self.hashLength / 2)))
    } catch {
      throw VaultError(VaultError(error).code, path: directory)
    }
  }

  private init(directory: String, fileName: String) {
    self.directory = directory
    self.fileName = fileName
  }

  func withFileName(_ fileName: String) -> VaultLocation { VaultLocation(directory: directory, fileName: fileName) }

  /// Nil if the directory does not exist.
  func open() throws(VaultError) -> PrivateDirectory? {
    do {
      return try PrivateDirectory(opening: directory, create: false)
    } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return nil }
      throw VaultError(error)
    }
  }

  func openOrCreate() throws(VaultError) -> PrivateDirectory {
    do { return try PrivateDirectory(opening: directory, create: true) } catch { throw VaultError(error) }
  }

  /// The file whose lock excludes other writers.
  var lockPath: String { "\(directory)/\(Self.lockName)" }

  /// Nil if another writer has the lock.
  func tryLock(_ directory: borrowing PrivateDirectory) throws(VaultError) -> FileLock? {
    do {
      return try directory.tryLock(Self.lockName)
    } catch {
      if error.wouldBlock { return nil }
      throw VaultError(error, path: lockPath)
    }
  }

  /// Nil if the vault file does not exist.
  func read(from directory: borrowing PrivateDirectory) throws(VaultError) -> (bytes: [UInt8], file: KnownFile)? {
    do {
      return try directory.readKnownFile(fileName, limit: VaultFormat.maximumFileLength)
    } catch {
      if error.isNotFound { return nil }
      throw VaultError(reading: error, path: path)
    }
  }

  func read() throws(VaultError) -> [UInt8]? {
    guard let directory = try open() else { return nil }
    return try read(from: directory)?.bytes
  }

  func exists() throws(VaultError) -> Bool {
    try open()?.exists(fileName) ?? false
  }

  /// The new file is on disk on return.
  func replace(
    in directory: borrowing PrivateDirectory, with bytes: [UInt8], using reserved: ReservedFile? = nil
  ) throws(VaultError) -> KnownFile? {
    do {
      return try directory.replaceKnownFile(fileName, with: bytes.span, in: reserved)
    } catch {
      throw VaultError(error, path: path)
    }
  }

  func otherMachinesFiles(in directory: borrowing PrivateDirectory) throws(VaultError) -> [String] {
    do {
      return try directory.fileNames().filter { $0 != fileName && Self.isVaultName($0) }
    } catch {
      throw VaultError(error, path: directory.path)
    }
  }

  /// Removes temporary files of killed writers. The caller must have the lock.
  func removeLeftovers(in directory: borrowing PrivateDirectory) {
    try? directory.removeLeftovers(of: fileName, DeviceSecret.fileName)
  }

  private static func isVaultName(_ name: String) -> Bool {
    guard name.hasPrefix(fileNamePrefix) else { return false }
    let rest = name.dropFirst(fileNamePrefix.count)
    return rest == unboundSuffix || (rest.utf8.count == hashLength && rest.utf8.allSatisfy(HexDigit.isLower))
  }
}
