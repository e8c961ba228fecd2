internal import COpenSSL

/// Contains no input, key or output.
package struct CryptoError: Error, Hashable, Sendable {
  package enum Code: Sendable {
    /// The key is malformed, too weak, or not on its curve.
    case invalidKey
    /// The algorithm does not match the key, or is not supported.
    case unsupportedAlgorithm
    case invalidLength
    /// The ciphertext, key, nonce or associated data was changed.
    case authenticationFailed
    /// There is no memory for secrets. The caller may release some and retry.
    case secureHeapFull
    /// libcrypto failed; `queue` may contain the reason.
    case libraryFailure
    /// libcrypto's TPM provider is missing or cannot be loaded.
    case noProvider
    /// The TPM cannot be reached.
    case unreachable
    /// The TPM rejected the command.
    case refused
    /// The TPM rejected the authorization of the key and counted the attempt.
    case wrongAuthorization
    /// The TPM temporarily rejects all authorizations.
    case lockedOut
    /// The key belongs to another TPM, or this TPM was cleared.
    case foreignKey
  }

  package var code: Code
  /// The name of the failed operation or libcrypto function.
  package var operation: String
  /// libcrypto's error queue, oldest first. May be empty.
  package var queue: [String]
  /// The TPM's response codes, oldest first, from the errors of libcrypto's TPM provider.
  var responseCodes: [UInt32] = []

  package init(_ code: Code, _ operation: String, queue: [String] = []) {
    self.code = code
    self.operation = operation
    self.queue = queue
  }

  /// Moves libcrypto's error queue into the error of a failed call.
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

/// Throws unless libcrypto returned 1 for success.
func check(_ status: Int32, _ operation: String) throws(CryptoError) {
  if status != 1 { throw .library(operation) }
}
