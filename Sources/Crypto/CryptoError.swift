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
  }

  /// What kind of failure it is.
  package var code: Code
  /// The operation that failed, in our words or as the name of the library's function.
  package var operation: String
  /// The library's error queue, oldest first. It may be empty.
  package var queue: [String]

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
    CryptoError(code, operation, queue: ErrorQueue.drain())
  }
}

/// The library's queue of errors, one for each thread.
enum ErrorQueue {
  /// Forgets what earlier calls left, so that a failure reports its own reasons only.
  static func clear() {
    ERR_clear_error()
  }

  static func drain() -> [String] {
    var lines: [String] = []
    while true {
      let code = ERR_get_error()
      if code == 0 { return lines }
      lines.append(describe(code))
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
