/// Interprets TPM response codes (TPM 2.0 Library, part 2, section 6.6).
enum TPMFailure {
  /// The TPM's reason for a failed call, or else `code`.
  static func error(_ operation: String, otherwise code: CryptoError.Code) -> CryptoError {
    interpret(.library(operation), otherwise: code)
  }

  /// Interprets an error from libcrypto's queue.
  static func interpret(_ error: CryptoError, otherwise code: CryptoError.Code) -> CryptoError {
    var error = error
    error.code = error.responseCodes.lazy.map(meaning).first ?? code
    return error
  }

  /// The error if a key cannot be loaded. `wrongAuthorization` becomes `refused`, since it concerns the parent key.
  static func loading(_ operation: String) -> CryptoError {
    var error = error(operation, otherwise: .foreignKey)
    if error.code == .wrongAuthorization { error.code = .refused }
    return error
  }

  private static func meaning(_ code: UInt32) -> CryptoError.Code {
    // The libraries have their own layer numbers: 10 is the connection; 11 and 12 pass on the TPM's code.
    let layer = code >> 16 & 0xFF
    if layer == 10 { return .unreachable }
    guard layer == 0 || layer == 11 || layer == 12 else { return .refused }
    if code & 0x080 == 0 { return code & 0xFFF == 0x921 ? .lockedOut : .refused }
    // Masks out the number of the parameter, handle or session.
    return switch code & 0x0BF {
    case 0x08E, 0x0A2: .wrongAuthorization
    case 0x09F: .foreignKey
    default: .refused
    }
  }
}
