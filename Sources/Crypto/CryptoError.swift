internal import COpenSSL

/// Why a cryptographic operation failed. It never carries an input, a key or an output.
package struct CryptoError: Error, Hashable, Sendable {
  /// What kind of failure it is, for the caller to decide by.
  package enum Code: Sendable {
    /// The key is malformed, too weak, or not a point of its curve.
    case invalidKey
    /// The algorithm does not fit the key, or is not offered.
    case unsupportedAlgorithm
    /// A length is outside what the operation takes.
    case invalidLength
    /// The ciphertext, the key, the nonce or the associated data is not the one that was sealed.
    case authenticationFailed
    /// The secure heap has no room. The caller may free secrets and try again.
    case secureHeapFull
    /// libcrypto refused; `queue` may say why.
    case libraryFailure
    /// libcrypto's provider for the TPM is not there, or cannot be loaded.
    case noProvider
    /// The TPM cannot be reached.
    case unreachable
    /// The TPM did not do what was asked.
    case refused
    /// The TPM does not take the authorization of the key, and has counted the attempt.
    case wrongAuthorization
    /// The TPM takes no authorization at all for a while.
    case lockedOut
    /// The key is of another TPM, or of this one before it was cleared.
    case foreignKey
  }

  /// What kind of failure it is.
  package var code: Code
  /// The operation that failed, in our words or as the name of the library's function.
  package var operation: String
  /// The library's error queue, oldest first. It may be empty.
  package var queue: [String]
  /// What a TPM said, oldest first. Its provider puts each code as a number in front of the text that belongs to an
  /// error of the queue.
  var responseCodes: [UInt32] = []

  /// Makes an error with a queue, empty unless given.
  package init(_ code: Code, _ operation: String, queue: [String] = []) {
    self.code = code
    self.operation = operation
    self.queue = queue
  }
}

extension CryptoError {
  /// The failure of a library call just made. The queue is emptied into the error.
  static func library(_ operation: String, code: Code = .libraryFailure) -> CryptoError {
    ErrorQueue.drain(into: CryptoError(code, operation))
  }
}

/// The library's queue of errors, one for each thread.
enum ErrorQueue {
  /// Forgets what earlier calls left, so that a failure reports its own reasons only.
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

/// Throws when a library call did not return 1, its only word for success.
func check(_ status: Int32, _ operation: String) throws(CryptoError) {
  if status != 1 { throw .library(operation) }
}
