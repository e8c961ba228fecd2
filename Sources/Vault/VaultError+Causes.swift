internal import Crypto
internal import Platform

// What the failures of the modules below mean for a vault.

extension VaultError.Code {
  /// A wrong tag means damage, unless the caller knows better.
  init(_ error: CryptoError) {
    self =
      switch error.code {
      case .authenticationFailed: .damaged
      case .secureHeapFull: .secureHeapFull
      case .noProvider: .tpmUnavailable(.noProvider)
      case .unreachable: .tpmUnavailable(.unreachable)
      case .refused: .tpmUnavailable(.refused)
      case .wrongAuthorization: .wrongPIN
      case .lockedOut: .tpmLockedOut
      case .foreignKey: .foreignDevice
      default: .cryptoFailure
      }
  }

  /// The most specific code for an error number; the number itself when there is none.
  init(_ error: SystemError) {
    self =
      switch error.name {
      case _ where error.isOverQuota: .overQuota
      case _ where error.isNoSpace: .noSpace
      case "EACCES", "EPERM", "ELOOP", "EINVAL", "EISDIR", "ENOTDIR": .badPermissions
      default: .storage(error)
      }
  }
}

extension VaultError {
  init(_ error: SystemError, path: String) {
    self.init(Code(error), path: path)
  }

  /// For the reading of a file, where "too large" means longer than any that we write.
  init(reading error: SystemError, path: String) {
    self.init(error.isTooLarge ? .damaged : Code(error), path: path)
  }

  /// For the taking of a lock, where "try again" means that it is taken.
  init(lock error: SystemError, path: String) {
    self.init(error.isAgain ? .busy : Code(error), path: path)
  }

  init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path): self.init(error, path: path)
    case .notOwned(let path), .tooOpen(let path, _): self.init(.badPermissions, path: path)
    case .notADirectory(let path) where FileProblem.of(path) == .symbolicLink: self.init(.badPermissions, path: path)
    case .notADirectory(let path):
      self.init(.storage(SystemError(errno: SystemError.Number.ENOTDIR, operation: "open")), path: path)
    }
  }
}

/// Runs `body`, and gives its error as what it means for a vault.
func translated<Result: ~Copyable>(
  _ body: () throws(CryptoError) -> Result
) throws(VaultError.Code) -> Result {
  do { return try body() } catch { throw VaultError.Code(error) }
}

/// Runs `body`, and says of its error which file it is about.
func located<Result: ~Copyable>(
  at path: String, _ body: () throws(VaultError.Code) -> Result
) throws(VaultError) -> Result {
  do { return try body() } catch { throw VaultError(error, path: path) }
}
