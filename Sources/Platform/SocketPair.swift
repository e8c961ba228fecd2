internal import CPlatform

/// Two connected local sockets, both close-on-exec and blocking.
///
/// Frozen, which alone lets another module move the two ends out of it.
@frozen @usableFromInline package struct SocketPair: ~Copyable, Sendable {
  package var first: FileDescriptor
  package var second: FileDescriptor

  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe ends.withUnsafeMutableBufferPointer { unsafe agent_socket_pair($0.baseAddress!) }
    try SystemCall.checked(result, "socketpair")
    first = FileDescriptor(owning: ends[0])
    second = FileDescriptor(owning: ends[1])
  }
}
