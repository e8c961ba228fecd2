/// What the response codes of a TPM mean (TPM 2.0 Library, part 2, section 6.6).
enum TPMFailure {
  /// The failure of the call just made, as `code` when the TPM has not said why.
  static func error(_ operation: String, otherwise code: CryptoError.Code) -> CryptoError {
    explained(.library(operation), otherwise: code)
  }

  /// The same for an error already taken out of the library.
  static func explained(_ error: CryptoError, otherwise code: CryptoError.Code) -> CryptoError {
    var error = error
    error.code = error.responseCodes.lazy.map(meaning).first ?? code
    return error
  }

  /// The same for the loading of a key. What takes authorization there is the parent, whose owner's it is:
  /// another than ours is no wrong one of the key's.
  static func loading(_ operation: String) -> CryptoError {
    var error = error(operation, otherwise: .foreignKey)
    if error.code == .wrongAuthorization { error.code = .refused }
    return error
  }

  private static func meaning(_ code: UInt32) -> CryptoError.Code {
    // The libraries in between report under numbers of their own: 10 is the connection, and two hand on what the
    // TPM said.
    let layer = code >> 16 & 0xFF
    if layer == 10 { return .unreachable }
    guard layer == 0 || layer == 11 || layer == 12 else { return .refused }
    if code & 0x080 == 0 { return code & 0xFFF == 0x921 ? .lockedOut : .refused }
    // Which parameter, handle or session it is about does not matter.
    return switch code & 0x0BF {
    case 0x08E, 0x0A2: .wrongAuthorization
    case 0x09F: .foreignKey
    default: .refused
    }
  }
}
