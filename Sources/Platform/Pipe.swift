internal import CPlatform

/// The two ends of a new pipe, both close-on-exec and blocking.
///
/// Frozen, which alone lets another module move the two ends out of it.
@frozen @usableFromInline package struct Pipe: ~Copyable, Sendable {
  package var reading: FileDescriptor
  package var writing: FileDescriptor

  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe ends.withUnsafeMutableBufferPointer { unsafe agent_pipe($0.baseAddress!) }
    try SystemCall.checked(result, "pipe2")
    reading = FileDescriptor(owning: ends[0])
    writing = FileDescriptor(owning: ends[1])
  }
}
