package import Platform

/// Receives a request's body in parts and writes it to a worker's pipe.
package final class InlineRequestBody {
  /// The pipe's writing end; nil after the final part.
  private var writing: SharedDescriptor?
  private let ticket: Ticket
  private unowned let loop: any RequestLoop
  private var loopKey: UInt64?
  /// Nil while the next one is awaited.
  private var part: ResourceBodyRequest?
  private var writtenCount = 0

  package init(_ writing: SharedDescriptor, _ ticket: Ticket, _ loop: any RequestLoop) {
    self.writing = writing
    self.ticket = ticket
    self.loop = loop
  }

  /// Requests the first part. Store this object first, as for ``InlineResponseBody/begin()``.
  package func begin() { loop.send(.event(.bodyWanted), to: ticket) }

  deinit { stop() }

  /// - Throws: `invalid_request` if no part was requested.
  package func append(_ next: ResourceBodyRequest) throws(Failure) {
    guard part == nil, writing != nil else { throw Failure(.invalidRequest, "unexpected part of a body") }
    (part, writtenCount) = (next, 0)
    guard write() else { throw Failure(.internalError, "cannot forward the body") }
  }

  /// Returns false if the pipe cannot be watched.
  private func write() -> Bool {
    guard let end = writing, let part else { return true }
    while writtenCount < part.bytes.count {
      do {
        writtenCount += try end.descriptor.write(part.bytes.span.extracting(writtenCount...))
      } catch {
        if error.wouldBlock { return watch(end) }
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
    if loopKey == nil { loopKey = try? loop.watch(end.descriptor.raw, for: .write) { [unowned self] in _ = write() } }
    return loopKey != nil
  }

  /// Stops writing. The open pipe marks the body as incomplete.
  package func stop() {
    loop.unwatch(&loopKey)
  }

  /// Marks the body as complete.
  private func close() {
    stop()
    writing = nil
  }
}
