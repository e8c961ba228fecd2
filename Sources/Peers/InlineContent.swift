package import Platform
package import Wire

/// Takes the body of a request in lines, each when the part before has gone into the pipe that the worker reads. So no more
/// than one part is kept. Used on the loop only.
package final class InlineContent {
  /// Nil once the last part is in the pipe.
  private var writing: SharedDescriptor?
  private let ticket: Ticket
  private unowned let loop: any ReplySink
  private var key: UInt64?
  /// The part that is being written; nil while one is wanted.
  private var part: ResourceBodyRequest?
  private var written = 0

  package init(_ writing: SharedDescriptor, _ ticket: Ticket, _ loop: any ReplySink) {
    self.writing = writing
    self.ticket = ticket
    self.loop = loop
  }

  /// Asks for the first part. Its owner has it by then: if the peer is gone, it is taken from its owner within this call.
  package func begin() { loop.send(.event(.bodyWanted), to: ticket) }

  deinit { stop() }

  /// - Throws: `invalid_request` for a part that was not asked for.
  package func take(_ next: ResourceBodyRequest) throws(Failure) {
    guard part == nil, writing != nil else { throw Failure(.invalidRequest, "a part of the body came unasked") }
    (part, written) = (next, 0)
    guard write() else { throw Failure(.internalError, "the body cannot be passed on") }
  }

  /// - Returns: False if it cannot be told when the pipe has room again.
  private func write() -> Bool {
    guard let end = writing, let part else { return true }
    while written < part.bytes.count {
      do {
        written += try end.descriptor.write(part.bytes.span.extracting(written...))
      } catch {
        if error.isAgain { return watch(end) }
        // The worker reads no more: the request is at its end.
        close()
        return true
      }
    }
    stop()
    if part.isLast {
      close()
    } else {
      self.part = nil
      loop.send(.event(.bodyWanted), to: ticket)
    }
    return true
  }

  private func watch(_ end: SharedDescriptor) -> Bool {
    if key == nil { key = try? loop.watch(end.descriptor.raw, for: .write) { [unowned self] in _ = write() } }
    return key != nil
  }

  /// Writes no more. The pipe stays open as long as this lives: its end would say that the body is whole.
  package func stop() {
    if let key { loop.unwatch(key) }
    key = nil
  }

  private func close() {
    stop()
    writing = nil
  }
}
