internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// A resource request's content, from a client's file or stream. Keeps a stream's first part, to send a short stream
/// again.
final class DescriptorContent: ResourceContent, @unchecked Sendable {
  static let maximumKeptBytes = 1 << 20
  private static let pieceBytes = 65_536

  private let source: SharedDescriptor
  private let cancellation: Cancellation
  /// The content's range in a file. Nil for a stream.
  private let extent: Range<Int>?
  /// A stream's first part.
  private var kept: [UInt8] = []
  /// Whether ``kept`` is the entire content.
  private var isKeptComplete = false
  private var isPrepared = false
  /// The next byte to send.
  private var position = 0

  init(_ source: SharedDescriptor, _ cancellation: Cancellation) throws(SystemError) {
    (self.source, self.cancellation) = (source, cancellation)
    if case .file(let extent) = try source.descriptor.kind() { self.extent = extent } else { extent = nil }
  }

  deinit {
    for index in kept.indices { kept[index] = 0 }
  }

  /// Reads and keeps a stream's first part. Blocking. Throws `content` if reading fails or is cancelled,
  /// `contentTimedOut` after `stallSeconds` without a byte.
  func prepare(stallSeconds: Int) throws(SessionError) {
    guard extent == nil, !isPrepared else { return }
    isPrepared = true
    var lastMove = Instant.now
    while !isKeptComplete, kept.count < Self.maximumKeptBytes {
      if cancellation.isCancelled { throw .content }
      if lastMove.duration(to: .now) >= .seconds(stallSeconds) { throw .contentTimedOut(seconds: stallSeconds) }
      do throws(SystemError) {
        guard try source.descriptor.waitUntilReadable(timeout: .milliseconds(100)) else { continue }
        lastMove = .now
        let count = min(Self.pieceBytes, Self.maximumKeptBytes - kept.count)
        isKeptComplete = try source.descriptor.readNow(into: &kept, upTo: count) == 0
      } catch {
        guard error.wouldBlock else { throw .content }
      }
    }
    // Cancellation may have made the sender close the stream.
    if cancellation.isCancelled { throw .content }
  }

  var length: Int? { extent?.count ?? (isKeptComplete ? kept.count : nil) }

  var canRewind: Bool { extent != nil || isKeptComplete || position <= kept.count }

  func rewind() { position = 0 }

  var descriptor: Int32 { source.descriptor.raw }

  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart {
    do throws(SystemError) {
      let part = if let extent { try read(extent, into: &space) } else { try readStream(&space) }
      if case .bytes(let count) = part { position += count }
      return part
    } catch {
      return error.wouldBlock ? .later : .failed
    }
  }

  private func read(
    _ extent: Range<Int>, into space: inout MutableSpan<UInt8>
  ) throws(SystemError) -> ResourceContentPart {
    let left = extent.count - position
    if left == 0 { return .end }
    var piece = space._mutatingExtracting(..<min(left, space.count))
    let count = try source.descriptor.read(into: &piece, at: extent.lowerBound + position)
    // The file was truncated.
    return count == 0 ? .failed : .bytes(count)
  }

  private func readStream(_ space: inout MutableSpan<UInt8>) throws(SystemError) -> ResourceContentPart {
    let count = min(kept.count - position, space.count)
    if count > 0 {
      for index in 0..<count { space[index] = kept[position + index] }
      return .bytes(count)
    }
    if isKeptComplete { return .end }
    let read = try source.descriptor.readNow(into: &space)
    if read > 0 { return .bytes(read) }
    // As in ``prepare(stallSeconds:)``.
    return cancellation.isCancelled ? .failed : .end
  }
}

/// Writes a resource's response to a client's pipe or socket, without blocking.
final class StreamReceiver: ResourceReceiver {
  private let target: SharedDescriptor
  private let reportHead: @Sendable (ResponseHead) -> Void

  /// Throws `EINVAL` unless the descriptor is a pipe or socket. Calls `reportHead` on a worker, before any content.
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

  /// Returns the number of bytes written. Nil if the reader closed its end.
  func take(_ bytes: Span<UInt8>) -> Int? {
    do { return try target.descriptor.writeNow(bytes) } catch { return error.wouldBlock ? 0 : nil }
  }
}
