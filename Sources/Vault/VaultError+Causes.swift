internal import Crypto
internal import Platform

extension VaultError {
  init(_ error: CryptoError) {
    let code: Code =
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
    self.init(code)
  }

  init(_ error: SystemError, path: String? = nil) {
    let code: Code =
      switch error.name {
      case _ where error.isOverQuota: .overQuota
      case _ where error.isNoSpace: .noSpace
      case "EACCES", "EPERM", "ELOOP", "EINVAL", "EISDIR", "ENOTDIR": .badPermissions
      default: .storage(error)
      }
    self.init(code, path: path)
  }

  /// Assumes damage if the file is too large.
  init(reading error: SystemError, path: String) {
    self = error.isTooLarge ? VaultError(.damaged, path: path) : VaultError(error, path: path)
  }

  init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path): self.init(error, path: path)
    case .untrusted(.notDirectory, let path) where FileProblem.of(path) != .symbolicLink:
      self.init(.storage(SystemError(errno: SystemError.Number.ENOTDIR, operation: "open")), path: path)
    case .untrusted(_, let path): self.init(.badPermissions, path: path)
    }
    isAboutDirectory = true
  }

  /// Adds `path`, unless already set.
  func located(at path: String) -> VaultError {
    var error = self
    error.path = error.path ?? path
    return error
  }
}

func mapCryptoError<Result: ~Copyable>(_ body: () throws(CryptoError) -> Result) throws(VaultError) -> Result {
  do { return try body() } catch { throw VaultError(error) }
}

/// Runs `body` and adds `path` to an error without one.
func addingPath<Result: ~Copyable>(_ path: String, _ body: () throws(VaultError) -> Result) throws(VaultError) -> Result
{
  do { return try body() } catch { throw error.located(at: path) }
}
