/// A descriptor with several owners, closed by the last one.
package final class SharedDescriptor: Sendable {
  package let descriptor: FileDescriptor

  package init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
  }

  /// Fills `buffer` or reads to the end. Returns the number of bytes. Throws `ETIMEDOUT` if nothing arrives for
  /// `timeout` or `isGivenUp` returns true.
  package func readToEnd(
    into buffer: inout MutableSpan<UInt8>, timeout: Duration, unless isGivenUp: () -> Bool = { false }
  ) throws(SystemError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let deadline = Instant.now.advanced(by: timeout)
      while try !descriptor.waitUntilReadable(timeout: min(.milliseconds(100), Instant.now.duration(to: deadline))) {
        guard Instant.now < deadline, !isGivenUp() else { throw SystemError.timedOut(operation: "read") }
      }
      var free = buffer._mutatingExtracting(filled...)
      let got = try descriptor.read(into: &free)
      if got == 0 { break }
      filled += got
    }
    return filled
  }
}
