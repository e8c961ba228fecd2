internal import Glibc

/// A descriptor that several owners may hold; it is closed when the last one lets go.
package final class SharedDescriptor: Sendable {
  package let descriptor: FileDescriptor

  package init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
  }

  /// Fills `buffer` until the end of the input, the end of the buffer, or until nothing came for `patience`.
  ///
  /// - Returns: How many bytes were read; as many as the buffer holds when there is more.
  /// - Throws: `ETIMEDOUT` when the other end is silent for too long.
  package func readToEnd(into buffer: inout MutableSpan<UInt8>, patience: Duration) throws(SystemError) -> Int {
    var filled = 0
    while filled < buffer.count {
      guard try descriptor.waitUntilReadable(timeout: patience) else {
        throw SystemError.timedOut(operation: "read")
      }
      let got = try fill(&buffer, from: filled)
      if got == 0 { break }
      filled += got
    }
    return filled
  }

  private func fill(_ buffer: inout MutableSpan<UInt8>, from start: Int) throws(SystemError) -> Int {
    let number = descriptor.raw
    return try unsafe buffer.withUnsafeMutableBytes { (bytes) throws(SystemError) in
      try SystemCall.library("read") { unsafe read(number, bytes.baseAddress! + start, bytes.count - start) }
    }
  }
}
