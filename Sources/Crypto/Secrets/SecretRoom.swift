internal import COpenSSL
internal import Platform

/// Memory for several secrets that are needed together, such as an answer and the tokens in it. It is reserved in one
/// piece, costs nothing until it is used, and returns to the system with the last secret in it.
///
/// The secure heap is for what stays: keys and refresh tokens. Sizes that another machine decides are not taken from it.
package final class SecretRoom: Sendable {
  private let mapping: PrivateMapping
  /// Bytes that were handed out.
  private let used = Monitor(0)

  /// - Parameter byteCount: At least 1.
  /// - Throws: `secureHeapFull` when the system has no memory.
  package init(byteCount: Int) throws(CryptoError) {
    do { mapping = try PrivateMapping(byteCount: byteCount) } catch { throw CryptoError(.secureHeapFull, "secret") }
  }

  /// Takes zero bytes, which no one else gets; nil when there are not so many left.
  func take(_ count: Int) -> UnsafeMutableRawPointer? {
    unsafe used.withLock { used in
      guard count <= mapping.byteCount - used else { return nil }
      defer { used += count }
      return unsafe mapping.start + used
    }
  }

  /// Prepares the pages of these bytes for a secret.
  ///
  /// - Parameter isContinued: Whether that was done for the byte before them.
  func lock(_ bytes: UnsafeMutableRawBufferPointer, isContinued: Bool = false) {
    unsafe mapping.lock(bytes, isContinued: isContinued)
  }
}
