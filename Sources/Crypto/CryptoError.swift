internal import COpenSSL

/// The reason why a cryptographic operation failed. It never contains an input, a key or an output.
package struct CryptoError: Error, Hashable, Sendable {
  /// The kind of failure.
  package enum Code: Sendable {
    /// The key is malformed, too weak, or not a point of its curve.
    case invalidKey
    /// The algorithm does not fit the key, or is not supported.
    case unsupportedAlgorithm
    /// A length is outside the limits of the operation.
    case invalidLength
    /// The ciphertext, the key, the nonce or the associated data differs from the sealed one.
    case authenticationFailed
    /// The secure heap has no room, and the system no memory. The caller may free secrets and try again.
    case secureHeapFull
    /// libcrypto failed; `queue` may have the reason.
    case libraryFailure
    /// libcrypto's provider for the TPM is missing, or cannot be loaded.
    case noProvider
    /// The TPM cannot be reached.
    case unreachable
    /// The TPM rejected the command.
    case refused
    /// The TPM rejected the authorization of the key, and has counted the attempt.
    case wrongAuthorization
    /// The TPM rejects every authorization for a while.
    case lockedOut
    /// The key belongs to another TPM, or to this one before it was cleared.
    case foreignKey
  }

  /// The kind of failure.
  package var code: Code
  /// The operation that failed: a name of this program, or of the library's function.
  package var operation: String
  /// The library's error queue, oldest first. It may be empty.
  package var queue: [String]
  /// The response codes of a TPM, oldest first. Its provider writes each code as a number before the text of an error
  /// in the queue.
  var responseCodes: [UInt32] = []

  /// Makes an error with a queue, empty unless given.
  package init(_ code: Code, _ operation: String, queue: [String] = []) {
    self.code = code
    self.operation = operation
    self.queue = queue
  }
}

extension CryptoError {
  /// The failure of the last library call. Moves the queue into the error.
  static func library(_ operation: String, code: Code = .libraryFailure) -> CryptoError {
    ErrorQueue.drain(into: CryptoError(code, operation))
  }
}

/// The library's queue of errors, one for each thread.
enum ErrorQueue {
  /// Removes the errors of earlier calls, so that a failure reports only its own reasons.
  static func clear() {
    ERR_clear_error()
  }

  /// Moves everything into an error.
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

/// Throws if a library call did not return 1, the only value for success.
func check(_ status: Int32, _ operation: String) throws(CryptoError) {
  if status != 1 { throw .library(operation) }
}
