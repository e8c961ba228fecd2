internal import OAuth
internal import Platform
internal import Wire

/// Writes a resource's response to a pipe or socket passed by the client, without blocking.
final class StreamReceiver: ResourceReceiver {
  private let target: SharedDescriptor
  private let reportHead: @Sendable (ResponseHead) -> Void

  /// - Parameter reportHead: Called with the head, on the worker's thread, before any content.
  /// - Throws: `EINVAL` if the descriptor is not a pipe or socket.
  init(_ target: SharedDescriptor, reportHead: @escaping @Sendable (ResponseHead) -> Void) throws(SystemError) {
    guard try target.descriptor.kind() == .stream else { throw SystemError.unsuitable(operation: "write") }
    try target.descriptor.setNonBlocking(true)
    self.target = target
    self.reportHead = reportHead
  }

  var descriptor: Int32 { target.descriptor.raw }

  func begin(_ head: ResourceHead) -> Bool {
    reportHead(
      ResponseHead(status: head.status, headers: head.headers.all.map { ResponseHead.Field($0.name, $0.value) }))
    return true
  }

  /// Returns the number of bytes written, or nil if the reader has closed its end.
  func take(_ bytes: Span<UInt8>) -> Int? {
    do { return try target.descriptor.writeNow(bytes) } catch { return error.isAgain ? 0 : nil }
  }
}
