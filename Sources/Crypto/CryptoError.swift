internal import COpenSSL

/// Contains no input, key or output.
package struct CryptoError: Error, Hashable, Sendable {
  package enum Code: Sendable {
    /// Malformed, too weak, or not on its curve.
    case invalidKey
    /// Unsupported, or does not match the key.
    case unsupportedAlgorithm
    case invalidLength
    /// The ciphertext, key, nonce or associated data was changed.
    case authenticationFailed
    /// The caller may release secrets and retry.
    case secureHeapFull
    /// `queue` may contain libcrypto's reason.
    case libraryFailure
    /// libcrypto's TPM provider cannot be loaded.
    case noProvider
    /// The TPM cannot be reached.
    case unreachable
    /// The TPM rejected the command.
    case refused
    /// The TPM rejected and counted a key authorization.
    case wrongAuthorization
    /// The TPM temporarily rejects all authorizations.
    case lockedOut
    /// The key belongs to another TPM, or this TPM was cleared.
    case foreignKey
  }

  package var code: Code
  /// The failed operation or libcrypto function.
  package var operation: String
  /// libcrypto's error queue, oldest first.
  package var queue: [String]
  /// TPM response codes, oldest first.
  var responseCodes: [UInt32] = []

  package init(_ code: Code, _ operation: String, queue: [String] = []) {
    self.code = code
    self.operation = operation
    self.queue = queue
  }

  /// Moves libcrypto's error queue into a failed call's error.
  static func library(_ operation: String, code: Code = .libraryFailure) -> CryptoError {
    ErrorQueue.drain(into: CryptoError(code, operation))
  }
}

/// libcrypto's error queue of this thread.
enum ErrorQueue {
  /// Removes earlier errors, so that a failure reports only its own.
  static func clear() {
    ERR_clear_error()
  }

  /// Moves the queue's errors into a copy of `error`.
  static func drain(into error: CryptoError) -> CryptoError {
    var error = error
    while true {
      var text: UnsafePointer<CChar>?
      var flags: Int32 = 0
      let code = unsafe ERR_get_error_all(nil, nil, nil, &text, &flags)
      if code == 0 { return error }
      error.queue.append(describe(code))
      guard flags & ERR_TXT_STRING != 0, let text = unsafe text else { continue }
      if let number = unsafe UInt32(String(cString: text).prefix { $0 != " " }) { error.responseCodes.append(number) }
    }
  }

  private static func describe(_ code: UInt) -> String {
    var text = [UInt8](repeating: 0, count: 160)
    unsafe text.withUnsafeMutableBytes { buffer in
      unsafe ERR_error_string_n(code, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// Throws unless libcrypto returned 1.
func check(_ status: Int32, _ operation: String) throws(CryptoError) {
  if status != 1 { throw .library(operation) }
}
